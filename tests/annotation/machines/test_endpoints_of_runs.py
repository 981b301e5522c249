"""Runs against an endpoint that staff have set up: slow, limited, unreadable, redirecting, dying, removed."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from ipaddress import ip_network
from typing import Any

import pytest
from django.test import override_settings

from accounts.models import AuditEvent, JobState
from accounts.refusals import Refused
from annotation.machines.requests import continue_machine_run
from annotation.models import Assignment, Campaign, Judgment, MachineRun
from corpus.endpoints import endpoints
from corpus.endpoints.changes import add_endpoint, change_endpoint, remove_endpoint
from corpus.models import ModelEndpoint
from tests.factories.annotation import AT, Material
from tests.factories.machines import ask, carry_out
from tests.stubs.chat import Answer, ChatStub, CutOff, Garbage, Script, Status, Step

KEY = "sk-of-staff"


@contextmanager
def endpoint(script: Script, *, inner: str = "127.0.0.1/32", **values: Any) -> Iterator[ChatStub]:
    """“ours”, which plays the script; no rate limit, few tries, short pauses."""
    limits = {"LLM_BASE_URL": "", "LLM_ATTEMPTS": 3, "LLM_CONCURRENCY": 2, "LLM_TIMEOUT": 60}
    with ChatStub(script) as stub, override_settings(**limits, INNER_ADDRESSES=(ip_network(inner),)):
        usual: dict[str, Any] = {"purpose": "chat", "address": stub.url, "models": ["wise", "wiser"], "key": KEY}
        add_endpoint(by=None, at=AT, name="ours", **{**usual, "per_minute": 0, "collections": ["all"], **values})
        yield stub


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between tries are short."""
    usual = endpoints._usual
    monkeypatch.setattr(endpoints, "_usual", lambda purpose: replace(usual(purpose), first_wait=0.01))


def in_turn(*steps: Step) -> Script:
    """The steps in the order of the calls, then answers."""
    given = iter(steps)
    return lambda _: next(given, "Answer: 1")


def labels(run: MachineRun) -> int:
    return Judgment.objects.filter(assignment__annotator=run.annotator).count()


def is_whole(run: MachineRun, items: int = 8) -> bool:
    """Whether each item has one reply, one assignment and one label."""
    replies = run.replies.filter(state="answered")
    done = Assignment.objects.filter(annotator=run.annotator, state="done")
    return {replies.count(), run.replies.count(), done.values("item").distinct().count(), labels(run)} == {items}


def test_a_run_remembers_endpoint_model_and_prices_and_is_the_same_machine_elsewhere(
    made: Material, campaign: Campaign
) -> None:
    with endpoint(["Answer: 1"], price_in=1, price_out=2) as stub:
        run = carry_out(ask(made, campaign, endpoint="ours", model="wiser")[0])
        assert (run.state, run.parameters["endpoint"], run.model) == (JobState.DONE, "ours", "wiser")
        assert is_whole(run)
        assert {call.headers["authorization"] for call in stub.calls} == {f"Bearer {KEY}"}
        assert {call.body["model"] for call in stub.calls} == {"wiser"}
        assert {reply.cost for reply in run.replies.all()} == {Decimal(100 * 1 + 20 * 2) / 1_000_000}
        first = run.prompt
        change_endpoint(by=None, at=AT, endpoint=ModelEndpoint.objects.get(), address=f"{stub.url}/")
        again = ask(made, campaign, first, model="wiser")[0]
        assert (again.recipe_hash, again.run_number) == (run.recipe_hash, 2)
        with pytest.raises(Refused, match="no model “wisest”"):
            ask(made, campaign, first, endpoint="ours", model="wisest")
        with pytest.raises(Refused, match="no model endpoint “theirs”"):
            ask(made, campaign, first, endpoint="theirs")
    assert KEY not in str(list(AuditEvent.objects.values_list("data", flat=True)))


