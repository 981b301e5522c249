"""Rated questions."""

import pytest

from tests.adjudication.questions.question_sets import count
from tests.factories.rubrics import Rubric, build_rubric, rate


@pytest.fixture
def rated() -> Rubric:
    """q1 is kept with a found target, q2 discarded, q3 not rated."""
    rubric = build_rubric()
    rate(rubric, "ana", "q1", 1, 2, found=("13",))
    rate(rubric, "ana", "q2", 0, 0)
    count(rubric.campaign, min_votes=1)
    return rubric
