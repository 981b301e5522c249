"""Overlap of methods and holes of runs: counted by hand, drawn, shown by page and command."""

import json
import re
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from corpus.models import Collection, PoolEntry, PoolSource, Role, Topic
from corpus.pools import pool_report
from corpus.pools.pool_report import CUTS, Combination, holes_of_runs, overlap_of_methods
from corpus.pools.pools import pool_methods
from corpus.pools.upset import draw_upset
from tests.factories.accounts import CollectionFactory, MembershipFactory
from tests.factories.adjudication import build_campaign
from tests.factories.corpus import DocumentFactory, TopicFactory, make_run

pytestmark = pytest.mark.django_db


def pool(topic: Topic, docno: str, *methods: str) -> None:
    entry = PoolEntry.objects.create(topic=topic, document=topic.collection.documents.get(docno=docno))
    PoolSource.objects.bulk_create(PoolSource(entry=entry, method=method) for method in methods)


@pytest.fixture
def collection() -> Collection:
    collection = CollectionFactory(slug="tea")
    topic = TopicFactory(collection=collection, number="1")
    for number in range(1, 6):
        DocumentFactory(collection=collection, docno=f"D{number}")
    pool(topic, "D1", "b", "a")
    pool(topic, "D2", "a", "b")
    pool(topic, "D3", "a")
    pool(topic, "D4", "c")
    return collection


def test_combinations_count_what_exactly_these_methods_found(collection: Collection) -> None:
    found = overlap_of_methods(collection)
    assert found.combinations == [Combination(("a", "b"), 2), Combination(("a",), 1), Combination(("c",), 1)]
    assert (found.total, found.pairs) == (3, 4)


def test_totals_count_the_combinations_that_are_not_shown(
    collection: Collection, client: Client, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of three combinations are shown; the totals of methods are still those of the list of pools."""
    pool(collection.topics.get(), "D5", "c", "a")
    monkeypatch.setattr(pool_report, "SHOWN", 2)
    found = overlap_of_methods(collection)
    assert [each.methods for each in found.combinations] == [("a", "b"), ("a",)]
    assert found.methods == {method.name: method.entries for method in pool_methods(collection)}
    assert found.methods == {"a": 4, "b": 2, "c": 2}
    assert (found.others, found.pairs_of_others, found.pairs) == (2, 2, 5)
    plot = draw_upset(found)
    assert [(row.name, row.pairs) for row in plot.rows] == [("a", 4), ("b", 2), ("c", 2)]
    client.force_login(MembershipFactory(collection=collection, role=Role.VIEWER).user)
    page = client.get(reverse("pool_report", args=["tea"])).content.decode()
    assert "2 other combinations" in page
    call_command("pool_report", "tea", as_json=True)
    printed = capsys.readouterr()
    assert json.loads(printed.out)["methods"] == {"a": 4, "b": 2, "c": 2}
    assert "2 other combinations: 2" in printed.err


def test_the_plot_has_a_bar_for_each_and_dots_for_its_methods(collection: Collection) -> None:
    plot = draw_upset(overlap_of_methods(collection))
    assert [(row.name, row.pairs) for row in plot.rows] == [("a", 3), ("b", 2), ("c", 1)]
    assert [[dot.is_in for dot in column.dots] for column in plot.columns] == [
        [True, True, False],
        [True, False, False],
        [False, False, True],
    ]
    assert plot.columns[0].bar_height == 2 * plot.columns[1].bar_height
    assert all(column.x < plot.width for column in plot.columns)
    assert all(row.y < plot.height for row in plot.rows)


def test_the_plot_on_the_page_has_the_figures_of_its_table(collection: Collection, client: Client) -> None:
    client.force_login(MembershipFactory(collection=collection, role=Role.VIEWER).user)
    page = client.get(reverse("pool_report", args=["tea"])).content.decode()
    plot, after = page.split('<svg class="upset"')[1].split("</svg>")
    body = after.split("<tbody>")[1].split("</tbody>")[0]
    names = re.findall(r'class="name">([^<]+)<title>', plot)
    height = dict(zip(re.findall(r'y="(\d+)" class="name"', plot), names, strict=True))
    drawn = [
        ([height[y] for y in re.findall(r'class="in" cx="\d+" cy="(\d+)"', column)], column.split("</text>")[0][-1])
        for column in re.split(r'(?=<rect class="bar")', plot)[1:]
    ]
    listed = [
        (re.findall(r'badge break">([^<]+)<', row), re.findall(r'data-label="Pairs">(\d+)', row)[0])
        for row in body.split("</tr>")[:-1]
    ]
    assert drawn == listed == [(["a", "b"], "2"), (["a"], "1"), (["c"], "1")]
    high = [float(each) for each in re.findall(r'<rect class="bar"[^>]*? height="([\d.]+)"', plot)]
    assert [each / high[0] for each in high] == [1, 0.5, 0.5]


def test_holes_are_what_nobody_judged_at_each_cut(django_assert_num_queries: Any) -> None:
    built = build_campaign([[1, 1, None], [None, None, None]], triples=[("7", "tea", "D1"), ("7", "tea", "D2")])
    topic = Topic.objects.get(number="7")
    DocumentFactory(collection=built.collection, docno="D3")
    for docno in ("D1", "D2"):
        PoolEntry.objects.get_or_create(topic=topic, document=built.collection.documents.get(docno=docno))
    TopicFactory(collection=built.collection, number="8")
    make_run(built.collection, "bm25", {"7": ["D1", "D3", "stranger", "D2"], "8": ["D1"]})
    make_run(built.collection, "elsewhere", {"8": ["D1"]})
    with django_assert_num_queries(1):
        (run,) = holes_of_runs(built.collection)
    assert (run.name, run.topics) == ("bm25", 1)
    assert [hole.cut for hole in run.holes] == list(CUTS)
    first = run.holes[0]
    assert (first.documents, first.unjudged, first.unpooled) == (4, 3, 2)
    assert (first.unjudged_percent, first.unpooled_percent) == (75, 50)


def test_page_and_command(collection: Collection, client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(collection, "bm25", {"1": ["D1", "D5"]})
    client.force_login(MembershipFactory(collection=collection, role=Role.VIEWER).user)
    page = client.get(reverse("pool_report", args=["tea"])).content.decode()
    assert "<svg" in page
    assert "100.0%" in page
    assert "50.0% not pooled" in page
    by_api = client.get("/api/collections/tea/pools/report/").json()
    assert (by_api["pairs"], by_api["total"], by_api["combinations"][0]["pairs"]) == (4, 3, 2)
    assert by_api["runs"][0]["holes"][0] == {"cut": 5, "documents": 2, "unjudged": 2, "unpooled": 1}
    call_command("pool_report", "tea", as_json=True)
    result = json.loads(capsys.readouterr().out)
    assert result["combinations"][0] == {"methods": ["a", "b"], "pairs": 2}
    assert result["holes"][0]["holes"][0] == {"cut": 5, "documents": 2, "unjudged": 2, "unpooled": 1}


def test_nothing_to_report(client: Client) -> None:
    collection = CollectionFactory(slug="new")
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    page = client.get(reverse("pool_report", args=["new"])).content.decode()
    assert "No pools yet" in page
    assert "No run ranks documents" in page
    pool(TopicFactory(collection=collection), DocumentFactory(collection=collection).docno)
    page = client.get(reverse("pool_report", args=["new"])).text
    assert "No pools yet" not in page
    assert "No methods to compare" in page
