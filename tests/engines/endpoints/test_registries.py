"""Crossref and OpenAlex over HTTP, asked politely; answers in their real shapes come from a server on loopback."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.endpoints import registries
from engines.endpoints.registries import Registered, Registry, RegistryClient, RegistryFailed
from engines.pdf.linking import registered_link
from engines.pdf.reference_fields import parse_reference
from tests.stubs.registries import RegistryStub, Reply, crossref, item, openalex, result

TITLE = "Long-Tail Questions in Archives"


def asker(stub: RegistryStub, kind: Any = "crossref", **more: Any) -> RegistryClient:
    own = {name: more.pop(name) for name in ("cache", "check") if name in more}
    options = {"pause": 0.0, "mailto": "litmus@a.example", "timeout": 60.0} | more
    return RegistryClient(Registry(kind, stub.url, **options), **own)


def test_crossref() -> None:
    became = {"is-preprint-of": [{"id-type": "doi", "id": "10.1/B", "asserted-by": "subject"}]}
    preprint = item("10.1/P", TITLE, type="posted-content", subtype="preprint", relation=became)
    answer = crossref(
        item("10.1/A", "Long-Tail <i>Questions</i>\n in Archives"), preprint, item("10.1/C", "X", year=None)
    )
    with RegistryStub([answer]) as stub, asker(stub) as asking:
        found = asking.find(TITLE, "Smith", 2019)
    venue = "Proceedings of the Archive Conference"
    assert found[0] == Registered(
        "crossref", "10.1/a", TITLE, ("Smith, Ada",), 2019, venue, False, "", "https://doi.org/10.1/a"
    )
    assert (found[1].is_preprint, found[1].refereed, found[2].year) == (True, "10.1/b", None)
    (call,) = stub.calls
    assert call["query.bibliographic"] == f"{TITLE} Smith 2019"
    assert (call["rows"], call["mailto"]) == ("5", "litmus@a.example")
    assert "mailto:litmus@a.example" in stub.agents[0]


def test_openalex() -> None:
    free = {"is_oa": True, "oa_status": "green", "oa_url": "https://a.example/free.pdf"}
    answer = openalex(
        result("10.1/A", TITLE), result(None, "A report", type="preprint", open_access=free), result(None, "Nowhere")
    )
    with RegistryStub([answer]) as stub, asker(stub, "openalex", key="secret") as asking:
        found = asking.find("Long-tail: questions, in archives?")
    assert [(each.doi, each.is_preprint, each.address) for each in found] == [
        ("10.1/a", False, "https://a.example/1"),
        ("", True, "https://a.example/free.pdf"),
    ]
    assert found[0].authors == ("Ada Smith",)
    assert stub.calls[0]["search"].split() == "Long-tail questions in archives".split()
    assert stub.calls[0]["api_key"] == "secret"
    assert "secret" not in repr(asking.registry)


def test_an_answer_is_asked_for_once() -> None:
    kept: dict[str, str] = {}
    with RegistryStub([crossref(item("10.1/a", TITLE))]) as stub:
        with asker(stub, cache=kept) as asking:
            assert asking.find(TITLE) == asking.find(f" {TITLE} ")
        with asker(stub, cache=kept) as asking:
            assert asking.find(TITLE)[0].doi == "10.1/a"
    assert len(stub.calls) == 1
    assert not any("litmus@a.example" in key for key in kept)


def test_no_title_asks_nothing() -> None:
    with RegistryStub([crossref()]) as stub, asker(stub) as asking:
        assert asking.find("  ") == []
    assert stub.calls == []


@pytest.mark.slow
def test_there_is_a_pause_between_requests_and_crossrefs_own_rate_counts() -> None:
    limits = {"X-Rate-Limit-Limit": "5", "X-Rate-Limit-Interval": "1s"}
    with RegistryStub([crossref(**limits)]) as stub, asker(stub) as asking:
        for title in ("one", "two", "three"):
            asking.find(title)
    gaps = [later - earlier for earlier, later in zip(stub.times, stub.times[1:], strict=False)]
    assert all(gap >= 0.19 for gap in gaps)


@pytest.mark.parametrize(
    "bad",
    [
        Reply(429, {"Retry-After": "0"}),
        Reply(503),
        Reply(200, {}, b"x" * 1000, cut=True),
    ],
    ids=["429", "503", "cut off"],
)
def test_what_may_pass_is_tried_again(bad: Reply) -> None:
    with RegistryStub([bad, crossref(item("10.1/a", TITLE))]) as stub, asker(stub) as asking:
        assert asking.find(TITLE)[0].doi == "10.1/a"
    assert len(stub.calls) == 2


def test_silence_is_not_waited_for() -> None:
    with RegistryStub([Reply(after=600), crossref(item("10.1/a", TITLE))]) as stub, asker(stub, timeout=0.5) as asking:
        assert asking.find(TITLE)[0].doi == "10.1/a"
    assert len(stub.calls) >= 2  # on a busy machine the good answer can be late as well


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (Reply(400), "refused the request with status 400"),
        (Reply(302, {"Location": "http://127.0.0.1:1/"}), "status 302"),
        (Reply(503), "gave no answer: status 503"),
        (Reply(429, {"Retry-After": "86400"}), "gave no answer: status 429"),
        (Reply(body=b"<html>"), "invalid answer"),
        (Reply(body=b"[1]"), "invalid answer"),
        (Reply(body=b"[" * 100_000), "invalid answer"),
        (Reply(body=b" " * 2_000), "more than 0 MB"),
        (Reply(body=b" " * 200, drip=0.05), "the answer was not complete after 0.6 seconds"),
        (Reply(429, {"Retry-After": "9" * 5_000}), "gave no answer: status 429"),
        (Reply(429, {"Retry-After": "\xb2"}), "gave no answer: status 429"),
    ],
)
def test_lasting_failures_are_reported(bad: Reply, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if b"  " in bad.body:
        monkeypatch.setattr(registries, "MOST_BYTES", 1_000)
    monkeypatch.setattr(registries, "LONGEST_TIMES", 0.01)  # so that gaps between bytes are no time-outs
    kept: dict[str, str] = {}
    with (
        RegistryStub([bad]) as stub,
        asker(stub, cache=kept, attempts=2, timeout=60 if bad.drip else 6000) as asking,
        pytest.raises(RegistryFailed, match=reason),
    ):
        asking.find(TITLE)
    assert kept == {}
    assert len(stub.calls) <= 2


def test_a_rate_that_is_none_changes_nothing() -> None:
    for limit, interval in (("9" * 5_000, "1s"), ("\xb2", "1s"), ("50", "-1s"), ("0", "1s"), ("1", "999999999s")):
        rate = {"X-Rate-Limit-Limit": limit, "X-Rate-Limit-Interval": interval}
        with RegistryStub([crossref(item("10.1/a", TITLE), **rate)]) as stub, asker(stub) as asking:
            assert asking.find(TITLE)[0].doi == "10.1/a"
            assert asking.pause <= registries.LONGEST_PAUSE


def test_what_registries_say_can_be_stored() -> None:
    works = (
        item("10.1/a\x00", TITLE),
        item("10.1/ b", TITLE),
        item("javascript:x", TITLE),
        item("10.1/C", "T\x00\ud800e"),
    )
    with RegistryStub([crossref(*works)]) as stub, asker(stub) as asking:
        assert [(each.doi, each.title) for each in asking.find(TITLE)] == [("10.1/a", TITLE), ("10.1/c", "T e")]


def test_nobody_there() -> None:
    failing = pytest.raises(RegistryFailed, match="OpenAlex gave no answer: the connection failed")
    with RegistryClient(Registry("openalex", "http://127.0.0.1:9", pause=0.0, attempts=2)) as asking, failing:
        asking.find(TITLE)


class Stopped(Exception):
    pass


def test_a_pause_can_be_broken_off() -> None:
    looked: list[int] = []

    def check() -> None:
        looked.append(1)
        if len(looked) > 2:
            raise Stopped

    with (
        RegistryStub([Reply(429, {"Retry-After": "60"})]) as stub,
        asker(stub, check=check) as asking,
        pytest.raises(Stopped),
    ):
        asking.find(TITLE)
    assert len(stub.calls) == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["message", "items", "DOI", "title", "author", "issued", "date-parts", "results", "doi", "authorships"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["message", "results"]), json_values))
def test_any_object_is_read(answer: dict[str, Any]) -> None:
    for read in (registries._crossref, registries._openalex):
        assert all(each.title for each in read(answer))


# --- links ------------------------------------------------------------------------------------------------------------

FOUND = Registered("crossref", "10.1/a", TITLE, ("Smith, Ada",), 2019)


def test_a_publication_that_fits_is_the_link() -> None:
    reference = parse_reference("7", "Ada Smith. 2019. Long-tail questions in archives. In Proc.")
    found = registered_link(
        reference, [FOUND, replace(FOUND, registry="openalex"), replace(FOUND, doi="10.1/z", title="Else")]
    )
    assert (found.key, found.docno, found.refereed) == ("7", "10.1/a", "")
    assert [each.docno for each in found.candidates] == ["10.1/a", "10.1/a", "10.1/z"]


@pytest.mark.parametrize(
    "other",
    [
        replace(FOUND, authors=("Zhu, Zoe",)),
        replace(FOUND, year=1999),
        replace(FOUND, title="Short-Tail Questions of Other People"),
        replace(FOUND, doi="", address="https://a.example"),
        replace(FOUND, is_preprint=True),
    ],
)
def test_what_does_not_fit_is_no_link(other: Registered) -> None:
    reference = parse_reference("7", "Ada Smith. 2019. Long-tail questions in archives. In Proc.")
    assert registered_link(reference, [other]).docno == ""


def test_two_dois_for_one_title_are_not_guessed() -> None:
    reference = parse_reference("7", "Ada Smith. 2019. Long-tail questions in archives. In Proc.")
    found = registered_link(reference, [FOUND, replace(FOUND, doi="10.1/b")])
    assert (found.docno, found.is_ambiguous) == ("", True)


def test_a_preprint_is_not_replaced_but_its_refereed_version_is_named() -> None:
    reference = parse_reference("7", "Ada Smith. 2019. Long-tail questions in archives. arXiv preprint.")
    preprint = replace(FOUND, doi="10.48550/arxiv.1", is_preprint=True)
    found = registered_link(reference, [FOUND, preprint])
    assert (found.docno, found.refereed) == ("10.48550/arxiv.1", "10.1/a")
    assert registered_link(reference, [FOUND]).refereed == "10.1/a"
    assert registered_link(reference, [FOUND]).docno == ""
    assert registered_link(reference, [replace(preprint, refereed="10.1/q")]).refereed == "10.1/q"
