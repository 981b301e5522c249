"""The chat client and its driver against a real HTTP server that misbehaves."""

import itertools
import json
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest

from engines.endpoints.chat import Chat, Endpoint, Rejected, Reply, Unusable, read_reply
from engines.endpoints.connections import Busy
from engines.endpoints.driver import Failure, Pace, ask_all
from tests.stubs.chat import Answer, Call, ChatStub, CutOff, Garbage, Hang, Script, Status, Trickle, completion
from tests.waiting import PATIENCE

QUESTION = [{"role": "user", "content": "Which?"}]
KEY = "sk-very-secret"
HURRIED = Pace(concurrency=2, per_minute=0, attempts=3, first_wait=0.01)


def ask(script: Script, *, timeout: float = 60.0, **options: object) -> tuple[Reply, ChatStub]:
    with ChatStub(script) as stub, Chat(Endpoint(stub.url, KEY, "wise", timeout=timeout, max_tokens=7)) as chat:
        return chat.ask(QUESTION, **options), stub


def refused(script: Script, *, timeout: float = 60.0) -> Exception:
    with pytest.raises((Busy, Rejected, Unusable)) as caught:
        ask(script, timeout=timeout)
    assert KEY not in str(caught.value)
    return caught.value


def drive(script: Script, questions: int, pace: Pace = HURRIED, *, stop_after: int | None = None):
    """Outcomes by key of so many questions; stops once `stop_after` outcomes are there."""
    kept: dict[int, Reply | Failure] = {}

    def check() -> None:
        if stop_after is not None and len(kept) >= stop_after:
            raise KeyboardInterrupt

    with ChatStub(script) as stub, Chat(Endpoint(stub.url, KEY, "wise")) as chat:
        asked = ((n, [{"role": "user", "content": str(n)}]) for n in range(questions))
        try:
            ask_all(asked, chat.ask, kept.__setitem__, pace, rng=np.random.default_rng(1), check=check)
        except (KeyboardInterrupt, Unusable) as error:
            return kept, stub, error
        return kept, stub, None


# --- one question -----------------------------------------------------------------------------------------------------


def test_an_answer_with_its_tokens_and_what_was_sent():
    reply, stub = ask([Answer("All right.", usage=(30, 4))], temperature=0.5)
    assert (reply.text, reply.finish_reason, reply.prompt_tokens, reply.completion_tokens) == (
        "All right.",
        "stop",
        30,
        4,
    )
    assert reply.seconds > 0
    call = stub.calls[0]
    assert call.path == "/v1/chat/completions"
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.body == {"model": "wise", "messages": QUESTION, "max_tokens": 7, "temperature": 0.5}


def test_an_answer_that_was_cut_off_refused_or_not_counted():
    assert ask([Answer("Half a", finish_reason="length")])[0].finish_reason == "length"
    assert ask([Answer(None, refusal="I cannot help.")])[0].refusal == "I cannot help."
    assert ask([Answer("x", usage=None)])[0].prompt_tokens is None


def test_a_long_answer_and_one_in_another_language_come_whole():
    assert len(ask([Answer("ä" * 20_000)])[0].text) == 20_000
    assert ask(["どの論文ですか"])[0].text == "どの論文ですか"


@pytest.mark.parametrize(
    ("step", "kind", "words"),
    [
        (Status(429), Busy, "429: scripted 429"),
        (Status(429, kind="insufficient_quota"), Unusable, "429"),
        (Status(500), Busy, "500"),
        (Status(503, body=b"<h1>Sorry</h1>"), Busy, "503: <h1>Sorry</h1>"),
        (Status(401), Unusable, "401"),
        (Status(404), Unusable, "404"),
        (Status(400), Rejected, "400"),
        (Status(413, body=b""), Rejected, "413"),
        (CutOff(), Busy, "connection failed"),
        (Garbage(), Busy, "not a chat completion: <html>"),
        (Garbage(b"\xff\xfe\0[", "application/json"), Busy, "not a chat completion"),
        (Garbage(b'{"choices": []}', "application/json"), Busy, "not a chat completion"),
        (Garbage(b'{"choices": "none"}', "application/json"), Busy, "not a chat completion"),
    ],
)
def test_errors_are_distinguished(step, kind, words):
    error = refused([step])
    assert type(error) is kind
    assert words in str(error)


def test_a_time_out_and_a_closed_door():
    assert "no answer within 0.2 seconds" in str(refused([Hang(60)], timeout=0.2))
    with ChatStub() as stub:
        url = stub.url
    with Chat(Endpoint(url, KEY, "wise")) as chat, pytest.raises(Busy, match="connection failed"):
        chat.ask(QUESTION)


@pytest.mark.slow
def test_an_answer_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr("engines.endpoints.chat.LONGEST_TIMES", 0.05)  # so that gaps between pieces are no time-outs
    assert "not complete after 1 seconds" in str(refused([Trickle()], timeout=20))
    monkeypatch.undo()
    assert "longer than 4 MB" in str(refused([Trickle(b"x" * (1 << 19), 0)], timeout=20))


@pytest.mark.parametrize(("code", "kind"), [(500, Busy), (400, Rejected), (401, Unusable)])
def test_an_error_that_never_ends_is_cut_off(code, kind):
    error = refused([Trickle(b"no " * 10_000, 0, code)], timeout=20)
    assert type(error) is kind
    assert f"{code}: no no no" in str(error)
    assert len(str(error)) < 400


@pytest.mark.parametrize("count", [-1, 2**31, 10**30, 1.5, "12", True, None, [1], {"n": 1}])
def test_counts_of_tokens_that_cannot_be_are_none(count):
    body = json.dumps({"choices": [{"message": {"content": "Fine."}}], "usage": {"prompt_tokens": count}})
    assert read_reply(body.encode(), 0.1).prompt_tokens is None


