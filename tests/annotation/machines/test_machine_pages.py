"""Pages and API of machine annotators: lists, an estimate before anything is paid, deciding, prompts with a preview."""

from typing import Any

import pytest
from django.db.models import Q
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import JobState
from annotation.assignment.annotators import add_members
from annotation.models import (
    AnnoCycle,
    AnnotatorKind,
    Assignment,
    Campaign,
    MachineRun,
    ReplyValue,
    Split,
    UnparsedAnswer,
)
from corpus.models import PromptTemplate
from tests.factories.annotation import AT, Material
from tests.factories.machines import BODY, ask, carry_out, make_prompt, stubbed
from tests.stubs.chat import Call, Step

pytestmark = pytest.mark.django_db

BASE = "/c/teas/campaigns/main-round/machines/"
JSON: Any = {"content_type": "application/json"}
API = "/api/collections/teas/campaigns/main-round/machine-runs/"


@pytest.fixture
def client(made: Material) -> Client:
    client = Client()
    client.force_login(made.manager)
    return client


def half_unparsable(call: Call) -> Step:
    return "Answer: 1" if call.number % 2 else "Perhaps <b>one</b>."


def form(**more: Any) -> dict[str, Any]:
    return {
        "kind": "lexical",
        "criteria": ["relevance"],
        "runs": 1,
        "stop_after": 12,
        "temperature": 0,
        "thresholds": "0.4 0.8",
        **more,
    }


def test_an_empty_list_says_how_to_begin(client: Client, campaign: Campaign) -> None:
    text = client.get(BASE).content.decode()
    assert "No machine has judged here yet" in text
    assert "No language model is set up here. The people who run this Litmus can" in text


