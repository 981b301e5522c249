"""What an answer costs, of people and of machines: time, money, and why where it is not known."""

import json
from datetime import timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from adjudication.following.costs import Cost, as_latex, as_markdown, cost_sentence, costs_of, price
from adjudication.following.pay import set_pay_rate
from annotation.machines.asking import MachineAnswer, store_replies
from annotation.machines.prompts import write_relevance_prompt
from annotation.models import Annotator, Campaign, MachineReply, MachineRun
from engines.prompting.answers import Reading
from tests.factories.annotation import AT, annotator, give_labels
from tests.factories.machines import BODY

pytestmark = pytest.mark.django_db


@pytest.fixture
def worked(campaign: Campaign) -> Campaign:
    """Ana judged thirty items in four minutes each."""
    give_labels(annotator(campaign, "ana"), [1] * 30, at=AT - timedelta(days=2), active_ms=240_000)
    return campaign


def add_run(campaign: Campaign, *, cost: Decimal | None, seconds: float | None) -> MachineRun:
    machine = Annotator.objects.create(campaign=campaign, name="gpt", kind="machine", model="gpt", created_at=AT)
    run = MachineRun.objects.create(
        campaign=campaign,
        annotator=machine,
        kind="lexical",
        recipe={"model": "gpt", "temperature": 0.0},
        recipe_hash="0" * 64,
        requested_at=AT,
    )
    run.criteria.set(campaign.criteria.all(), through_defaults={"recipe_hash": run.recipe_hash, "run_number": 1})
    items = list(campaign.items.order_by("pk")[:20])
    store_replies(run, [MachineAnswer(item.pk, {"relevance": Reading(1)}, "1") for item in items], AT)
    MachineReply.objects.filter(run=run).update(cost=cost, seconds=seconds, prompt_tokens=1000, completion_tokens=10)
    return run


def test_people_and_a_machine_side_by_side(worked: Campaign) -> None:
    set_pay_rate(campaign=worked, per="hour", rate=15, currency="EUR", by=None, at=AT)
    add_run(worked, cost=Decimal("0.001"), seconds=0.5)
    people, machine = costs_of(worked)
    assert (people.answers, people.items, people.minutes, people.per_answer) == (30, 30, 4.0, 1.0)
    assert (machine.answers, machine.seconds, machine.per_item, machine.tokens) == (
        20,
        0.5,
        pytest.approx(0.001),
        20_200,
    )
    items = worked.items.count()
    assert cost_sentence(worked, [people, machine]) == (
        "For one answer, people took 4.00 minutes of active time (mean of 30 timed answers) and earned 1.00 EUR."
        f" One answer on each of the {items:,} items takes {items / 15:,.1f} hours at that pace."
        " For one answer, gpt took 0.50 seconds and cost 0.0010 in the currency of its price."
        " People took 480.00 times as long. They cost 1,000.00 times as much if its price is in EUR."
    )


def test_what_is_not_known_is_said(worked: Campaign) -> None:
    add_run(worked, cost=None, seconds=None)
    people, machine = costs_of(worked)
    assert (people.per_answer, people.notes) == (None, ("no rate of pay is set",))
    assert (machine.per_answer, machine.seconds) == (None, None)
    sentence = cost_sentence(worked, [people, machine])
    assert "Not known of people: no rate of pay is set." in sentence
    assert sentence.endswith("Not known of gpt: no price is set; no time was measured.")
    assert people.cells[5:7] == ("–", "–")


def test_a_machine_whose_cost_is_known_in_part_is_said_to_have_cost_at_least_that(worked: Campaign) -> None:
    run = add_run(worked, cost=Decimal("0.001"), seconds=0.5)
    prompt = write_relevance_prompt(collection=worked.collection, by=None, at=AT, name="Plain", body=BODY)
    prices = {"price_in": "1", "price_out": "1"}
    MachineRun.objects.filter(pk=run.pk).update(kind="endpoint", prompt=prompt, parameters=prices)
    some = MachineReply.objects.filter(run=run).order_by("pk")[:3]
    MachineReply.objects.filter(pk__in=some).update(cost=None, prompt_tokens=None, completion_tokens=None)
    _, machine = costs_of(worked)
    assert (machine.money, machine.tokens) == (None, None)
    assert machine.notes == (
        "the endpoint did not count the tokens of 3 replies",
        "all replies together cost at least 0.017 in the currency of the price",
    )


def test_a_machine_without_cost_is_not_said_to_have_a_price(worked: Campaign) -> None:
    """Releases said so of the lexical baseline, which asks nobody."""
    add_run(worked, cost=Decimal(0), seconds=0.5)
    sentence = cost_sentence(worked, costs_of(worked))
    assert "For one answer, gpt took 0.50 seconds and cost nothing." in sentence


def test_a_committee_is_not_said_to_have_cost_nothing(worked: Campaign) -> None:
    run = add_run(worked, cost=Decimal(0), seconds=None)
    MachineRun.objects.filter(pk=run.pk).update(kind="committee")
    sentence = cost_sentence(worked, costs_of(worked))
    assert "cost nothing" not in sentence
    assert "a committee has the cost of its members" in sentence


def test_pay_by_the_hour_is_not_divided_where_time_is_missing(worked: Campaign) -> None:
    give_labels(annotator(worked, "ben"), [1] * 2, at=AT, active_ms=None)
    set_pay_rate(campaign=worked, per="hour", rate=15, currency="EUR", by=None, at=AT)
    [people] = costs_of(worked)
    assert people.per_answer is None
    assert people.notes == ("pay is by the hour, and the time of 2 answers was not measured",)
    set_pay_rate(campaign=worked, per="item", rate=0.5, currency="EUR", by=None, at=AT)
    [people] = costs_of(worked)
    assert people.per_answer == 0.5


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.0, "0.00"), (1234.5, "1,234.50"), (0.1, "0.10"), (0.00042, "0.00042")]
)
def test_small_prices_keep_two_digits(value: float | None, text: str) -> None:
    assert price(value) == text


def test_the_table_is_the_same_by_page_rest_and_command(worked: Campaign) -> None:
    add_run(worked, cost=Decimal("0.001"), seconds=0.5)
    client, slugs = Client(), (worked.collection.slug, worked.slug)
    client.force_login(worked.collection.memberships.get(role="manager").user)
    sentence = cost_sentence(worked, costs_of(worked))
    page = client.get("/c/{}/campaigns/{}/work/costs/".format(*slugs)).content.decode()
    found = client.get("/api/collections/{}/campaigns/{}/costs/".format(*slugs)).json()
    out = StringIO()
    call_command("costs", *slugs, "--json", stdout=out)
    said = json.loads(out.getvalue())
    assert found["sentence"] == said["sentence"] == sentence
    assert sentence in page
    assert [one["name"] for one in found["costs"]] == ["People", "gpt"]
    lines = client.get("/c/{}/campaigns/{}/work/costs/".format(*slugs), {"as": "csv"}).content.decode().splitlines()
    assert len(lines) == 3


def test_tables_for_papers_escape_names() -> None:
    one = Cost("gpt_4|o & co", 1, 1, 1.0, 1, 0.5, "EUR", 3, ())
    assert r"gpt\_4" in as_latex([one])
    assert r"gpt_4\|o" in as_markdown([one])
