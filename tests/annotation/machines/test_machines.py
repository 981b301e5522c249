"""Machine runs against a real loopback endpoint: every bad case, going on without paying twice, deciding, slots."""

from decimal import Decimal
from importlib import import_module

import pytest
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from accounts import jobs
from accounts.actions import cancel_job
from accounts.models import JobState
from accounts.refusals import Conflict, Refused
from annotation.imports.operations import IMPORT_JUDGMENTS
from annotation.machines.machines import count_replies
from annotation.machines.prompts import write_relevance_prompt
from annotation.machines.replies import decide_reply
from annotation.machines.requests import continue_machine_run
from annotation.models import (
    Assignment,
    Campaign,
    Judgment,
    MachineReply,
    MachineRun,
    ReplyState,
    ReplyValue,
    Submission,
)
from engines.endpoints.driver import USUAL_ROW
from engines.endpoints.prices import Spending
from tests.factories.annotation import AT, Material, make_campaign, make_material
from tests.factories.machines import ask, carry_out, make_prompt, stubbed
from tests.stubs.chat import Answer, Call, CutOff, Garbage, Hang, Status, Step

pytestmark = pytest.mark.django_db

ITEMS = 8  # 2 topics × 2 aspects × 2 documents


def replies(run: MachineRun) -> list[tuple[str, int | None]]:
    return list(run.replies.order_by("item").values_list("state", "stated__value"))


def first_then(step: Step, text: str = "Answer: 1"):
    """A script: the first call gets the step, every other one the text."""
    return lambda call: step if call.number == 0 else text


# --- asking -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_item_gets_one_reply_and_one_label_and_no_slot(made: Material, campaign: Campaign) -> None:
    with stubbed([Answer("Thinking…\nAnswer: 2", usage=(200, 10))], LLM_PRICE_IN=Decimal(1), LLM_PRICE_OUT=Decimal(2)):
        (run,) = ask(made, campaign, temperature=0.5, seed=11)
        with_price = carry_out(run)
    assert with_price.state == JobState.DONE
    assert replies(run) == [("answered", 2)] * ITEMS
    counts = count_replies([run], ITEMS)[run.pk]
    assert (counts.answered, counts.prompt_tokens, counts.completion_tokens) == (ITEMS, 200 * ITEMS, 10 * ITEMS)
    assert counts.spending.whole == Decimal("0.00022") * ITEMS
    mine = Assignment.objects.filter(annotator=run.annotator)
    assert mine.filter(state="done", slot=None, queue=None).count() == ITEMS
    assert Judgment.objects.filter(assignment__in=mine, value=2).count() == ITEMS


@pytest.mark.slow
def test_a_cost_is_not_known_where_the_endpoint_counts_no_tokens(made: Material, campaign: Campaign, client) -> None:
    """It was stored as 0, and pages and releases said that the machine cost nothing."""

    def some_counted(call: Call) -> Step:
        return Answer("Answer: 2", usage=(200, 10) if call.number < 3 else None)

    with stubbed(some_counted, LLM_PRICE_IN=Decimal(1), LLM_PRICE_OUT=Decimal(2)):
        (run,) = ask(made, campaign)
        carry_out(run)
    assert run.replies.filter(cost=None).count() == ITEMS - 3
    counts = count_replies([run], ITEMS)[run.pk]
    assert (counts.spending, counts.uncounted) == (Spending(Decimal("0.00066"), ITEMS - 3), ITEMS - 3)
    client.force_login(made.manager)
    slugs = made.collection.slug, campaign.slug
    page = client.get(reverse("machine_detail", args=(*slugs, run.pk))).content.decode()
    assert "at least 0.0007" in page
    assert "at least 600" in page
    said = client.get(f"/api/collections/{slugs[0]}/campaigns/{slugs[1]}/machine-runs/{run.pk}/").json()["replies"]
    assert (said["cost"], said["cost_at_least"], said["uncounted"]) == (None, 0.00066, ITEMS - 3)


