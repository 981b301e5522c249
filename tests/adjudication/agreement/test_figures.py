"""Figures for papers: drawn from what a run has stored when somebody downloads them, always the same."""

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from adjudication.agreement.figure_names import figure_names
from adjudication.agreement.figures import draw_figure
from adjudication.agreement.results import show
from adjudication.models import AgreementRun
from engines import extras
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_pages import client_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import build_campaign

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


def test_signs_of_formulas_in_a_name_are_drawn_as_they_are() -> None:
    built = build_campaign(noisy_labels(12, 2), people=("x$_$y", "ben"))
    run = agree(built)
    for name in ("forest_accuracy", "matrix_accuracy", "confusion_1"):
        assert "x$_$y" in draw_figure(run, "relevance", name, "svg").decode(), name
