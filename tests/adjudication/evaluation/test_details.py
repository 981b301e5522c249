"""Pages of a done evaluation: one run, one topic, two runs, every pair, plots as files; judging what is unjudged."""

import json
import re
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from accounts import jobs
from adjudication.evaluation.golds.registry import read_gold
from adjudication.evaluation.measured import BEHIND, BEST, compare_pair, fetch_measured, pair_matrix, topic_values
from adjudication.evaluation.rankings import topic_texts, tops_of
from adjudication.evaluation.topics import topic_page
from adjudication.evaluation.unjudged import fetch_unjudged, pairs_of
from adjudication.models import Evaluation, Verdict
from annotation.models import Assignment, Campaign, Item
from corpus.models import Document, PartRanking, PoolEntry, Ranking, RetrievalRun, SubQuery, Topic
from engines import extras
from engines.definitions.settings import NAME
from tests.adjudication.evaluation.evaluating import make_run
from tests.factories.adjudication import AT, Built

pytestmark = pytest.mark.django_db

LABEL = r'<li>([^<]+) <span class="visually-hidden">([^<]+)</span></li>'


@pytest.fixture(scope="module")
def shared_job(shared_built: Built) -> Evaluation:
    """`good`, `half` and `stray`, which puts two documents first on topic 1 that nobody judged; one is not here."""
    Document.objects.create(collection=shared_built.collection, docno="new", title="A new document")
    make_run(shared_built.collection, "stray", {"1": {"new": 9, "elsewhere": 8, "d1": 2}})
    found = Evaluation.objects.create(
        collection=shared_built.collection,
        requested_by=shared_built.people["manager"],
        requested_at=AT,
        parameters={
            "gold": "campaign:main",
            "runs": ["good", "half", "stray"],
            "measures": ["AP", "P@5"],
            "resamples": 1000,
            "random": True,
        },
    )
    jobs.carry_out(found)
    found.refresh_from_db()
    assert found.results, found.reason
    return found


@pytest.fixture
def job(built: Built, shared_job: Evaluation) -> Evaluation:
    return Evaluation.objects.get(pk=shared_job.pk)


def page(client: Client, job: Evaluation, name: str, **query: Any) -> str:
    answer = client.get(reverse(name, args=["tea", job.pk]), query)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


@pytest.mark.slow
def test_a_run_with_its_figures_topics_and_what_it_lacks(
    client: Client, built: Built, job: Evaluation, django_assert_max_num_queries: Any
) -> None:
    client.force_login(built.people["viewer"])
    with django_assert_max_num_queries(30):
        text = page(client, job, "evaluation_run", run="half")
    assert "Results of run <bdi>half</bdi></h1>" in text
    figures = job.results["report"]["subsets"][0]["runs"]["half"]
    ap, precision = figures["AP"], figures["P@5"]
    assert f"{100 * ap['value']:.2f}" in text
    assert f"{100 * ap['low']:.2f} to {100 * ap['high']:.2f}" in text
    assert "nothing for 3 of 12 topics" in " ".join(text.split())
    assert precision["unjudged_high"] == precision["value"], "every document that it ranks is judged"
    stray = job.results["report"]["subsets"][0]["runs"]["stray"]
    assert stray["P@5"]["unjudged_high"] == pytest.approx(stray["P@5"]["value"] + 2 / 5 / precision["n_topics"])
    assert stray["AP"]["unjudged_high"] is None
    part = fetch_measured(job)
    assert part is not None
    rows = topic_values(part, "half", "AP", BEHIND, {})
    gaps = [row.gap for row in rows if row.gap is not None]
    assert gaps == sorted(gaps)
    others = np.mean([part.of(run, "AP")[part.topics.index(rows[0].topic)] for run in part.runs if run != "half"])
    assert rows[0].other == pytest.approx(others)
    best = [row.value for row in topic_values(part, "half", "AP", BEST, {}) if row.value is not None]
    assert best == sorted(best, reverse=True)
    assert page(client, job, "evaluation_run", run="Random", order="best")
    for wrong in ({"run": "gone"}, {"run": "half", "measure": "R@5"}, {"run": "half", "order": "x"}, {"part": "7"}):
        assert client.get(reverse("evaluation_run", args=["tea", job.pk]), wrong).status_code == 404


