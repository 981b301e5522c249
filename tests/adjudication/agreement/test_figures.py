"""Figures for papers: drawn from what a run has stored when somebody downloads them, always the same."""

import re
from html import unescape

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from adjudication.agreement.drawings import ASKED
from adjudication.agreement.figure_names import figure_names
from adjudication.agreement.figures import MOST_LINES, draw_figure
from adjudication.agreement.results import show
from adjudication.models import AgreementResult, AgreementRun, Verdict
from adjudication.verdicts.decisions import decide_verdict
from annotation.models import Annotator
from engines import extras
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_pages import client_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, build_campaign

pytestmark = pytest.mark.django_db


def fetch(client: Client, run: AgreementRun, file: str) -> HttpResponse:
    return client.get(reverse("agreement_figure", args=["tea", "main", run.pk, file]))  # type: ignore[return-value]


@pytest.mark.slow
def test_each_figure_of_the_page_is_drawn_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    built = build_campaign(noisy_labels(60, 3), topics=60)
    run, again = agree(built), agree(built)
    client = client_of(built, "viewer")
    page = client.get(reverse("agreement_report", args=["tea", "main"])).text
    paired = ("accuracy", "cohen_kappa", "cohen_kappa_quadratic")
    names = [f"{kind}_{name}" for name in paired for kind in ("forest", "matrix")] + ["confusion_1"]
    assert list(figure_names(run, "relevance")) == names
    files = [f"{name}.{form}" for name in names for form in ("svg", "pdf")]
    assert [page.count(f'figures/{file}?criterion=relevance"') for file in files] == [1] * len(files)
    for file, kind, begins in (
        ("forest_cohen_kappa.svg", "image/svg+xml", b"<?xml"),
        ("matrix_cohen_kappa.pdf", "application/pdf", b"%PDF"),
    ):
        answer = fetch(client, run, file)
        assert (answer["Content-Type"], answer.content[: len(begins)]) == (kind, begins)
        assert answer["Content-Disposition"].endswith(f'"tea-main-relevance-{file.replace("_", "-")}"')
    same = fetch(client, run, "confusion_1.svg").content
    assert fetch(client, again, "confusion_1.svg").content == same, "the same figures, drawn again"
    for wrong in ("forest_cohen_kappa.png", "forest_spearman.svg", "topics_accuracy.svg", "forest_accuracy"):
        assert fetch(client, run, wrong).status_code == 404, wrong
    assert fetch(client_of(built, "ana"), run, files[0]).status_code == 403
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    page = client.get(reverse("agreement_report", args=["tea", "main"])).text
    assert "Install litmus-ir[figures]" in page
    assert files[0] not in page
    assert "Install litmus-ir[figures]" in fetch(client, run, files[0]).content.decode()


FILES = re.compile(r'href="([^"]*(?:figures/|/table/|download|json)[^"]*)"')


@pytest.mark.slow
@pytest.mark.parametrize("then", ["nothing", "a label", "a decision by hand"])
def test_each_file_that_the_pages_offer_is_given(then: str) -> None:
    """After a decision by hand figures were offered, and refused to whom opened them."""
    built = build_campaign(noisy_labels(30, 4), topics=2, machines=[("m-1", "m", 1)])
    vote(built)
    run = agree(built)
    if then == "a label":
        built.annotators["dee"] = Annotator.objects.create(campaign=built.campaign, name="dee", created_at=AT)
        built.label(built.items[0], "dee", 2)
    if then == "a decision by hand":
        verdict = Verdict.objects.filter(method="majority").first()
        assert verdict is not None
        value = ((verdict.value or 0) + 1) % 3
        decide_verdict(verdict=verdict, value=value, by=built.people["adjudicator"], at=AT, comment="So.")
    client = client_of(built, "viewer")
    pages = [client.get(reverse(name, args=["tea", "main"])).text for name in ("agreement_detail", "agreement_report")]
    offered = {unescape(each) for page in pages for each in FILES.findall(page)}
    assert [each for each in sorted(offered) if client.get(each).status_code != 200] == []
    drawn = [each for each in offered if ".svg?" in each]
    assert (len(drawn) > 0) == (then == "nothing")
    if then != "nothing":
        assert fetch(client, run, "forest_accuracy.svg").status_code == 422
        assert "Compute it again to draw its figures." in pages[1]
    for name in ("agreement_figure", "agreement_table"):
        where = [run.pk, "forest_accuracy.svg"] if name == "agreement_figure" else ["csv"]
        address = reverse(name, args=["tea", "main", *where])
        assert client.get(address, {"criterion": "gone"}).status_code == 404, "not another criterion's figures"


