"""Rubric: a question with its targets; the verdict is a level of each criterion, rewrites stand beside the votes."""

from adjudication.queries.question_view import attach_ratings, fetch_question_view
from adjudication.views.kinds.base import ItemKind

KIND = ItemKind(
    template="adjudication/items/_rubric.html",
    fetch=fetch_question_view,
    ballot="adjudication/_rating_ballot.html",
    attach=attach_ratings,
)
