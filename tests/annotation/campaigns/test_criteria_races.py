"""Levels are changed in the moment in which somebody judges by them: one of the two is refused, none fails."""

import pytest

from accounts.refusals import Conflict, Refused
from annotation.campaigns.criteria import replace_criteria
from annotation.labelling.submissions import submit
from annotation.models import Judgment
from engines.definitions.drafts import CriterionDraft, LevelDraft
from tests.databases import second_of
from tests.factories.accounts import AT
from tests.factories.adjudication import Built
from tests.factories.labelling import build_work, given

pytestmark = pytest.mark.django_db(transaction=True)

OTHER = CriterionDraft("relevance", "Fit", (LevelDraft(1, "Yes"), LevelDraft(0, "No")))


@pytest.fixture
def built() -> Built:
    return build_work(items=1, people=("ana",), overlap=1)


def judge(built: Built) -> object:
    inputs = [given(built.annotators["ana"].assignments.get().pk, 1)]
    where = {"collection": built.collection.slug, "campaign": built.campaign.slug}
    return submit(**where, by=built.people["ana"], at=AT, inputs=inputs).results[0]


def change(built: Built) -> object:
    try:
        return replace_criteria(campaign=built.campaign, criteria=[OTHER], by=None, at=AT)
    except Refused as refusal:
        return refusal


def test_who_judges_while_the_levels_are_changed_is_refused(built: Built) -> None:
    said = second_of(lambda: change(built), lambda: judge(built))
    assert isinstance(said, Conflict), said
    assert "levels of this campaign have just been changed" in said.reason
    assert not Judgment.objects.exists()
    assert judge(built).outcome == "counted", "and may send it again"


def test_levels_are_settled_by_a_judgment_that_arrives_while_they_are_changed(built: Built) -> None:
    said = second_of(lambda: judge(built), lambda: change(built))
    assert isinstance(said, Refused), said
    assert "the levels can no longer change" in said.reason
    assert Judgment.objects.get().value == 1
