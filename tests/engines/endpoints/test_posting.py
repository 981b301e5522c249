"""Messages posted to real servers on loopback that misbehave: bounded time and memory, no redirects, the guard."""

import time
from ipaddress import ip_network

import pytest

from engines.endpoints.guard import Guard
from engines.endpoints.posting import LONGEST_ANSWER, Posted, post
from tests.stubs.chat import ChatStub, CutOff, Garbage, Hang, Status, Step, Trickle

HERE = Guard((ip_network("127.0.0.1/32"),))
BODY = b'{"type":"ping"}'


def posted(step: Step, guard: Guard = HERE, seconds: float = 5.0) -> Posted:
    with ChatStub([step]) as stub:
        found = post(stub.url, BODY, {"webhook-id": "msg_1"}, guard, seconds=seconds)
        assert [call.sent for call in stub.calls] == ([BODY] if found.status or "no answer" in found.problem else [])
        return found


def test_the_status_and_the_beginning_of_the_answer_come_back() -> None:
    found = posted(Status(202, body=b"thank you"))
    assert (found.status, found.answer, found.problem, found.retry_after) == (202, "thank you", "", None)
    assert posted(Garbage(b"\0\xff" + b"x" * 10_000_000)).answer[:3] == "\ufffd\ufffdx"
    assert len(posted(Garbage(b"x" * 10_000_000)).answer) == LONGEST_ANSWER
    assert posted(CutOff()).status == 200  # the status has come


def test_redirects_are_not_followed_and_pauses_are_read() -> None:
    assert posted(Status(302, {"Location": "http://127.0.0.1:1/"})).status == 302
    assert posted(Status(429, {"Retry-After": "7"})).retry_after == 7
    assert posted(Status(503, {"Retry-After": "999999999"})).retry_after == 24 * 3600


@pytest.mark.parametrize("step", [Hang(), Trickle(seconds=0.02, is_header=True)])
def test_an_answer_that_does_not_come_ends(step: Step) -> None:
    """Also where single bytes of a header come again and again."""
    started = time.monotonic()
    assert posted(step, seconds=0.3).problem == "no answer within 0.3 seconds"
    assert time.monotonic() - started < 5


def test_a_body_that_never_ends_is_not_waited_for() -> None:
    started = time.monotonic()
    assert posted(Trickle(seconds=0.02), seconds=0.3).status == 200
    assert time.monotonic() - started < 5


def test_inner_addresses_are_refused_and_plain_http_leads_inside_only() -> None:
    assert "inside the server's own network" in posted(Status(200), Guard()).problem
    inner = Guard(HERE.allowed, is_inner=True)
    assert posted(Status(200), inner).status == 200
    outside = Guard(HERE.allowed, is_inner=True, resolve=lambda _host, _port: ["93.184.215.14"])
    assert "give an address that begins with https" in posted(Status(200), outside).problem


def test_what_no_client_can_reach_has_a_reason() -> None:
    for address in ("http://127.0.0.1:1/", "http://127.0.0.1:99999/"):
        found = post(address, BODY, {}, HERE)
        assert (found.status, bool(found.problem)) == (None, True), address