@pytest.mark.slow
def test_a_topic_with_ranks_and_what_is_unjudged(
    client: Client, built: Built, job: Evaluation, django_assert_max_num_queries: Any
) -> None:
    client.force_login(built.people["viewer"])
    with django_assert_max_num_queries(49):
        text = page(client, job, "evaluation_topic", topic="1")
    part = fetch_measured(job)
    assert part is not None
    view = topic_page(built.collection, part, read_gold(built.collection, "campaign:main"), "1", 5)
    assert [name for _, name in view.runs] == ["good", "half", "stray"]
    assert {number for number, _ in view.runs} == {part.runs.index(name) + 1 for _, name in view.runs}
    ranking = Ranking.objects.get(run__name="good", topic__number="1").docnos
    relevant = {row.docno: row.ranks[0] for row in view.relevant}
    assert relevant == {docno: ranking.index(docno) + 1 if docno in ranking else None for docno in relevant}
    gold = read_gold(built.collection, "campaign:main").gold
    at = gold.topics.index("1")
    assert len(relevant) == int(((gold.topic == at) & (gold.level >= 1)).sum())
    assert [(row.docno, row.title, row.ranks) for row in view.unjudged] == [
        ("new", "A new document", (None, None, 1)),
        ("elsewhere", None, (None, None, 2)),
    ]
    assert not view.is_changed
    assert "2 documents that the gold does not know among the first 10" in text
    assert "not in the collection" in text
    assert "Judge these" not in text, "for managers"
    assert "changed since" not in text
    client.force_login(built.people["manager"])
    assert "Judge these" in page(client, job, "evaluation_topic", topic="1")
    assert client.get(reverse("evaluation_topic", args=["tea", job.pk]), {"topic": "99"}).status_code == 404


@pytest.mark.slow
def test_what_has_changed_since_is_said(client: Client, built: Built, job: Evaluation) -> None:
    client.force_login(built.people["viewer"])
    stray = RetrievalRun.objects.get(name="stray")
    places = read_gold(built.collection, "campaign:main").gold.places[0]
    gains = read_gold(built.collection, "campaign:main").gold.gain
    relevant = max(places, key=lambda docno: gains[places[docno]])
    stray.rankings.update(docnos=[relevant, "new", "elsewhere"])
    assert "has changed since this evaluation" in page(client, job, "evaluation_topic", topic="1")
    assert "has changed since this evaluation" not in page(client, job, "evaluation_topic", topic="2")
    stray.delete()
    text = page(client, job, "evaluation_topic", topic="1")
    assert "The gold knows every document among the first 10 of every run" in text
    Verdict.objects.filter(item__document__docno="d1", item__topic__number="2").update(value=None, probability=None)
    assert "Relevant documents" in page(client, job, "evaluation_topic", topic="2"), "shown as far as it is decided"
    Verdict.objects.all().delete()
    text = page(client, job, "evaluation_topic", topic="1")
    assert "The ranks of the documents are not shown" in text


def test_run_against_run_by_topic(client: Client, built: Built, job: Evaluation) -> None:
    client.force_login(built.people["viewer"])
    part = fetch_measured(job)
    assert part is not None
    pair = compare_pair(part, "good", "half", "AP", {})
    one, two = part.of("good", "AP"), part.of("half", "AP")
    assert (pair.wins, pair.losses, pair.ties) == (
        int((one > two).sum()),
        int((one < two).sum()),
        int((one == two).sum()),
    )
    assert pair.defined + pair.undefined == len(part.topics)
    assert pair.mean == pytest.approx(float(np.nanmean(one - two)))
    tests = {each["test"]: each for each in pair.tests}
    assert set(tests) == {"paired-t", "randomisation"}
    assert compare_pair(part, "half", "good", "AP", {}).tests == pair.tests
    text = " ".join(page(client, job, "evaluation_topics", a="good", b="half", measure="AP").split())
    assert f"good is higher on {pair.wins} topic" in text
    assert "gap-plot" in text
    assert text.count("<rect") == pair.defined
    assert "Choose two different runs" in page(client, job, "evaluation_topics", a="good", b="good")
    assert "This pair was not tested" in page(client, job, "evaluation_topics", a="good", b="Random")