@pytest.mark.slow
@pytest.mark.parametrize(("price_in", "cost"), [(1, None), (0, 0), (None, 5)])
def test_costs_that_were_stored_without_counts_of_tokens_are_forgotten(
    made: Material, campaign: Campaign, price_in: int | None, cost: int | None
) -> None:
    """0 was stored for them. Free tokens do cost 0, and without a price nothing was computed."""
    with stubbed([Answer("Answer: 2", usage=None)], LLM_PRICE_IN=price_in, LLM_PRICE_OUT=0):
        (run,) = ask(made, campaign)
        carry_out(run)
    run.replies.update(cost=cost or 0)
    migration = import_module("annotation.migrations.0015_unknown_costs").Migration
    with connection.cursor() as cursor:
        for operation in migration.operations:
            cursor.execute(operation.sql)
    assert set(run.replies.values_list("cost", flat=True)) == {cost}


@pytest.mark.slow
def test_what_is_sent_is_the_prompt_with_the_item_and_the_recipe(made: Material, campaign: Campaign) -> None:
    with stubbed(["Answer: 0"]) as stub:
        runs = ask(made, campaign, runs=2, temperature=0.5, seed=11, max_tokens=50, model="wiser")
        for run in runs:
            carry_out(run)
    first, later = stub.calls[0].body, stub.calls[-1].body
    assert (first["model"], first["temperature"], first["max_tokens"], first["seed"]) == ("wiser", 0.5, 50, 11)
    assert later["seed"] == 12  # the second run counts on
    prompt = next(call.prompt for call in stub.calls if "On tea 0" in call.prompt and "1.1" in call.prompt)
    assert "Requirement: Does thing 1.1.\nTitle: On tea 0\nAbstract: We brew tea 0 times." in prompt
    assert "2 (Fully): " in prompt
    assert len({call.prompt for call in stub.calls}) == ITEMS
    assert [run.annotator.name for run in runs] == [
        f"wiser, Plain, version 1, temperature 0.5, run {n}" for n in (1, 2)
    ]
    assert runs[0].annotator.model == runs[1].annotator.model


@pytest.mark.slow
def test_the_operator_holds_the_reins_on_speed(made: Material, campaign: Campaign) -> None:
    with stubbed(lambda call: Answer("Answer: 1", after=0.05), LLM_CONCURRENCY=2) as stub:
        carry_out(ask(made, campaign, concurrency=50)[0])
        assert stub.most_at_once == 2
        carry_out(ask(made, campaign, concurrency=1)[0])
    assert stub.most_at_once == 2
    assert len(stub.calls) == 2 * ITEMS


# --- bad endpoints ----------------------------------------------------------------------------------------------------


UNREADABLE: list[tuple[str | Answer, str]] = [
    ("Answer: 7", "not on the scale"),  # wrong
    ("The abstract meets", "does not end with an answer"),  # half
    (Answer("Answer: 2", finish_reason="length"), "cut off"),  # half, as the endpoint itself says
    ("摘要完全符合要求。答案：二", "does not end with an answer"),  # another language
    ("Answer: 1\nAnswer: 2", "two answers"),
    (Answer("", refusal="I cannot do that."), "declined"),
    (Answer("Answer: 2", finish_reason="content_filter"), "withheld"),
    (Answer(None), "empty"),
]


@pytest.mark.slow
def test_an_answer_that_cannot_be_read_is_kept_and_is_no_grade(made: Material, campaign: Campaign) -> None:
    def every_second(call: Call) -> Step:
        return UNREADABLE[call.number // 2][0] if call.number % 2 else "Answer: 1"

    with stubbed(every_second, LLM_CONCURRENCY=1):
        runs = [carry_out(run) for run in ask(made, campaign, runs=2)]
    kept = [reply for run in runs for reply in run.replies.filter(state=ReplyState.INVALID).order_by("pk")]
    for (answer, problem), bad in zip(UNREADABLE, kept, strict=True):
        assert problem in bad.problem
        assert bad.stated.get().value is None
        assert not Assignment.objects.filter(item=bad.item_id, annotator=bad.run.annotator).exists()
        if isinstance(answer, str):
            assert bad.text == answer
    for run in runs:
        assert run.state == JobState.DONE
        assert Judgment.objects.filter(assignment__annotator=run.annotator).count() == ITEMS / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [Status(429, {"Retry-After": "0"}), Status(500), Status(503), CutOff(), Garbage(), Hang(0.05)],
    ids=["429", "500", "503", "half", "garbage", "nothing"],
)
def test_trouble_that_passes_is_tried_again(made: Material, campaign: Campaign, step: Step) -> None:
    with stubbed(first_then(step)) as stub:
        run = carry_out(ask(made, campaign)[0])
    assert run.state == JobState.DONE
    assert replies(run) == [("answered", 1)] * ITEMS
    assert len(stub.calls) == ITEMS + 1


