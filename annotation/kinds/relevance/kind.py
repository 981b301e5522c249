"""Relevance, after DORIS-MAE: how far does a pooled document meet an aspect of a query?"""

from pathlib import Path

from django.utils.translation import gettext_lazy, gettext_noop

from annotation.kind import GRADED_TABS, ItemView, Judged, Kind, Labelling, Words
from annotation.kinds.relevance import items
from annotation.kinds.relevance.choosing import PAIRS
from annotation.kinds.relevance.item_view import fetch_relevance_view
from annotation.kinds.relevance.units import fetch_units
from corpus.tables import Column
from engines.definitions.campaign_file import read_defaults

DEFAULTS = read_defaults(Path(__file__).parent)
RELEVANCE = Kind(
    name="relevance",
    judges=Judged.DOCUMENTS,
    words=Words(
        question="how far does an abstract meet an aspect?",
        item="pair",
        columns=(
            Column("topic", "Topic", lambda item: item.topic.number, ("topic__position", "topic")),
            Column("aspect", "Aspect", lambda item: item.aspect and item.aspect.text, ("aspect__text",)),
            Column("document", "Document", lambda item: item.document.docno, ("document__docno",)),
            Column("title", "", lambda item: item.document.title),
        ),
        building="An item is a pair of an aspect and a document in its topic's pool. Aspects of a topic with the same"
        " text count once; a topic without aspects is judged as a whole.",
        material="the aspects and pools of its topics",
        step="pairs of an aspect and a pooled document",
        origin="Items are made from the aspects of the topics and the documents in their pools.",
        nothing="No topic of the collection has a pool yet. Import runs or pool lists first, then build the items.",
        lacking="pools yet: import runs",
        empty=(
            "No topic has a pool yet",
            "Pools come from retrieval runs or from lists of documents. Import them first.",
        ),
        bring=("runs", "Import runs"),
    ),
    criteria=DEFAULTS.criteria,
    guideline=DEFAULTS.guideline,
    has_orders=True,
    items=items,
    choosing=PAIRS,
    count_parts=items.count_parts,
    insert_pairs=items.insert_pairs,
    row="annotation/kinds/relevance/_item_row.html",
    labelling=Labelling(
        layout="document",
        unit="annotation/kinds/_label_unit.html",
        cell="annotation/kinds/_label_cell.html",
        noun=gettext_lazy("document"),
        by_aspect=True,
        fetch_units=fetch_units,
        skip_reasons=(
            gettext_noop("Outside my field: I cannot judge it"),
            gettext_noop("The abstract is missing, broken or in a language I do not read"),
            gettext_noop("The aspect cannot be understood"),
            gettext_noop("I am an author of this work, or close to one"),
        ),
        marks=gettext_lazy(
            "words of the aspect in the text, and its sentence of the query (dotted line: a guess by shared words)"
        ),
    ),
    tabs=(*GRADED_TABS, "relevance"),
    item_view=ItemView(
        template="annotation/kinds/relevance/_item.html",
        pinned="annotation/kinds/relevance/_pinned.html",
        fetch=fetch_relevance_view,
    ),
)