def test_every_pair_of_runs(client: Client, built: Built, job: Evaluation) -> None:
    client.force_login(built.people["viewer"])
    part = fetch_measured(job)
    assert part is not None
    matrix = pair_matrix(part, "AP", "paired-t")
    runs = [row.run for row in matrix.rows]
    assert [row.value for row in matrix.rows] == sorted((row.value for row in matrix.rows), reverse=True)
    cell = matrix.rows[runs.index("good")].cells[runs.index("stray")]
    (test,) = (
        each
        for each in job.results["report"]["tests"]
        if (each["a"], each["b"], each["measure"], each["test"]) == ("good", "stray", "AP", "paired-t")
    )
    assert (cell.difference, cell.p, cell.p_holm) == (test["difference"], test["p"], test["p_holm"])
    assert matrix.rows[runs.index("stray")].cells[runs.index("good")].difference == -test["difference"]
    assert matrix.n_tests == 6, "three pairs on two measures"
    assert matrix.rows[runs.index("Random")].cells[runs.index("good")].why == "not tested"
    taken = {
        form: client.get(reverse("evaluation_matrix_file", args=["tea", job.pk, form]), {"measure": "AP"}).text
        for form in ("csv", "md", "tex")
    }
    (line,) = (line for line in taken["csv"].splitlines() if line.startswith("good,stray,"))
    assert float(line.split(",")[3]) == cell.difference
    assert len(taken["csv"].splitlines()) == 1 + 4 * 3, "every run against every other"
    assert "Holm-adjusted for all 6 comparisons" in taken["md"]
    assert taken["tex"].startswith(r"\begin{table}")
    assert client.get(reverse("evaluation_matrix_file", args=["tea", job.pk, "svg"])).status_code == 404
    text = page(client, job, "evaluation_matrix", measure="AP", test="randomisation")
    assert "all 6 comparisons of this test" in " ".join(text.split())


def test_the_plot_has_the_figures_of_the_table(client: Client, built: Built, job: Evaluation) -> None:
    """Each run is in it, with its interval as text; what is undefined is said and has no point."""
    client.force_login(built.people["manager"])
    assert job.results
    cells = {row["label"]: row["cells"][0] for row in job.results["table"]["rows"]}
    shown = page(client, job, "evaluation_detail", sort="0")
    assert "<strong>Next:</strong>" in shown
    order = sorted(cells.values(), key=lambda cell: -cell["value"])
    words = {
        name: f", {100 * cell['low']:.2f} to {100 * cell['high']:.2f}"
        for name, cell in cells.items()
        if cell["low"] is not None
    }
    assert dict(re.findall(LABEL, shown)) == {
        name: cell["text"] + words.get(name, ", no interval") for name, cell in cells.items()
    }
    points = [float(at) for at in re.findall(r'class="point" cx="([\d.]+)%"', shown)]
    spans = re.findall(r'class="span" x="([\d.]+)%" y="\d+" width="([\d.]+)%"', shown)
    unit = (points[0] - points[-1]) / (order[0]["value"] - order[-1]["value"])  # percent of the width for 1
    assert points == pytest.approx([points[0] - unit * (order[0]["value"] - cell["value"]) for cell in order], abs=0.1)
    with_intervals = [(point, cell) for point, cell in zip(points, order, strict=True) if cell["low"] is not None]
    for (point, cell), (at, width) in zip(with_intervals, spans, strict=True):
        assert float(at) == pytest.approx(point - unit * (cell["value"] - cell["low"]), abs=0.1)
        assert float(width) == pytest.approx(unit * (cell["high"] - cell["low"]), abs=0.1)
    for left, name in ((len(cells) - 1, order[0]), (0, None)):
        for cell in [name] if name else order:
            cell.update(text="–", value=None, low=None, high=None, why="the run ranks no topic of the gold")
        job.save()
        shown = page(client, job, "evaluation_detail", sort="0")
        assert shown.count('class="point"') == left
        assert '<a href="?sort=1">' in shown
        assert ("No run has a value in this column" in shown) == (left == 0)
        if left:
            assert re.findall(LABEL, shown)[-1][1] == "undefined: the run ranks no topic of the gold"