@pytest.mark.slow
def test_a_slow_endpoint_is_waited_for(made: Material, campaign: Campaign) -> None:
    with stubbed(lambda call: Answer("Answer: 1", after=0.3)):
        run = carry_out(ask(made, campaign)[0])
    assert replies(run) == [("answered", 1)] * ITEMS
    assert all(reply.seconds >= 0.3 for reply in run.replies.all())


@pytest.mark.slow
def test_one_question_without_an_answer_is_an_error_and_asked_again_by_going_on(
    made: Material, campaign: Campaign
) -> None:
    def script(call: Call) -> Step:
        return Status(500) if "thing 1.1" in call.prompt and "On tea 0" in call.prompt else "Answer: 2"

    with stubbed(script):
        run = carry_out(ask(made, campaign)[0])
        lost = run.replies.get(state=ReplyState.ERROR)
        assert "500" in lost.problem
        assert run.state == JobState.DONE
    with stubbed(["Answer: 0"]) as stub:
        carry_out(continue_machine_run(run=run, by=made.manager, at=AT, send=False))
    assert len(stub.calls) == 1
    assert run.replies.get(item=lost.item_id).stated.get().value == 0
    assert run.replies.count() == ITEMS


@pytest.mark.slow
def test_an_endpoint_that_refuses_us_fails_the_run_and_keeps_what_came(made: Material, campaign: Campaign) -> None:
    with stubbed(lambda call: Status(401) if call.number == 3 else "Answer: 1", LLM_CONCURRENCY=1):
        run = carry_out(ask(made, campaign)[0])
    assert run.state == JobState.FAILED
    assert "401" in run.reason
    assert "3 of 8 replies are kept" in run.reason
    assert "sk-secret" not in run.reason
    with stubbed(["Answer: 2"]) as stub:
        run = carry_out(continue_machine_run(run=run, by=made.manager, at=AT, send=False))
    assert (run.state, len(stub.calls)) == (JobState.DONE, ITEMS - 3)
    assert sorted(replies(run)) == [("answered", 1)] * 3 + [("answered", 2)] * 5


def test_a_run_stops_after_so_many_unreadable_answers_in_a_row_and_goes_on_when_asked() -> None:
    made = make_material(slug="coffees")  # 24 pairs
    script = lambda call: "Answer: 1" if call.number < 4 else "It depends."  # noqa: E731
    with stubbed(script, LLM_CONCURRENCY=1) as stub:
        run = carry_out(ask(made, make_campaign(made), stop_after=5)[0])
        assert (run.state, len(stub.calls)) == (JobState.FAILED, 9)
        assert "5 answers in a row could not be read; the last because: does not end with an answer" in run.reason
        assert "9 of 24 replies are kept" in run.reason
        continue_machine_run(run=run, by=made.manager, at=AT, send=False)
        assert (carry_out(run).state, len(stub.calls)) == (JobState.FAILED, 14)  # who looked may go on; the row is new
    with stubbed(["Answer: 0"], LLM_CONCURRENCY=1) as stub:
        continue_machine_run(run=run, by=made.manager, at=AT, send=False)
        assert (carry_out(run).state, len(stub.calls)) == (JobState.DONE, 10)


def test_a_run_stops_by_itself_where_nobody_says_when_and_never_where_somebody_says_so() -> None:
    made = make_material(slug="coffees")
    with stubbed(["It depends."], LLM_CONCURRENCY=1) as stub:
        campaign = make_campaign(made)
        assert carry_out(ask(made, campaign)[0]).state == JobState.FAILED
        assert len(stub.calls) == USUAL_ROW
        assert carry_out(ask(made, campaign, stop_after=0)[0]).state == JobState.DONE


def test_one_readable_answer_ends_the_row() -> None:
    made = make_material(slug="coffees")
    script = lambda call: Answer("It depends." if call.number % 5 else "Answer: 1")  # noqa: E731
    with stubbed(script, LLM_CONCURRENCY=1) as stub:
        assert carry_out(ask(made, make_campaign(made), stop_after=5)[0]).state == JobState.DONE
        assert len(stub.calls) == 24


