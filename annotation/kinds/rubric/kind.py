"""Rubric, after LitSearch: how good is a question, by several criteria, with rewrites and further targets?"""

from pathlib import Path

from annotation.kind import GRADED_TABS, ItemView, Judged, Kind, Words
from annotation.kinds.rubric import items
from annotation.kinds.rubric.choosing import QUESTIONS
from annotation.kinds.rubric.item_view import attach_ratings, fetch_question_view
from annotation.kinds.rubric.labelling import LABELLING
from annotation.kinds.rubric.options import OPTIONS
from corpus.tables import Column
from engines.definitions.campaign_file import read_defaults

DEFAULTS = read_defaults(Path(__file__).parent)
RUBRIC = Kind(
    name="rubric",
    judges=Judged.QUESTIONS,
    words=Words(
        question="how good is a question? Rated by criteria, with rewrites",
        item="question",
        columns=(
            Column("topic", "Topic", lambda item: item.topic.number, ("topic__position", "topic")),
            Column("question", "Question", lambda item: item.topic.text, ("topic__text",)),
            Column("source", "", lambda item: item.topic.source),
        ),
        building="An item is a topic that is rated alone. Questions whose words overlap with the titles of their"
        " targets above the cut-off of their source are left out; they stay in the collection and are counted here.",
        material="the questions to rate",
        step="questions to rate",
        origin="Items are the questions to rate.",
        nothing="No topic of the collection matches. Import topics, or choose other sources.",
        lacking="questions left: import topics, or raise the cut-offs",
        empty=("No questions yet", "Questions are topics of the collection. Import some, or write one."),
        bring=("topics", "Import topics"),
    ),
    criteria=DEFAULTS.criteria,
    guideline=DEFAULTS.guideline,
    overlap=1,
    assumed_seconds=60,
    options=OPTIONS,
    items=items,
    choosing=QUESTIONS,
    build_page="annotation/kinds/rubric/item_build.html",
    row="annotation/kinds/rubric/_item_row.html",
    labelling=LABELLING,
    tabs=(*GRADED_TABS, "rewrites"),
    counts_itself=True,
    item_view=ItemView(
        template="annotation/kinds/rubric/_item.html",
        pinned="annotation/kinds/rubric/_pinned.html",
        fetch=fetch_question_view,
        more="annotation/kinds/rubric/_ballot_more.html",
        attach=attach_ratings,
        styles=("css/rating.css",),
    ),
)
