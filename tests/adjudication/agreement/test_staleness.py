"""Figures that depend on verdicts say so when the verdicts have changed since."""

import uuid

import pytest
from django.test import Client
from django.urls import reverse

from adjudication.agreement.standing import exact_standings, fetch_standing
from adjudication.exporting.findings import find
from adjudication.exporting.options import make_options
from adjudication.labels.counts import fetch_vote_standing
from adjudication.models import Verdict
from adjudication.verdicts.decisions import decide_verdict, withdraw_decision
from annotation.models import Annotator, Judgment, Submission
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, add_labels, build_campaign

pytestmark = pytest.mark.django_db


def fresh() -> Built:
    """Three people and two runs of a machine on thirty items, counted and computed."""
    built = build_campaign(noisy_labels(30, 5), topics=6, machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    vote(built)
    agree(built)
    assert not fetch_standing(built.campaign).is_stale
    return built


@pytest.mark.slow
def test_a_decision_makes_figures_against_the_verdict_stale() -> None:
    built = fresh()
    judge, verdict = built.people["adjudicator"], Verdict.objects.filter(method="majority").first()
    assert verdict is not None
    was = verdict.value or 0
    decide_verdict(verdict=verdict, value=was, by=judge, at=AT)
    assert not fetch_standing(built.campaign).is_stale, "the value is what it was"
    decide_verdict(verdict=verdict, value=(was + 1) % 3, by=judge, at=AT, seen=AT, comment="Read again.")
    standing = fetch_standing(built.campaign)
    assert (standing.changed, standing.newer, standing.since) == (1, 0, "")
    assert standing.sentence == (
        "Figures with the verdict were computed before 1 change of a verdict; all others are current."
    )
    for name in ("agreement_detail", "agreement_report"):
        client = Client()
        client.force_login(judge)
        page = client.get(reverse(name, args=["tea", "main"])).content.decode()
        assert "before 1 change of a verdict" in page, name
    agree(built)
    assert not fetch_standing(built.campaign).is_stale
    withdraw_decision(verdict=verdict, by=judge, at=AT)
    assert fetch_standing(built.campaign).changed == 1


@pytest.mark.slow
def test_a_count_by_other_rules_makes_them_stale() -> None:
    built = fresh()
    vote(built)
    assert not fetch_standing(built.campaign).is_stale, "counting again changed nothing"
    vote(built, ties="lowest")
    assert fetch_standing(built.campaign).changed == Verdict.objects.filter(method="tie-policy").count() > 0
    agree(built)
    vote(built, ties="lowest", voters="all")
    assert fetch_standing(built.campaign).changed == 30, "others are compared with the vote of the others now"


@pytest.mark.slow
def test_a_vote_that_went_makes_them_stale() -> None:
    built = fresh()
    Judgment.objects.filter(assignment__item=built.items[0], assignment__annotator__kind="human").delete()
    agree(built)
    assert not fetch_standing(built.campaign).is_stale
    vote(built)
    assert fetch_standing(built.campaign).changed == 1
    assert not Verdict.objects.filter(item=built.items[0]).exists()


@pytest.mark.slow
def test_among_people_who_all_voted_no_figure_depends_on_the_verdicts() -> None:
    built = build_campaign(noisy_labels(30, 3), topics=6)
    vote(built)
    agree(built)
    verdict = Verdict.objects.filter(method="majority").first()
    assert verdict is not None
    value = ((verdict.value or 0) + 1) % 3
    decide_verdict(verdict=verdict, value=value, by=built.people["adjudicator"], at=AT, comment="So.")
    assert not fetch_standing(built.campaign).is_stale


def test_figures_of_people_and_machines_stay_of_today_when_votes_are_counted() -> None:
    built = build_campaign(noisy_labels(30, 4), topics=6, machines=[("m-1", "m", 1)])
    first = agree(built)
    vote(built)
    assert fetch_standing(built.campaign).sentence == ""
    assert exact_standings(built.campaign)[1].since == "", "there was no figure with the verdict"
    second = agree(built)
    assert (second.inputs_hash, first.verdicts_hash) == (first.inputs_hash, "")
    vote(built, ties="lowest")
    assert not fetch_standing(built.campaign).is_stale
    assert "changes of verdicts" in exact_standings(built.campaign)[1].since, "a release prints none of two inputs"


# --- only what would change a result ----------------------------------------------------------------------------------


def counted() -> Built:
    """Three people judged twelve items equally, votes are counted, agreement is computed; no machine yet."""
    built = build_campaign([[0, 0, 0], [1, 1, 1], [2, 2, 2]] * 4)
    vote(built)
    agree(built)
    return built


def add_machine(built: Built, name: str = "m-1", model: str = "m") -> None:
    machine = {"campaign": built.campaign, "name": name, "kind": "machine", "model": model, "created_at": AT}
    built.annotators[name] = Annotator.objects.create(**machine)
    add_labels(built, [(item, built.annotators[name], 2) for item in built.items])


def stale(built: Built) -> tuple[bool, bool, bool]:
    """(votes, agreement, qrels)"""
    findings = find(make_options(built.collection, "qrels"))
    in_export = any(finding.code == "stale" for finding in findings)
    return fetch_vote_standing(built.campaign).is_stale, fetch_standing(built.campaign).is_stale, in_export


@pytest.mark.slow
def test_labels_of_machines_without_a_vote_make_nothing_stale() -> None:
    built = counted()
    add_machine(built)
    assert stale(built) == (False, False, False)
    client = Client()
    client.force_login(built.people["manager"])
    assert client.get(reverse("export_download", args=["tea", "qrels"])).status_code == 200
    for name in ("agreement_detail", "adjudication_screen", "relevance_list"):
        assert "newer judgment" not in client.get(reverse(name, args=["tea", "main"])).content.decode(), name
    assert not client.get(reverse("api_agreement", args=["tea", "main"])).json()["newer_answers"]


@pytest.mark.slow
def test_labels_of_machines_with_a_vote_or_with_figures_make_them_stale() -> None:
    built = counted()
    add_machine(built)
    vote(built, voters="all")
    agree(built)
    assert stale(built) == (False, False, False)
    add_machine(built, "m-2")  # a further run of the machine that has figures
    assert stale(built) == (True, True, True)
    vote(built)
    assert stale(built) == (False, True, False)
    agree(built)
    add_machine(built, "other", "other")
    assert stale(built) == (False, False, False)


def test_an_answer_that_changes_no_label_makes_nothing_stale() -> None:
    built = counted()
    judgment = Judgment.objects.filter(assignment__item=built.items[0]).select_related("assignment").first()
    assert judgment is not None

    def answer(kind: str, **answers: int) -> Submission:
        made = {"uuid": uuid.uuid4(), "assignment": judgment.assignment, "kind": kind, "received_at": AT}
        return Submission.objects.create(**made, answers=answers)

    Judgment.objects.filter(pk=judgment.pk).update(submission=answer("answer", relevance=0))
    assert stale(built) == (False, False, False), "the same again"
    Judgment.objects.filter(pk=judgment.pk).update(submission=answer("answer", relevance=1), value=1)
    assert stale(built) == (True, True, True)
    Judgment.objects.filter(pk=judgment.pk).update(submission=answer("answer", relevance=0), value=0)
    assert stale(built) == (False, False, False), "changed, and changed back"
    skipped = built.items[1].assignments.first()
    assert skipped is not None
    Submission.objects.create(uuid=uuid.uuid4(), assignment=skipped, kind="skip", reason="No.", received_at=AT)
    skipped.judgments.all().delete()
    assert stale(built) == (True, True, True), "a label was taken back"


@pytest.mark.slow
def test_every_page_file_and_answer_says_that_figures_are_stale(client: Client) -> None:
    """Each is compared before and after a label that contradicts the others."""
    built = build_campaign(noisy_labels(30, 5), topics=10, machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    vote(built)
    run = agree(built)
    built.annotators["dee"] = Annotator.objects.create(campaign=built.campaign, name="dee", created_at=AT)
    client.force_login(built.people["manager"])
    figure = run.results.filter(scope="mean").first()
    assert figure is not None
    where = ["tea", "main"]
    stale = {
        "agreement_detail": (reverse("agreement_detail", args=where), "before 1 newer judgment"),
        "agreement_report": (reverse("agreement_report", args=where), "Computed before 1 newer judgment."),
        "what other policies": (reverse("agreement_report", args=where), "The votes were counted before 1 newer"),
        "judgment_list": (reverse("judgment_list", args=where) + f"?figure={figure.pk}", "Computed before 1 newer"),
        "json": (reverse("agreement_download", args=[*where, run.pk]), '"stale": "Computed before 1 newer judgment."'),
        **{
            form: (reverse("agreement_table", args=[*where, form]), "Computed before 1 newer judgment.")
            for form in ("md", "tex", "csv")
        },
        "figure": (
            reverse("agreement_figure", args=[*where, run.pk, "forest_accuracy.svg"]),
            "The agreement was computed before 1 newer judgment",
        ),
        "adjudication_screen": (reverse("adjudication_screen", args=where), "before 1 newer judgment"),
        "relevance_list": (reverse("relevance_list", args=where), "The votes were counted before 1 newer judgment"),
        "overview": ("/c/tea/", "before 1 newer judgment"),
        "api agreement": (reverse("api_agreement", args=where), '"stale":"Computed before 1 newer judgment."'),
        "api votes": (reverse("api_votes", args=where), '"stale":"The votes were counted before 1 newer judgment."'),
        "api verdicts": (reverse("api_verdicts", args=where), '"stale":"The votes were counted before 1 newer'),
        "api relevance": (reverse("api_relevance", args=where), '"stale":"The votes were counted before 1 newer'),
    }
    before = {name: client.get(address) for name, (address, _) in stale.items()}
    assert not [name for name, answer in before.items() if answer.status_code != 200]
    assert not [name for name, (_, words) in stale.items() if words in before[name].content.decode()]
    assert "1 newer judgment" not in str(find(make_options(built.collection, "verdicts")))
    built.label(built.items[0], "dee", 2)
    after = {name: client.get(address) for name, (address, _) in stale.items()}
    assert not [name for name, (_, words) in stale.items() if words not in after[name].content.decode()]
    assert after["figure"].status_code == 422
    assert "The votes were counted before 1 newer judgment." in str(find(make_options(built.collection, "verdicts")))