@pytest.mark.slow
def test_figures_say_what_is_stored() -> None:
    """Of `ana` and `ben`, who gave all items level 1, and of `cai`, who used all levels; and of the verdict."""
    labels = [[1, 1, row[0]] for row in noisy_labels(24, 1)]
    built = build_campaign(labels, people=("ana", "ben", "cai"), topics=2)
    vote(built)
    run = agree(built)
    one_of_each = ("forest_cohen_kappa", "matrix_cohen_kappa", "confusion_1", "topics_accuracy")
    assert set(one_of_each) < set(figure_names(run, "relevance"))
    forest, matrix, confusion, topics = (draw_figure(run, "relevance", each, "svg").decode() for each in one_of_each)
    assert "Cohen’s κ, 95% intervals" in forest
    pairs = run.results.filter(scope="pair", statistic="cohen_kappa")
    assert len(pairs) == 6
    for one in pairs:
        value = show(one).value
        assert " × ".join(one.annotators).replace("adjudicated", "others’ vote") in forest, one.annotators
        assert (value or "undefined") in matrix
    assert "undefined: " in forest
    assert ">24<" in confusion, "a level that ana gave to every item"
    assert "Agreement by topic over all annotators, the lowest first" in topics


def test_figures_that_are_drawn_hold_up_one_thread_more_and_asking_whether_they_are_there_none() -> None:
    """Each that was asked for held a thread until all before it were drawn, and people who judge waited."""
    built = build_campaign(noisy_labels(12, 2), people=("ana", "ben"))
    run = agree(built)
    client = client_of(built, "viewer")
    address = reverse("agreement_figure", args=["tea", "main", run.pk, "forest_accuracy.svg"])
    with ASKED, ASKED:  # one is drawn, one waits
        busy, there = client.get(address), client.head(address)
    assert (busy.status_code, busy["Retry-After"]) == (503, "5")
    assert "Other figures are being drawn. Try again in a few seconds." in busy.text
    assert (there.status_code, there["Content-Type"], there.has_header("Content-Length")) == (
        200,
        "image/svg+xml",
        False,
    )
    assert client.get(address).status_code == 200


def test_of_very_many_pairs_the_lowest_are_read_and_drawn() -> None:
    built = build_campaign(noisy_labels(12, 2), people=("ana", "ben"))
    run = agree(built)
    run.results.filter(scope="pair").delete()
    pair = {"run": run, "criterion": "relevance", "statistic": "accuracy", "scope": "pair"}
    AgreementResult.objects.bulk_create(
        [
            AgreementResult(annotators=[f"p{place}", "ben"], value=place / 100, **pair)
            for place in range(MOST_LINES + 20)
        ]
        + [AgreementResult(annotators=["nobody", "ben"], reason="no_common_items", **pair)]
    )
    with CaptureQueriesContext(connection) as queries:
        drawn = draw_figure(run, "relevance", "forest_accuracy", "svg").decode()
    assert any(f"LIMIT {MOST_LINES}" in each["sql"] for each in queries)
    names = [
        name for name in (*(f"p{place}" for place in range(MOST_LINES + 20)), "nobody") if f">{name} × ben<" in drawn
    ]
    assert names == [*(f"p{place}" for place in range(MOST_LINES - 1)), "nobody"]


def test_signs_of_formulas_in_a_name_are_drawn_as_they_are() -> None:
    built = build_campaign(noisy_labels(12, 2), people=("x$_$y", "ben"))
    run = agree(built)
    for name in ("forest_accuracy", "matrix_accuracy", "confusion_1"):
        assert "x$_$y" in draw_figure(run, "relevance", name, "svg").decode(), name