def test_an_address_that_is_none():
    with Chat(Endpoint("nowhere at all", KEY, "wise")) as chat, pytest.raises((Busy, Unusable)) as caught:
        chat.ask(QUESTION)
    assert caught.value.reason


def test_the_wish_to_be_left_alone_is_read_in_both_forms():
    assert refused([Status(429, {"Retry-After": "7"})]).retry_after == 7
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=300), usegmt=True)
    assert 200 < refused([Status(503, {"Retry-After": then})]).retry_after <= 300
    assert refused([Status(429, {"Retry-After": "soon"})]).retry_after is None
    assert refused([Status(429, {"Retry-After": "nan"})]).retry_after is None
    assert refused([Status(429, {"Retry-After": "99999"})]).retry_after == 600


def test_the_key_is_in_no_representation():
    assert KEY not in repr(Endpoint("http://localhost", KEY, "wise"))


def test_odd_counts_are_not_believed():
    reply = read_reply(completion(Answer("x")).replace(b": 100", b": -3").replace(b": 20,", b': "many",'), 0.1)
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, None)


# --- many questions ---------------------------------------------------------------------------------------------------


def test_all_questions_are_answered_and_not_more_than_agreed_at_once():
    three = threading.Barrier(3)

    def answer(call: Call) -> Answer:
        if call.number < 3:  # which all wait for each other
            three.wait(PATIENCE)
        return Answer(call.prompt, after=0.01)

    kept, stub, _ = drive(answer, 12, Pace(concurrency=3, per_minute=0))
    assert {key: reply.text for key, reply in kept.items()} == {n: str(n) for n in range(12)}
    assert len(stub.calls) == 12
    assert stub.most_at_once == 3


def test_no_questions_are_no_work():
    assert drive([], 0)[0] == {}


def test_troubles_pass_and_are_tried_again():
    script = [Status(500), CutOff(), Garbage(), "fine"]
    kept, stub, _ = drive(script, 1, Pace(1, 0, 5, 0.01))
    assert kept[0].text == "fine"
    assert len(stub.calls) == 4
    gaps = [later.at - earlier.at for earlier, later in zip(stub.calls, stub.calls[1:], strict=False)]
    assert gaps[2] >= 0.02  # half of the third waiting


def test_what_is_tried_too_often_fails_with_the_last_reason_and_the_others_go_on():
    kept, stub, _ = drive(lambda call: Status(500) if call.prompt == "1" else "fine", 4)
    assert kept[1] == Failure("the endpoint answered 500: scripted 500", 3)
    assert [kept[n].text for n in (0, 2, 3)] == ["fine"] * 3
    assert len(stub.calls) == 3 + 3


def test_a_rejected_question_is_not_tried_again():
    kept, stub, _ = drive(lambda call: Status(400) if call.prompt == "0" else "fine", 2)
    assert kept[0].attempts == 1
    assert len(stub.calls) == 2


def test_a_wrong_key_stops_everything_at_once():
    kept, stub, error = drive([Status(401)], 50)
    assert isinstance(error, Unusable)
    assert kept == {}
    assert len(stub.calls) < 10  # of 50


def test_an_endpoint_that_is_down_is_given_up():
    kept, stub, error = drive([Status(500)], 50, Pace(2, 0, 2, 0.001, give_up_after=3))
    assert "3 questions in a row" in str(error)
    assert len(kept) == 3
    assert len(stub.calls) < 20  # of 100: on a busy machine two threads ask a little further before they are stopped


@pytest.mark.slow
def test_the_endpoint_is_left_alone_as_long_as_it_asks_for():
    _, stub, _ = drive(lambda call: Status(429, {"Retry-After": "0.4"}) if call.number == 0 else "fine", 3, Pace(1, 0))
    assert stub.calls[1].at - stub.calls[0].at >= 0.39
    assert len(stub.calls) == 4


@pytest.mark.slow
def test_the_rate_is_kept():
    """Seen where the questions are taken: how soon a thread of a busy machine sends them is not the driver's doing."""
    taken = []

    def questions():
        for number in range(4):
            taken.append(time.monotonic())
            yield number, QUESTION

    with ChatStub(["fine"]) as stub, Chat(Endpoint(stub.url, KEY, "wise")) as chat:
        ask_all(questions(), chat.ask, lambda *_: None, Pace(4, 600), rng=np.random.default_rng(1))
    assert len(stub.calls) == 4
    assert all(later - earlier >= 0.099 for earlier, later in itertools.pairwise(taken))


def test_stopping_keeps_what_is_on_its_way_and_asks_nothing_more():
    kept, stub, error = drive(lambda call: Answer("fine", after=0.05), 100, Pace(2, 0), stop_after=3)
    assert isinstance(error, KeyboardInterrupt)
    assert len(kept) == len(stub.calls) <= 5


def test_no_question_is_asked_before_the_answers_are_kept():
    """A full disk or a lost database must not go on spending."""

    def keep(key: int, reply: object) -> None:
        raise OSError("the disk is full")

    with ChatStub() as stub, Chat(Endpoint(stub.url, KEY, "wise")) as chat:
        with pytest.raises(OSError, match="full"):
            ask_all(((n, QUESTION) for n in range(50)), chat.ask, keep, Pace(2, 0), rng=np.random.default_rng(1))
        assert len(stub.calls) <= 2


@pytest.mark.slow
def test_waiting_costs_no_time_of_the_processor():
    started, cpu = time.monotonic(), time.thread_time()
    drive(lambda call: Answer("fine", after=0.5), 2, Pace(2, 0))
    assert time.monotonic() - started >= 0.5
    assert time.thread_time() - cpu < 0.3
