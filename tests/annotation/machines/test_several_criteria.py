"""Several criteria in one reply: asked together, read and decided each for itself, paid once."""

from decimal import Decimal

import pytest

from accounts.models import JobState
from accounts.refusals import Refused
from annotation.machines.machines import count_replies
from annotation.machines.replies import decide_reply
from annotation.models import Assignment, Campaign, Criterion, Judgment, Level, ReplyValue
from tests.factories.annotation import AT, Material
from tests.factories.machines import ask, carry_out, make_prompt, stubbed
from tests.stubs.chat import Answer, Call, Step

pytestmark = pytest.mark.django_db

ITEMS = 8
BODY = "Rate this for {aspect}.\n\n{criteria}\n\n{title}"


@pytest.fixture
def novelty(campaign: Campaign) -> Criterion:
    found = Criterion.objects.create(
        campaign=campaign, key="novelty", label="Novelty", question="Is it new?", position=1
    )
    Level.objects.bulk_create(Level(criterion=found, value=n, label=word) for n, word in enumerate(("no", "yes")))
    return found


BOTH = {"criteria": ("relevance", "novelty")}


def test_one_reply_answers_all_criteria_and_is_paid_once(
    made: Material, campaign: Campaign, novelty: Criterion
) -> None:
    prices = {"LLM_PRICE_IN": Decimal(1), "LLM_PRICE_OUT": Decimal(2)}
    with stubbed([Answer("relevance: 2\n**novelty**: 1", usage=(200, 10))], **prices) as stub:
        run = carry_out(ask(made, campaign, make_prompt(made, body=BODY), **BOTH)[0])
    assert (run.state, len(stub.calls)) == (JobState.DONE, ITEMS)
    assert "novelty: Is it new?\n  0 (no)\n  1 (yes)" in stub.calls[0].prompt
    assert "relevance: " in stub.calls[0].prompt
    mine = Assignment.objects.filter(annotator=run.annotator, state="done")
    labels = Judgment.objects.filter(assignment__in=mine)
    assert sorted(set(labels.values_list("criterion__key", "value"))) == [("novelty", 1), ("relevance", 2)]
    assert (mine.count(), labels.count(), run.replies.count()) == (ITEMS, 2 * ITEMS, ITEMS)
    assert count_replies([run], ITEMS)[run.pk].spending.whole == Decimal("0.00022") * ITEMS
    assert run.recipe["criteria"] == ["relevance", "novelty"]


def test_what_is_missing_is_unreadable_for_its_criterion_alone(
    made: Material, campaign: Campaign, novelty: Criterion
) -> None:
    def without_novelty_once(call: Call) -> Step:
        return '{"relevance": 1}' if call.number == 0 else '{"relevance": 1, "novelty": 0}'

    with stubbed(without_novelty_once, LLM_CONCURRENCY=1):
        run = carry_out(ask(made, campaign, make_prompt(made, body=BODY), **BOTH)[0])
    unreadable = ReplyValue.objects.get(reply__run=run, value=None)
    assert (unreadable.criterion, unreadable.problem) == (novelty, "states nothing of novelty")
    assert (unreadable.reply.state, unreadable.reply.problem) == ("invalid", "states nothing of novelty")
    counts = {key: count_replies([run], ITEMS, key)[run.pk] for key in ("relevance", "novelty", "")}
    assert [(one.answered, one.invalid) for one in counts.values()] == [(ITEMS, 0), (ITEMS - 1, 1), (ITEMS - 1, 1)]
    label = Judgment.objects.filter(assignment__annotator=run.annotator, assignment__item=unreadable.reply.item)
    assert dict(label.values_list("criterion__key", "value")) == {"relevance": 1}
    for value, expected in ((1, {"relevance": 1, "novelty": 1}), (None, {"relevance": 1})):
        decide_reply(stated=unreadable, by=made.manager, at=AT, value=value)
        assert dict(label.values_list("criterion__key", "value")) == expected
        newest = label.first().assignment.submissions.latest("pk")
        assert (newest.kind, newest.answers) == ("answer", expected)


def test_a_prompt_for_one_answer_is_refused_for_several_criteria(
    made: Material, campaign: Campaign, novelty: Criterion
) -> None:
    with stubbed(["Answer: 1"]):
        with pytest.raises(Refused, match=r"holds \{criteria\}"):
            ask(made, campaign, **BOTH)
        with pytest.raises(Refused, match="The campaign has: relevance, novelty"):
            ask(made, campaign)
        with pytest.raises(Refused, match="each of its runs answers one criterion"):
            ask(made, campaign, kind="lexical", **BOTH)


def test_a_prompt_for_several_names_its_criteria_in_the_recipe(
    made: Material, campaign: Campaign, novelty: Criterion
) -> None:
    prompt = make_prompt(made, body=BODY)
    with stubbed(["relevance: 1"]):
        both, one = (ask(made, campaign, prompt, criteria=keys)[0] for keys in (BOTH["criteria"], ("relevance",)))
    assert both.recipe_hash != one.recipe_hash
    assert both.annotator.model == "wise, Plain, version 1, relevance+novelty"
    assert "criteria" not in ask(made, campaign, kind="lexical", criteria=("novelty",))[0].recipe
