"""Extraction, after ACM-CR: which references does a paper's text cite? Its annotators have their own screen.

The screen is annotation/papers/pages/extractions.py and extraction_screen.py, with templates/annotation/papers/ and
static/js/annotation/papers/; several people's extractions of a paper are made one in adjudication/papers/pages/.
"""

from pathlib import Path

from annotation.kind import Judged, Kind, Words
from annotation.kinds.extraction import items
from corpus.tables import Column
from engines.definitions.campaign_file import read_defaults

DEFAULTS = read_defaults(Path(__file__).parent)
EXTRACTION = Kind(
    name="extraction",
    judges=Judged.PAPERS,
    words=Words(
        question="which references does a paper's text cite?",
        item="paper",
        columns=(
            Column("paper", "Paper", lambda item: str(item.paper), ("paper__title", "paper__key")),
            Column("key", "", lambda item: item.paper.key),
        ),
        building="An item is a paper of the collection, worked on by each of its annotators.",
        material="the papers of the collection",
        step="papers of the collection",
        origin="Items are the papers of the collection.",
        nothing="The collection has no papers yet. Import them first, then build the items.",
        lacking="papers yet: import them",
        empty=("The collection has no papers yet", "Import them from files first."),
        bring=("papers", "Import papers"),
        work="Work on my papers",
    ),
    guideline=DEFAULTS.guideline,
    overlap=1,
    calibration_overlap=2,  # a paper takes one person about an hour
    assumed_seconds=3600,
    no_criteria="An extraction has no criteria: papers are worked on, not graded. Remove them from the definition.",
    no_queue="A paper is an hour's work: papers are assigned in advance, not taken from an open queue.",
    no_repeats="A paper is an hour's work, so no paper is given to the same person twice. Set the share to 0.",
    no_machines="Machines judge topics and pairs. Only people extract from papers.",
    items=items,
    row="annotation/kinds/extraction/_item_row.html",
    screen="extraction_queue",
    item_screen="extraction_detail",
    tabs=("comparison",),
    adjudication="papers",
)
