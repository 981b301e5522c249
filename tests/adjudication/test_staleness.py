"""Figures that depend on verdicts say so when the verdicts have changed since."""

import pytest
from django.test import Client
from django.urls import reverse

from adjudication.actions.verdicts import decide_verdict, withdraw_decision
from adjudication.models import Verdict
from adjudication.queries.agreement import fetch_standing
from annotation.models import Judgment
from tests.adjudication.test_agreement import agree, noisy_labels
from tests.adjudication.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db


def fresh() -> Built:
    """Three people and two runs of a machine on thirty items, counted and computed."""
    built = build_campaign(noisy_labels(30, 5), topics=6, machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    vote(built)
    agree(built)
    assert not fetch_standing(built.campaign).is_stale
    return built


def test_a_decision_makes_figures_against_the_verdict_stale() -> None:
    built = fresh()
    judge, verdict = built.people["adjudicator"], Verdict.objects.filter(method="majority").first()
    assert verdict is not None
    was = verdict.value or 0
    decide_verdict(verdict=verdict, value=was, by=judge, at=AT)
    assert not fetch_standing(built.campaign).is_stale, "the value is what it was"
    decide_verdict(verdict=verdict, value=(was + 1) % 3, by=judge, at=AT, seen=AT, comment="Read again.")
    standing = fetch_standing(built.campaign)
    assert (standing.changed, standing.newer, standing.since) == (1, 0, "1 change of a verdict")
    for name in ("agreement_detail", "agreement_report"):
        client = Client()
        client.force_login(judge)
        page = client.get(reverse(name, args=["tea", "main"])).content.decode()
        assert "before 1 change of a verdict" in page, name
    agree(built)
    assert not fetch_standing(built.campaign).is_stale
    withdraw_decision(verdict=verdict, by=judge, at=AT)
    assert fetch_standing(built.campaign).changed == 1


def test_a_count_by_other_rules_makes_them_stale() -> None:
    built = fresh()
    vote(built)
    assert not fetch_standing(built.campaign).is_stale, "counting again changed nothing"
    vote(built, ties="lowest")
    assert fetch_standing(built.campaign).changed == Verdict.objects.filter(method="tie-policy").count() > 0
    agree(built)
    vote(built, ties="lowest", voters="all")
    assert fetch_standing(built.campaign).changed == 30, "others are compared with the vote of the others now"


def test_a_vote_that_went_makes_them_stale() -> None:
    built = fresh()
    Judgment.objects.filter(assignment__item=built.items[0], assignment__annotator__kind="human").delete()
    agree(built)
    assert not fetch_standing(built.campaign).is_stale
    vote(built)
    assert fetch_standing(built.campaign).changed == 1
    assert not Verdict.objects.filter(item=built.items[0]).exists()


def test_among_people_who_all_voted_no_figure_depends_on_the_verdicts() -> None:
    built = build_campaign(noisy_labels(30, 3), topics=6)
    vote(built)
    agree(built)
    verdict = Verdict.objects.filter(method="majority").first()
    assert verdict is not None
    value = ((verdict.value or 0) + 1) % 3
    decide_verdict(verdict=verdict, value=value, by=built.people["adjudicator"], at=AT, comment="So.")
    assert not fetch_standing(built.campaign).is_stale


def test_figures_before_the_first_count_are_stale_after_it() -> None:
    built = build_campaign(noisy_labels(30, 4), topics=6, machines=[("m-1", "m", 1)])
    agree(built)
    vote(built)
    assert fetch_standing(built.campaign).changed == Verdict.objects.filter(value__isnull=False).count()
