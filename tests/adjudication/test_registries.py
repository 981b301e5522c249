"""Statistics and rules for ties: whatever their records say is on the page, in the commands and in the API."""

import json

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.refusals import Refused
from accounts.rest_fields import taken_by
from adjudication.agreement.operations import REQUEST_VOTE, VoteSerializer
from adjudication.agreement.requests import request_vote
from adjudication.models import VoteRun
from adjudication.verdicts.votes import settle
from engines.stats.pairwise import Tables
from engines.stats.policies import TIE_POLICIES, TiePolicy, lowest_tied
from engines.stats.statistics import REPORT, SCALES, STATISTICS, TABLE_ONE, Statistic
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_pages import address, client_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, build_campaign

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("record", STATISTICS.values(), ids=list(STATISTICS))
def test_a_statistic_is_described_and_keeps_to_its_range(record: Statistic) -> None:
    assert record.label
    assert record.about.endswith(".")
    assert record.formula
    assert record.scale in SCALES
    assert record.pair or record.group
    if record.pair:
        rng = np.random.default_rng(1)
        values = record.pair(Tables(rng.integers(0, 4, (3, 3, 200)).astype(np.float64)))
        assert np.nanmin(values) >= record.lowest
        assert np.nanmax(values) <= 1
        perfect = record.pair(Tables(np.diag([3.0, 2.0, 4.0])[:, :, None]))
        assert perfect.tolist() == pytest.approx([1.0])


def test_presets_name_statistics() -> None:
    assert {*REPORT, *TABLE_ONE} <= set(STATISTICS)


COIN = TiePolicy("coin", "toss a coin", "Heads is the lowest of the tied levels.", lowest_tied)


@pytest.fixture
def coin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package's rule for ties, as if installed."""
    monkeypatch.setitem(vars(TIE_POLICIES), "_loaded", ({"coin": COIN}, []))


@pytest.fixture
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(TIE_POLICIES), "_loaded", ({}, []))


@pytest.mark.usefixtures("coin")
def test_a_rule_of_another_package_is_offered_and_counted_by(capsys: pytest.CaptureFixture[str]) -> None:
    built = build_campaign([[0, 1, 2], [2, 2, 2]])
    assert "toss a coin" in client_of(built, "manager").get(address("adjudication_screen")).content.decode()
    assert "Toss a coin" in Client().get(reverse("statistics_help")).content.decode()
    call_command("adjudicate", built.collection.slug, built.campaign.slug, ties="coin", json=True)
    found = json.loads(capsys.readouterr().out)
    assert (found["unanimous"], found["tie_resolved"]) == (1, 1)
    schema = taken_by(REQUEST_VOTE)().fields["ties"]
    assert schema.choices["coin"] == "toss a coin"


@pytest.mark.usefixtures("no_packages")
def test_what_is_stored_of_a_missing_package_is_shown() -> None:
    built = build_campaign(noisy_labels(30, 3))
    run = agree(built)
    run.results.filter(statistic="gwet_ac1").update(statistic="gone")
    counted = vote(built)
    VoteRun.objects.filter(pk=counted.pk).update(ties="coin")
    client = client_of(built, "manager")
    page = client.get(address("agreement_detail")).content.decode()
    assert "gone (not installed)" in page
    assert "coin (not installed)" in client.get(address("agreement_report")).content.decode()
    assert VoteSerializer(VoteRun.objects.get(pk=counted.pk)).data["ties"] == "coin"
    with pytest.raises(Refused, match="“coin” comes from a package that is not installed"):
        settle([[1, 0]], [0, 1, 2], VoteRun.objects.get(pk=counted.pk))
    with pytest.raises(Refused, match="Unknown policy for ties “coin”"):
        request_vote(campaign=built.campaign, by=None, at=AT, ties="coin", send=False)