@pytest.mark.slow
def test_the_plot_as_svg_and_pdf_says_what_it_assumes(
    client: Client, built: Built, job: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(built.people["viewer"])
    for form, begins, kind in (("svg", b"<?xml", "image/svg+xml"), ("pdf", b"%PDF", "application/pdf")):
        answer = client.get(reverse("evaluation_plot", args=["tea", job.pk, form]), {"sort": 1})
        assert (answer.status_code, answer["Content-Type"]) == (200, kind)
        assert answer.content.startswith(begins)
        again = client.get(reverse("evaluation_plot", args=["tea", job.pk, form]), {"sort": 1})
        assert answer.content == again.content
    drawn = client.get(reverse("evaluation_plot", args=["tea", job.pk, "svg"])).content.decode()
    for words in ("AP in percent", "verdicts of Main round", "count as not relevant", "good"):
        assert words in drawn, words
    assert client.get(reverse("evaluation_plot", args=["tea", job.pk, "png"])).status_code == 404
    for unknown in ("99", "x", "²"):
        for name, more in (("evaluation_plot", ["svg"]), ("evaluation_detail", [])):
            address = reverse(name, args=["tea", job.pk, *more])
            assert client.get(address, {"sort": unknown}).status_code == 404, "not the first column"
    assert client.get(reverse("evaluation_run", args=["tea", job.pk]), {"part": "x"}).status_code == 404
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    without = page(client, job, "evaluation_detail")
    assert "Install litmus-ir[figures]" in without
    assert reverse("evaluation_plot", args=["tea", job.pk, "svg"]) not in without


@pytest.mark.slow
def test_each_file_that_the_pages_offer_is_given(client: Client, built: Built, job: Evaluation) -> None:
    client.force_login(built.people["viewer"])
    pages = (
        page(client, job, "evaluation_detail", sort=1, se="on"),
        page(client, job, "evaluation_matrix", measure="P@5"),
    )
    names = [("evaluation_table", form) for form in ("csv", "md", "tex", "figures")]
    names += [("evaluation_plot", form) for form in ("svg", "pdf")]
    names += [("evaluation_matrix_file", form) for form in ("csv", "md", "tex")]
    addresses = [reverse(name, args=["tea", job.pk, form]) for name, form in names]
    offered = [unescape(each) for text in pages for each in re.findall(r'href="([^"]+)"', text)]
    found = {each: [one for one in offered if one.partition("?")[0] == each] for each in addresses}
    assert all(found.values()), "each form of each"
    assert {client.get(one).status_code for each in found.values() for one in each} == {200}


class TestJudging:
    def ask(self, client: Client, job: Evaluation, **more: Any) -> Any:
        sent = {"topics": "1", "depth": "10", "campaign": "", "name": "Second look", **more}
        return client.post(reverse("evaluation_judging", args=["tea", job.pk]), sent)

    @pytest.mark.slow
    def test_a_new_draft_gets_items_of_the_unjudged_documents_alone(
        self, client: Client, built: Built, job: Evaluation
    ) -> None:
        client.force_login(built.people["manager"])
        text = page(client, job, "evaluation_judging", topics="1")
        assert escape("Unjudged documents of evaluation") in text
        answer = self.ask(client, job)
        draft = Campaign.objects.get(name="Second look")
        assert answer["Location"] == reverse("item_list", args=["tea", draft.slug])
        assert (draft.state, draft.overlap) == ("draft", built.campaign.overlap)
        assert list(draft.criteria.values_list("key", flat=True)) == [built.criterion.key]
        items = draft.items.values_list("topic__number", "document__docno", "aspect__text")
        assert sorted(items) == [("1", "new", "aspect 1"), ("1", "new", "aspect 2")]
        assert list(PoolEntry.objects.get(document__docno="new").sources.values_list("method", flat=True)) == [
            "by-hand"
        ]
        said = client.get(answer["Location"]).content.decode()
        assert "2 items of 1 document added" in said
        assert "1 more document is not in the collection" in said

    def test_a_new_draft_may_be_called_as_any_campaign(self, client: Client, built: Built, job: Evaluation) -> None:
        """REST refused names of more than 100 characters, which it had taken."""
        client.force_login(built.people["manager"])
        asked = {"depth": 10, "name": "N" * NAME.most}
        answer = client.post(f"/api/collections/tea/evaluations/{job.pk}/judging/", asked, "application/json")
        assert answer.status_code == 201
        assert Campaign.objects.filter(name=asked["name"]).exists()

    def test_an_open_campaign_gets_them_once(self, client: Client, built: Built, job: Evaluation) -> None:
        client.force_login(built.people["manager"])
        before = built.campaign.items.count()
        assert self.ask(client, job, campaign="main", topic="").status_code == 302
        assert built.campaign.items.count() == before + 2
        again = self.ask(client, job, campaign="main", topic="")
        assert again.status_code == 422
        assert escape("The gold's campaign has items of the 1 document already") in again.content.decode()

    @pytest.mark.slow
    def test_refusals(self, client: Client, built: Built, job: Evaluation) -> None:
        client.force_login(built.people["manager"])
        nothing = self.ask(client, job, topics="2")
        assert (nothing.status_code, Campaign.objects.filter(name="Second look").exists()) == (422, False)
        assert "there is nothing left to judge" in nothing.content.decode()
        assert "The gold has no topic 99." in self.ask(client, job, topics="1 99").content.decode()
        assert "or give a new draft a name" in self.ask(client, job, name=" ").content.decode()
        Document.objects.filter(docno="new").delete()
        assert "None of the 2 unjudged documents is in the collection" in self.ask(client, job).content.decode()
        assert not Item.objects.filter(document__docno="new").exists()

    def test_counts_by_depth(self, built: Built, job: Evaluation) -> None:
        found = read_gold(built.collection, "campaign:main")
        rows, counts = fetch_unjudged(built.collection, found, ["stray", "good"], 50)
        assert {(row.topic, row.docno, row.rank) for row in rows} == {("1", "new", 1), ("1", "elsewhere", 2)}
        assert [(each.depth, each.documents, each.topics) for each in counts] == [(d, 2, 1) for d in (5, 10, 20, 50)]

    @pytest.mark.slow
    def test_by_command_and_rest(
        self, client: Client, built: Built, job: Evaluation, capsys: pytest.CaptureFixture[str]
    ) -> None:
        address = f"/api/collections/tea/evaluations/{job.pk}/judging/"
        client.force_login(built.people["manager"])
        asked = {"depth": 10, "campaign": "main"}
        answer = client.post(address, asked, content_type="application/json")
        assert (answer.status_code, answer.json()) == (
            201,
            {"campaign": "main", "documents": 1, "pooled": 1, "items": 2, "absent": 1},
        )
        Item.objects.filter(document__docno="new").delete()
        PoolEntry.objects.filter(document__docno="new").delete()
        words = ("--gold", "campaign:main", "--run", "good", "stray", "--depth", "10", "--campaign", "main", "--json")
        call_command("judge_unjudged", "tea", *words)
        assert json.loads(capsys.readouterr().out) == answer.json()


def test_parts_of_topics_have_their_own_rankings_and_their_topics_pools(built: Built) -> None:
    """Of an aspect and of a sub-query: what is unjudged at the top is judged for the topic."""
    topic = Topic.objects.get(number="1")
    part = SubQuery.objects.create(collection=built.collection, topic=topic, number="1:7", size=1, sentences=["Tea?"])
    part.chosen.create(aspect=topic.aspects.order_by("pk")[0], position=0)
    new = Document.objects.create(collection=built.collection, docno="newer", title="New")
    run = RetrievalRun.objects.get(name="good")
    PartRanking.objects.create(run=run, sub_query=part, docnos=["newer", "d1", "d2"], scores=[3, 2, 1])
    PartRanking.objects.create(run=run, aspect=topic.aspects.order_by("pk")[1], docnos=["d1", "newer"], scores=[2, 1])
    collection = built.collection
    assert list(tops_of(collection, ["good"], "sub-query", 2)) == [("good", "1:7", ["newer", "d1"])]
    assert list(tops_of(collection, ["good"], "aspect", topics=["1.2"])) == [("good", "1.2", ["d1", "newer"])]
    assert list(tops_of(collection, ["good"], "aspect", topics=["1.1"])) == []
    assert topic_texts(collection, "sub-query") == {"1:7": "Tea?"}
    assert topic_texts(collection, "aspect")["1.2"] == "aspect 2"
    for gold in ("sub-queries", "campaign:main;unit=aspect"):
        found = read_gold(collection, gold)
        rows, _ = fetch_unjudged(collection, found, ["good"], 10)
        assert pairs_of(collection, found.unit, rows) == [(topic.pk, new.pk)], gold


@pytest.mark.slow
def test_who_still_judges_sees_none_of_it(client: Client, built: Built, job: Evaluation) -> None:
    """Ranks and grades by document are labels of others, and what is unjudged says what is judged."""
    client.force_login(built.people["viewer"])
    names = ("evaluation_run", "evaluation_topic", "evaluation_topics", "evaluation_matrix")
    addresses = [*(reverse(name, args=["tea", job.pk]) for name in names)]
    addresses.append(reverse("evaluation_plot", args=["tea", job.pk, "svg"]))
    assert {client.get(address).status_code for address in addresses} == {200}
    built.annotators["ana"].user = built.people["viewer"]
    built.annotators["ana"].save()
    Assignment.objects.filter(annotator=built.annotators["ana"], item=built.items[0]).update(state="pending")
    assert {client.get(address).status_code for address in addresses} == {403}
    manager = built.people["manager"]
    client.force_login(manager)
    built.annotators["ana"].user = manager
    built.annotators["ana"].save()
    assert client.get(reverse("evaluation_judging", args=["tea", job.pk])).status_code == 403
    assert not Topic.objects.filter(number="nowhere").exists()