def test_an_endpoint_that_is_not_there_fails_the_run(made: Material, campaign: Campaign) -> None:
    with stubbed(["Answer: 1"]):
        (run,) = ask(made, campaign)
        from django.conf import settings

        settings.LLM_BASE_URL = "http://127.0.0.1:9/v1"
        settings.LLM_ATTEMPTS = 1
        run = carry_out(run)
    assert run.state == JobState.FAILED
    assert "in a row had no answer" in run.reason
    assert run.replies.filter(state=ReplyState.ERROR).count() == run.replies.count() > 0


# --- stopping and going on --------------------------------------------------------------------------------------------


def test_a_run_that_was_cancelled_says_what_it_has_and_goes_on(made: Material, campaign: Campaign) -> None:
    with stubbed(["Answer: 2"]) as stub:
        (run,) = ask(made, campaign)
        MachineRun.objects.filter(pk=run.pk).update(cancel_requested_at=AT)
        run = carry_out(run)
        assert run.state == JobState.CANCELLED
        assert "0 of 8 replies are kept" in run.reason
        run = carry_out(continue_machine_run(run=run, by=made.manager, at=AT, send=False))
    assert (run.state, run.cancel_requested_at) == (JobState.DONE, None)
    assert len(stub.calls) == ITEMS


def test_only_what_is_unfinished_goes_on_and_only_what_runs_is_cancelled(made: Material, campaign: Campaign) -> None:
    (run,) = ask(made, campaign, kind="lexical")
    with pytest.raises(Conflict, match="already running"):
        continue_machine_run(run=run, by=made.manager, at=AT)
    carry_out(run)
    with pytest.raises(Conflict, match="nothing to continue"):
        continue_machine_run(run=run, by=made.manager, at=AT)
    with pytest.raises(Conflict, match="already ended"):
        cancel_job(job=run, by=made.manager, at=AT)


def test_new_items_are_taken_in_by_going_on(made: Material) -> None:
    from annotation.campaigns.items import build_items

    campaign = make_campaign(made, name="Sampled", items=False)
    build_items(campaign=campaign, by=made.manager, at=AT, sample=3)
    run = carry_out(ask(made, campaign, kind="lexical")[0])
    assert run.replies.count() == 3
    build_items(campaign=campaign, by=made.manager, at=AT)
    run = carry_out(continue_machine_run(run=run, by=made.manager, at=AT, send=False))
    assert run.replies.count() == ITEMS


# --- what cannot be asked ---------------------------------------------------------------------------------------------


def test_bad_wishes_are_refused_with_their_reason(made: Material, campaign: Campaign) -> None:
    with pytest.raises(Refused, match="LITMUS_LLM_BASE_URL"):
        ask(made, campaign)
    with stubbed(["Answer: 1"]):
        for wish, reason in (
            ({"runs": 0}, "runs must be a whole number from 1 to 20"),
            ({"temperature": 3}, "between 0 and 2"),
            ({"max_tokens": -1}, "tokens"),
            ({"seed": -1}, "whole number"),
            ({"model": "m" * 81}, "80 characters"),
            ({"concurrency": 0}, "at a time"),
            ({"criteria": ("novelty",)}, "Name the criteria"),
            ({"stop_after": -1}, "invalid answers in a row"),
            ({"prompt": None, "kind": "oracle"}, "Unknown kind"),
            ({"kind": "lexical", "thresholds": (0.5,)}, "2 thresholds"),
            (
                {"prompt": make_prompt(made, name="Off", body="answer YES = 9\nanswer NO = 0\n---\n{aspect}")},
                "YES means 9",
            ),
        ):
            with pytest.raises(Refused, match=reason):
                ask(made, campaign, **wish)
    assert not MachineRun.objects.exists()


def test_prompts_have_versions_and_bad_ones_are_refused(made: Material) -> None:
    first = make_prompt(made, body="One {aspect}")
    assert make_prompt(made, body="One {aspect}").pk == first.pk
    second = make_prompt(made, body="Two {aspect}")
    assert (second.version, second.name) == (2, first.name)
    assert second.sha256 != first.sha256
    with pytest.raises(Refused, match="same message"):
        write_relevance_prompt(collection=made.collection, by=made.manager, at=AT, name="Plain", body="Judge.")


