"""The importer of known answers."""

from annotation.campaigns.file_imports import way_on
from annotation.gold.forms import KnownAnswerImportForm
from annotation.gold.loading import load_known_answers
from corpus.imports.registry import Importer, at_once

KNOWN_ANSWERS = Importer(
    name="known-answers",
    label="known answers",
    unit="known answers",
    title="Import known answers",
    about="What is right about items, for training, qualification and hidden gold: CSV with topic, aspect, docno,"
    " criterion, value and explanation. Items that the campaign lacks are added to it.",
    reading=at_once(load_known_answers),
    form=KnownAnswerImportForm,
    links=way_on("gold_detail", "See the known answers", "known_answer_import"),
)
