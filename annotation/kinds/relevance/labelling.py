"""How pairs are judged on the labelling screen."""

from annotation.kind import Labelling
from annotation.kinds.relevance.units import fetch_units

SKIP_REASONS = (
    "Outside my field: I cannot judge it",
    "The abstract is missing, broken or in a language I do not read",
    "The aspect cannot be understood",
    "I am an author of this work, or close to one",
)

LABELLING = Labelling(
    layout="document",
    unit="annotation/kinds/_label_unit.html",
    cell="annotation/kinds/_label_cell.html",
    noun="document",
    by_aspect=True,
    fetch_units=fetch_units,
    skip_reasons=SKIP_REASONS,
    marks="words of the aspect in the text",
)