@pytest.mark.slow
def test_the_list_costs_the_same_for_many_runs(
    client: Client, made: Material, campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for run in ask(made, campaign, kind="lexical", runs=5):
        carry_out(run)
    with django_assert_max_num_queries(16):
        text = client.get(BASE).content.decode()
    assert text.count("8 of 8") == 5


@pytest.mark.slow
def test_the_baseline_is_asked_for_by_the_form(client: Client, campaign: Campaign) -> None:
    answer = client.post(BASE + "new/", form(runs=2, thresholds="0.2 0.6"))
    assert answer.status_code == 302
    runs = MachineRun.objects.order_by("run_number")
    assert [(run.state, run.recipe["thresholds"]) for run in runs] == [("queued", [0.2, 0.6])] * 2
    assert client.post(BASE + "new/", form(thresholds="low high")).status_code == 422
    assert b"must rise" in client.post(BASE + "new/", form(thresholds="0.6 0.2")).content


def test_an_estimate_asks_nothing(client: Client, made: Material, campaign: Campaign) -> None:
    prompt = make_prompt(made)
    with stubbed(["Answer: 1"]) as stub:
        fields = form(kind="endpoint", prompt=prompt.pk, max_tokens=50, price_in="2", price_out="4", step="estimate")
        text = client.post(BASE + "new/", fields).content.decode()
    assert "Estimate" in text
    assert "400" in text  # tokens to receive: 8 replies of at most 50
    assert not stub.calls
    assert not MachineRun.objects.exists()


@pytest.mark.slow
def test_invalid_replies_are_listed_with_their_words_and_decided(
    client: Client, made: Material, campaign: Campaign
) -> None:
    with stubbed(half_unparsable):
        run = carry_out(ask(made, campaign)[0])
    page = f"{BASE}{run.pk}/"
    text = client.get(page).content.decode()
    assert text.count("Perhaps &lt;b&gt;one&lt;/b&gt;.") == 8  # as the problem quotes it, and word for word
    overview = client.get(BASE).text
    assert f'href="{page}#invalid">Read them</a>' in overview
    assert overview.count("button primary") == 1
    reply = ReplyValue.objects.filter(~Q(problem=""), reply__run=run).order_by("pk").first()
    assert client.post(f"{page}replies/{reply.pk}/decision/", {"value": "2"}).status_code == 302
    reply.refresh_from_db()
    assert (reply.reply.state, reply.value, reply.decided_by) == ("invalid", 2, made.manager)
    assert "states 2" in client.get(page).content.decode()
    client.post(f"{page}replies/{reply.pk}/decision/", {"value": "17"})
    reply.refresh_from_db()
    assert reply.value == 2


def test_a_running_job_shows_its_progress_and_may_be_cancelled(
    client: Client, made: Material, campaign: Campaign
) -> None:
    (run,) = ask(made, campaign, kind="lexical")
    fragment = client.get(f"/jobs/machines/{run.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert fragment.lstrip().startswith("<section")
    assert "cancellation" in fragment
    client.post(f"/jobs/machines/{run.pk}/cancellation/")
    run.refresh_from_db()
    assert run.state == JobState.CANCELLED
    client.post(f"{BASE}{run.pk}/continuation/")
    run.refresh_from_db()
    assert run.state == JobState.QUEUED


def test_a_closed_campaign_takes_no_machine(client: Client, campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state="closed")
    assert b"The campaign is closed" in client.get(BASE + "new/").content
    assert b"is closed" in client.post(BASE + "new/", form()).content
    assert not MachineRun.objects.exists()


@pytest.mark.slow
def test_a_prompt_is_written_in_versions_with_a_preview_on_a_real_item(client: Client, campaign: Campaign) -> None:
    preview = client.post(BASE + "prompts/preview/", {"body": BODY}).content.decode()
    assert "Requirement: Does thing 1.1." in preview
    assert "no place {nothing}" in client.post(BASE + "prompts/preview/", {"body": "{nothing}"}).content.decode()
    first = client.post(BASE + "prompts/new/", {"name": "Mine", "body": BODY, "step": "save"})
    assert first.status_code == 302
    client.post(BASE + "prompts/new/", {"name": "Mine", "body": BODY + "\nBe brief.", "step": "save"})
    versions = PromptTemplate.objects.order_by("version")
    assert [one.version for one in versions] == [1, 2]
    text = client.get(f"{BASE}prompts/{versions[1].pk}/").content.decode()
    assert versions[1].sha256 in text
    assert "What changed since version 1" in text
    assert "No language model is set up here." in text, "said before it is pressed"
    assert "?prompt=" not in text
    refused = client.post(BASE + "prompts/new/", {"name": "Mine", "body": "Judge."})
    assert (refused.status_code, PromptTemplate.objects.count()) == (422, 2)
    shown = client.post(BASE + "prompts/new/", {"name": "Mine", "body": "{aspect}?", "step": "preview"})
    assert b"Does thing 1.1.?" in shown.content
    assert PromptTemplate.objects.count() == 2


@pytest.mark.slow
def test_the_api_asks_follows_and_reads(client: Client, made: Material, campaign: Campaign) -> None:
    make_prompt(made)
    wish = {"kind": "endpoint", "prompt": "Plain@1", "max_tokens": 10, "runs": 2}
    with stubbed(half_unparsable):
        estimate = client.post(API, {**wish, "dry_run": True}, content_type="application/json")
        assert (estimate.status_code, estimate.json()["calls"]) == (200, 16)
        asked = client.post(API, wish, content_type="application/json")
        assert asked.status_code == 202
        first = MachineRun.objects.get(pk=asked.json()[0]["id"])
        carry_out(first)
    read = client.get(f"{API}{first.pk}/").json()
    assert (read["state"], read["prompt"], read["replies"]["answered"], read["replies"]["invalid"]) == (
        "done",
        "Plain@1",
        4,
        4,
    )
    listed = client.get(f"{API}{first.pk}/replies/").json()["results"]
    assert {one["text"] for one in listed if one["state"] == "invalid"} == {"Perhaps <b>one</b>."}
    assert client.patch(f"{API}{first.pk}/", {"state": "queued"}, content_type="application/json").status_code == 409
    assert client.post(API, {"prompt": "None"}, content_type="application/json").status_code == 422
    for kind, strange in (("endpoint", "thresholds"), ("lexical", "prompt")):
        refused = client.post(API, {"kind": kind, strange: "Plain@1" if strange == "prompt" else [0.1]}, **JSON)
        assert (refused.status_code, list(refused.json()["errors"])) == (400, [strange]), "it would do nothing"
    assert client.get(API).json()["results"][0]["recipe_hash"] == first.recipe_hash
    judgments = client.get("/api/collections/teas/campaigns/main-round/judgments/").json()["results"]
    assert [one["machine"] for one in judgments] == [True] * 4
    assert campaign.annotators.filter(kind=AnnotatorKind.MACHINE).count() == 2


@pytest.fixture
def half(made: Material, campaign: Campaign) -> MachineRun:
    """A run of which every second reply is invalid."""
    with stubbed(half_unparsable):
        return carry_out(ask(made, campaign)[0])


def kept_from(client: Client, run: MachineRun, words: str) -> None:
    """Neither page nor API says a word of what the machine said; the figures of the whole stay."""
    page = f"{BASE}{run.pk}/"
    for address in (page, page + "?page=1"):
        text = client.get(address).content.decode()
        assert words in text
        for word in ("Perhaps", "It states", "raw-reply", "states 1"):
            assert word not in text
        assert "invalid" in text
    reply = ReplyValue.objects.filter(~Q(problem=""), reply__run=run).order_by("pk").first()
    assert reply is not None
    for value in ("1", ""):
        assert client.post(f"{page}replies/{reply.pk}/decision/", {"value": value}).status_code == 403
    reply.refresh_from_db()
    assert reply.decided_at is None
    answer = client.get(f"{API}{run.pk}/replies/")
    assert answer.status_code == 403
    assert "Perhaps" not in answer.content.decode()


@pytest.mark.slow
def test_who_is_still_to_judge_reads_no_replies(
    client: Client, made: Material, campaign: Campaign, half: MachineRun
) -> None:
    add_members(campaign=campaign, users=[made.manager], by=None, at=AT)
    mine = campaign.annotators.get(user=made.manager)
    todo = Assignment.objects.create(item=campaign.items.all()[0], annotator=mine, state="pending", slot=1)
    kept_from(client, half, "You still have items to judge")
    Assignment.objects.filter(pk=todo.pk).update(state="done", finished_at=AT)
    assert "Perhaps" in client.get(f"{BASE}{half.pk}/").content.decode()


@pytest.mark.slow
def test_replies_on_a_sealed_test_set_are_read_by_nobody(client: Client, made: Material, campaign: Campaign) -> None:
    campaign.items.update(split=Split.TEST)
    campaign.split = Split.TEST
    campaign.save(update_fields=["split"])
    with stubbed(half_unparsable):
        run = carry_out(ask(made, campaign)[0])
    dev = Campaign.objects.create(
        collection=made.collection, slug="dev", name="Dev", kind="relevance", split="dev", seed=1, created_at=AT
    )
    cycle = AnnoCycle.objects.create(
        collection=made.collection, number=1, criterion="relevance", dev=dev, margin=0.05, created_at=AT
    )
    kept_from(client, run, "are sealed until")
    cycle.delete()
    assert "Perhaps" in client.get(f"{BASE}{run.pk}/").content.decode()


def test_unparsed_answers_of_imported_machines_are_kept_too(client: Client, made: Material, campaign: Campaign) -> None:
    machine = campaign.annotators.create(name="m-1", kind=AnnotatorKind.MACHINE, created_at=AT)
    criterion, item = campaign.criteria.get(), campaign.items.all()[0]
    UnparsedAnswer.objects.create(annotator=machine, item=item, criterion=criterion, text="Grade two?", received_at=AT)
    assert "Grade two?" in client.get(BASE + "unparsed/").content.decode()
    add_members(campaign=campaign, users=[made.manager], by=None, at=AT)
    mine = campaign.annotators.get(user=made.manager)
    Assignment.objects.create(item=item, annotator=mine, state="pending", slot=1)
    answer = client.get(BASE + "unparsed/")
    assert answer.status_code == 403
    assert "Grade two?" not in answer.content.decode()