# --- the lexical baseline ---------------------------------------------------------------------------------------------


def test_the_lexical_baseline_needs_no_network_and_is_deterministic(made: Material, campaign: Campaign) -> None:
    runs = ask(made, campaign, kind="lexical", runs=2)
    for run in runs:
        carry_out(run)
    values = [[value for _, value in replies(run)] for run in runs]
    assert values[0] == values[1]
    assert [run.annotator.name for run in runs] == ["Lexical baseline, run 1", "Lexical baseline, run 2"]
    (strict,) = ask(made, campaign, kind="lexical", thresholds=(0.9, 1.0))
    assert strict.annotator.model == f"Lexical baseline #{strict.recipe_hash[:6]}"
    assert "content words" in runs[0].replies.first().text


# --- a person decides -------------------------------------------------------------------------------------------------


def test_a_person_says_what_an_invalid_reply_states_and_may_take_it_back(made: Material, campaign: Campaign) -> None:
    with stubbed(first_then("Two, I think")):
        run = carry_out(ask(made, campaign)[0])
    reply = run.replies.get(state=ReplyState.INVALID)
    stated = reply.stated.get()
    label = Judgment.objects.filter(assignment__item=reply.item_id, assignment__annotator=run.annotator)
    for value in (2, 1):
        stated = decide_reply(stated=stated, by=made.manager, at=AT, value=value)
        assert [one.value for one in label.all()] == [value]
        assert stated.reply.state == ReplyState.INVALID
    stated = decide_reply(stated=stated, by=made.manager, at=AT, value=None)
    assert not label.exists()
    assert stated.decided_at == AT
    assert count_replies([run], ITEMS)[run.pk].waiting == 0
    decide_reply(stated=stated, by=made.manager, at=AT.replace(hour=13), value=0)
    assert label.get().value == 0
    assert Submission.objects.filter(assignment__item=reply.item_id).count() == 4
    with pytest.raises(Refused, match="not on the scale"):
        decide_reply(stated=stated, by=made.manager, at=AT, value=9)
    with pytest.raises(Refused, match="could not be read"):
        decide_reply(stated=run.replies.filter(state="answered").first().stated.get(), by=made.manager, at=AT, value=1)


# --- truth ------------------------------------------------------------------------------------------------------------


def test_the_database_holds_one_reply_each_and_no_grade_without_an_answer(made: Material, campaign: Campaign) -> None:
    run = carry_out(ask(made, campaign, kind="lexical")[0])
    item = run.replies.first().item_id
    with pytest.raises(IntegrityError, match="machine_reply_once"), transaction.atomic():
        MachineReply.objects.create(run=run, received_at=AT, item_id=item, state="answered")
    stated = run.replies.get(item=item).stated.get()
    wrong: tuple[tuple[dict[str, object], str], ...] = (
        ({"value": 1, "problem": "?"}, "where_read"),
        ({"value": None, "problem": ""}, "where_read"),
        ({"decided_at": AT, "problem": "?"}, "paired"),
        ({"agreement": 1.5}, "share"),
    )
    for fields, name in wrong:
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            ReplyValue.objects.filter(pk=stated.pk).update(**fields)
    with pytest.raises(IntegrityError, match="problem_stated"), transaction.atomic():
        run.replies.filter(item=item).update(state="error")


def test_imports_leave_machines_that_litmus_runs_alone(made: Material, campaign: Campaign, tmp_path) -> None:
    run = carry_out(ask(made, campaign, kind="lexical")[0])
    path = tmp_path / "labels.csv"
    path.write_text(
        "annotator,topic,aspect,docno,value,machine\n"
        f'"{run.annotator.name}",1,Does thing 1.1.,d0000,2,1\n'
        "elsewhere,1,Does thing 1.1.,d0000,2,1\n"
    )
    job = IMPORT_JUDGMENTS.request(campaign=campaign, by=made.manager, at=AT, files=[path], send=False)
    jobs.carry_out(job)
    job.refresh_from_db()
    assert job.created == 1
    assert "a machine that Litmus runs itself" in job.errors[0]["reason"]
    assert Assignment.objects.get(annotator__name="elsewhere").slot is None
