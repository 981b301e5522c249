"""Importing qrels that somebody else made, as a gold."""

from django import forms

from adjudication.evaluation.jobs.qrels import load_qrels
from adjudication.models import ImportedQrels, ImportedQrelsTopic
from corpus.imports.forms import ImportForm
from corpus.imports.jobs.undoing import Undoing
from corpus.imports.registry import Importer, at_once


class QrelsImportForm(ImportForm):
    name = forms.CharField(
        required=False,
        max_length=100,
        label="Name of the qrels",
        help_text="By which evaluations choose them as gold. Left empty, the name of the file.",
    )
    field_order = ["uploads", "format", "name", "dry_run"]


QRELS = Importer(
    name="qrels",
    label="qrels",
    unit="judgments",
    title="Import qrels",
    about="Judgments made elsewhere, to evaluate runs against: TREC qrels (topic, iteration, docno, value), or BEIR's "
    "table. They are a gold only: no campaign has them, and nobody counts as having judged them. Topics or sub-queries "
    "must be here already; qrels of the same name are replaced.",
    reading=at_once(load_qrels),
    form=QrelsImportForm,
    target="evaluation_list",
    undoing=Undoing(ImportedQrels, ((ImportedQrelsTopic, "qrels"),)),
    checks="text",
    more=lambda run: {"qrels": run.parameters.get("qrels", "")},
)
