"""How many items: from the campaign's own labels, refused where they are not enough, on a page and as a command."""

import json

import pytest
from django.core.management import CommandError, call_command

from accounts.refusals import Refused
from adjudication.agreement.sample_size import Aim, items_needed, without_pilot
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_pages import address, client_of
from tests.factories.adjudication import build_campaign

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_half_width_of_the_pilot_asks_for_the_pilot() -> None:
    built = build_campaign(noisy_labels(150, 3), topics=150)
    run = agree(built, interval="jackknife_t", cluster="item")
    ci = run.results.get(scope="block", block="HH", statistic="cohen_kappa").ci
    half = (ci["high"] - ci["low"]) / 2
    needed = items_needed(built.campaign, built.criterion, Aim("cohen_kappa", half), check=True)
    assert needed.n_items == pytest.approx(150, rel=0.05)  # Student's t against the normal
    assert needed.block == "HH"
    assert needed.simulated is not None
    assert needed.simulated["half_width"] == pytest.approx(half, rel=0.25)
    assert [point["half_width"] for point in needed.curve] == sorted(
        (p["half_width"] for p in needed.curve), reverse=True
    )


def test_topics_make_items_count_less() -> None:
    rng_labels = [row for topic in range(10) for row in ([[0, 0]] * 6 if topic % 2 else [[0, 1]] * 6)]
    triples = [(str(place // 6), "It brews tea.", f"d{place}") for place in range(60)]
    built = build_campaign(rng_labels, people=("ana", "ben"), triples=triples)
    together = items_needed(built.campaign, built.criterion, Aim())
    apart = items_needed(built.campaign, built.criterion, Aim(by_topic=False))
    assert together.design_effect is not None
    assert together.design_effect > 4
    assert together.n_items > 4 * apart.n_items


def test_a_difference_needs_people_and_a_machine() -> None:
    built = build_campaign(noisy_labels(60, 2), people=("ana", "ben"), topics=60)
    with pytest.raises(Refused, match="machine"):
        items_needed(built.campaign, built.criterion, Aim(half_width=None, difference=0.05))
    built = build_campaign(noisy_labels(60, 3), people=("ana", "ben"), machines=[("m-1", "m", 1)], topics=60, slug="b")
    needed = items_needed(built.campaign, built.criterion, Aim(half_width=None, difference=0.05))
    assert needed.n_items > 60
    assert needed.curve[0]["power"] < needed.curve[-1]["power"]


def test_refusals() -> None:
    built = build_campaign([[1]], people=("ana",))
    with pytest.raises(Refused, match="Fewer than two annotators"):
        items_needed(built.campaign, built.criterion, Aim())
    built = build_campaign([[1, 1]] * 20, people=("ana", "ben"), topics=20, slug="b")
    with pytest.raises(Refused, match="are not enough"):
        items_needed(built.campaign, built.criterion, Aim())
    with pytest.raises(Refused, match="Unknown statistic"):
        items_needed(built.campaign, built.criterion, Aim("luck"))


def test_without_a_pilot() -> None:
    assert without_pilot(0.7, 0.05, 1) == 323  # 3.84 p(1-p) / h²
    assert without_pilot(0.7, 0.05, 3) == 194


def test_page() -> None:
    built = build_campaign(noisy_labels(60, 3), topics=60)
    client = client_of(built, "viewer")
    assert "The number of items needed" in client.get(address("sample_size")).content.decode()
    asked = {"statistic": "cohen_kappa", "wanted": "half_width", "points": "5", "power": "80"}
    page = client.get(address("sample_size"), asked)
    assert page.context["needed"].n_items > 60
    assert "needed</span>" in page.content.decode()
    assumed = client.get(address("sample_size"), {**asked, "statistic": "accuracy", "assumed": "70"})
    assert assumed.context["assumed"] == 194
    wrong = client.get(address("sample_size"), {**asked, "assumed": "70"}).content.decode()
    assert "serves the figure" in wrong
    impossible = client.get(address("sample_size"), {**asked, "wanted": "difference"}).content.decode()
    assert "machine annotator" in impossible


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    build_campaign(noisy_labels(60, 3), topics=60)
    call_command("sample_size", "tea", "main", "--statistic", "alpha_ordinal", "--half-width", "0.1", "--json")
    found = json.loads(capsys.readouterr().out)
    assert (found["statistic"], found["block"], found["pilot"]["n_items"]) == ("alpha_ordinal", "HH", 60)
    with pytest.raises(CommandError, match="above 0"):
        call_command("sample_size", "tea", "main", "--half-width", "-1")