def test_a_removed_endpoint_leaves_answers_and_a_waiting_run_says_why_it_cannot_go_on(
    made: Material, campaign: Campaign
) -> None:
    with endpoint(in_turn(*["Answer: 1"] * 3, Status(401))):
        run = carry_out(ask(made, campaign, endpoint="ours")[0])
        assert (run.state, labels(run)) == (JobState.FAILED, run.replies.count())
        kept = labels(run)
        waiting = ask(made, campaign, run.prompt, endpoint="ours")[0]
        remove_endpoint(by=None, at=AT, endpoint=ModelEndpoint.objects.get())
        waiting = carry_out(waiting)
        assert waiting.state == JobState.FAILED
        assert "no model endpoint “ours”" in waiting.reason or "No language model is set up" in waiting.reason
        with pytest.raises(Refused):
            continue_machine_run(run=run, by=None, at=AT, send=False)
        assert (labels(run), run.parameters["endpoint"]) == (kept, "ours")
    with endpoint(["Answer: 1"]) as stub:
        assert is_whole(carry_out(continue_machine_run(run=run, by=None, at=AT, send=False)))
        assert len(stub.calls) == 8 - kept


def test_a_slow_endpoint_is_waited_for_and_one_that_limits_is_left_alone_as_long_as_it_asks(
    made: Material, campaign: Campaign
) -> None:
    steps = [Answer("Answer: 1", after=0.4), Status(429, {"Retry-After": "1"}), CutOff(), Status(503)]
    with endpoint(in_turn(*steps)) as stub:
        run = carry_out(ask(made, campaign, endpoint="ours")[0])
    assert run.state == JobState.DONE
    assert is_whole(run)
    assert len(stub.calls) == 8 + 3  # what failed is asked again, and nothing else
    asked = [call.at for call in stub.calls]
    assert max(later - earlier for earlier, later in itertools.pairwise(asked)) > 0.9


def test_unreadable_answers_stop_a_run_and_are_not_paid_for_again(made: Material, campaign: Campaign) -> None:
    with endpoint(["I would rather not say."]) as stub:
        run = carry_out(ask(made, campaign, endpoint="ours", stop_after=3)[0])
        assert run.state == JobState.FAILED
        asked = len(stub.calls)
        assert asked == run.replies.filter(state="invalid").count() < 8
        stub.script = ["Answer: 1"]
        run = carry_out(continue_machine_run(run=run, by=None, at=AT, send=False))
        assert len(stub.calls) == 8
    assert (run.state, labels(run), run.replies.count()) == (JobState.DONE, 8 - asked, 8)


@pytest.mark.parametrize("step", [Garbage(), Status(500)])
def test_an_endpoint_that_answers_nothing_useful_ends_the_run_with_the_reason(
    made: Material, campaign: Campaign, step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    with endpoint([step]):
        run = carry_out(ask(made, campaign, endpoint="ours")[0])
    assert run.state == JobState.FAILED
    assert "questions in a row had no answer" in run.reason
    assert labels(run) == 0


def test_a_redirect_to_loopback_is_not_followed_and_costs_one_question_at_most_twice(
    made: Material, campaign: Campaign
) -> None:
    with ChatStub() as inner, endpoint([Status(307, {"Location": f"{inner.url}/chat/completions"})]) as stub:
        run = carry_out(ask(made, campaign, endpoint="ours")[0])
        assert (run.state, labels(run), inner.calls) == (JobState.FAILED, 0, [])
        assert "redirects are not followed. 0 of 8 replies are kept; continuing asks for the rest." in run.reason
        assert len(stub.calls) <= 2  # as many as are asked at once
        stub.script = ["Answer: 1"]
        assert is_whole(carry_out(continue_machine_run(run=run, by=None, at=AT, send=False)))


def test_an_address_inside_ends_the_run_before_anything_is_sent(made: Material, campaign: Campaign) -> None:
    with endpoint(["Answer: 1"], inner="10.0.0.0/8") as stub:
        run = carry_out(ask(made, campaign, endpoint="ours")[0])
    assert (run.state, stub.calls) == (JobState.FAILED, [])
    assert "LITMUS_INNER_ADDRESSES" in run.reason
