"""A refusal names only ways that its door has: each is taken as it is printed, for exports and evaluations."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from adjudication.exporting.options import find_exporter
from adjudication.models import Evaluation
from tests.adjudication.evaluation.evaluating import make_run
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, Triple, build_campaign

pytestmark = pytest.mark.django_db
OF_PAGE = re.compile(r"choose “([^”]+)” for “([^”]+)”", re.IGNORECASE)
OF_REST = re.compile(r"ask with (\w+)=([^\s,]+?)(?=[,.]? |\.?$|,)", re.IGNORECASE)
OF_COMMAND = re.compile(r"add (--[\w-]+) ([^\s,]+?)(?=[,.]? |\.?$|,)", re.IGNORECASE)
OF_GOLD = re.compile(r"a gold with (;\w+=\w+)", re.IGNORECASE)


def undecided() -> Built:
    built = build_campaign(
        [[1, 1, 1], [0, 1, 2], [2, 2, 2]], triples=[("1", "A", "d"), ("1", "A", "e"), ("1", "A", "f")]
    )
    vote(built)
    return built


def some_aspects_short() -> Built:
    """A document judged on one of the two aspects of its topic."""
    triples: list[Triple] = [("1", "A", "d"), ("1", "B", "d"), ("1", "A", "e")]
    built = build_campaign([[1, 1, 1], [2, 2, 2], [1, 1, 1]], triples=triples)
    vote(built)
    return built


def same_ids() -> Built:
    built = build_campaign([[1, 1, 1]], triples=[("90", "A", "90")])
    vote(built)
    return built


CASES: list[tuple[str, Callable[[], Built], int]] = [
    ("qrels", undecided, 1),
    ("qrels", some_aspects_short, 3),
    ("beir", same_ids, 2),
    ("doris-mae", some_aspects_short, 1),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "build", "count"), CASES)
def test_an_export_by_page(kind: str, build: Callable[[], Built], count: int, client: Client) -> None:
    client.force_login(build().people["manager"])
    fields = find_exporter(kind).form.base_fields
    by_label = {str(field.label): name for name, field in fields.items()}
    address = reverse("export_download", args=["tea", kind])
    refused = re.sub(r"<[^>]*>", "", unescape(client.get(address).text).partition("<main")[2])
    found = list(dict.fromkeys(OF_PAGE.findall(refused)))
    assert len(found) == count, refused
    assert not re.search(r"--\w|\b\w+=\w|manage\.py|POST", refused)
    for words, label in found:
        field = fields[by_label[label]]
        known = {str(text): word for word, text in getattr(field, "choices", ())}
        chosen = {by_label[label]: known.get(words, words)}
        assert client.get(address, chosen).status_code == 200, chosen


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "build", "count"), CASES)
def test_an_export_by_rest(kind: str, build: Callable[[], Built], count: int, client: Client) -> None:
    client.force_login(build().people["manager"])
    address = f"/api/collections/tea/exports/{kind}/"
    reason = client.get(address).json()["detail"]
    ways = OF_REST.findall(reason)
    assert len(set(ways)) == count, reason
    assert not re.search(r"--\w|“|manage\.py", reason)
    for way in ways:
        assert client.get(address, dict([way])).status_code == 200, way


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "build", "count"), CASES)
def test_an_export_by_command(kind: str, build: Callable[[], Built], count: int, tmp_path: Path) -> None:
    build()
    command = ("export", "tea", "--format", kind, "--out", str(tmp_path / "out"))
    with pytest.raises(CommandError) as error:
        call_command(*command)
    ways = OF_COMMAND.findall(str(error.value))
    assert len(set(ways)) == count, str(error.value)
    assert not re.search(r"choose “|\b\w+=\w", str(error.value))
    for way in ways:
        call_command(*command, *way)


@pytest.mark.slow
@pytest.mark.parametrize(("build", "count"), [(undecided, 1), (some_aspects_short, 3)])
def test_an_evaluation(build: Callable[[], Built], count: int, client: Client) -> None:
    """Its gold is written with its options at all three doors."""
    built = build()
    make_run(built.collection, "bm25", {"1": {"d": 2.0, "e": 1.0}})
    command = ("evaluate", "tea", "--run", "bm25", "--measure", "P@1", "--resamples", "1000", "--gold")
    with pytest.raises(CommandError) as error:
        call_command(*command, "campaign:main")
    ways = OF_GOLD.findall(str(error.value))
    assert len(set(ways)) == count, str(error.value)
    assert not re.search(r"--\w|choose “|page “", str(error.value))
    assert Evaluation.objects.get().reason == str(error.value), "as page and REST show it"
    for way in ways:
        if way == ";unit=aspect":
            continue  # another gold: the run ranks topics, not aspects
        call_command(*command, f"campaign:main{way}")


def test_where_votes_are_counted_is_said_by_door(client: Client, tmp_path: Path) -> None:
    built = build_campaign([[1, 1, 1]], triples=[("1", "A", "d")])
    client.force_login(built.people["manager"])
    page = client.get(reverse("export_download", args=["tea", "qrels"])).text
    assert "Count the votes first (page “Adjudication” of the campaign)." in page
    reason = client.get("/api/collections/tea/exports/qrels/").json()["detail"]
    address = re.findall(r"POST (\S+)\)", reason)[0]
    with pytest.raises(CommandError, match=r"Count the votes first \(manage.py adjudicate tea main\)"):
        call_command("export", "tea", "--format", "qrels", "--out", str(tmp_path / "out"))
    assert client.post(address, {}, "application/json").status_code == 202
