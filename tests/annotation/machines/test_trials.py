"""A prompt is tried on five items while it is written: answers read and raw, their price, no label, no test item."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from accounts import jobs
from accounts.models import AuditEvent, JobState
from accounts.refusals import Refused
from annotation.machines.trials import read_trial, request_trial, spending_on
from annotation.models import AnnoCycle, Assignment, Campaign, Item, MachineReply, PromptTrial
from tests.factories.annotation import AT, Material, make_campaign
from tests.factories.machines import BODY, stubbed
from tests.stubs.chat import Answer, Call, Status, Step

pytestmark = pytest.mark.django_db

PRICES = {"LLM_PRICE_IN": Decimal(1), "LLM_PRICE_OUT": Decimal(2)}


def tried(made: Material, campaign: Campaign, **more: Any) -> PromptTrial:
    values = {"body": BODY, "send": False, **more}
    trial = request_trial(campaign=campaign, by=made.manager, at=AT, **values)
    jobs.carry_out(trial)
    trial.refresh_from_db()
    return trial


def test_five_items_are_answered_and_read_and_none_is_labelled(made: Material, campaign: Campaign) -> None:
    def one_unreadable(call: Call) -> Step:
        return "Perhaps." if call.number == 0 else Answer("So it is.\nAnswer: 2", usage=(200, 10))

    with stubbed(one_unreadable, LLM_CONCURRENCY=1, **PRICES) as stub:
        trial = tried(made, campaign)
    assert (trial.state, len(stub.calls), len(trial.items)) == (JobState.DONE, 5, 5)
    rows = read_trial(trial)
    assert [row.item.item for row in rows] == trial.items
    values = [row.stated["relevance"].value for row in rows]
    assert sorted(values, key=str) == [2, 2, 2, 2, None]
    [bad] = [row for row in rows if row.stated["relevance"].value is None]
    assert "does not end with an answer" in bad.stated["relevance"].problem
    assert bad.answer is not None
    assert bad.answer.text == "Perhaps."
    assert spending_on(trial).whole == Decimal("0.00022") * 4 + Decimal("0.00014")
    assert all(row.answer and row.answer.seconds is not None for row in rows)
    assert not Assignment.objects.filter(annotator__kind="machine").exists()
    assert not MachineReply.objects.exists()
    event = AuditEvent.objects.get(verb="try_prompt")
    assert (Decimal(event.data["cost"]), event.data["items"]) == (spending_on(trial).whole, trial.items)


def test_the_five_are_seeded_and_can_be_drawn_again_or_named(made: Material, campaign: Campaign) -> None:
    with stubbed(["Answer: 1"]):
        first, again, others = (
            request_trial(campaign=campaign, by=None, at=AT, body=BODY, seed=seed, send=False) for seed in (1, 1, 2)
        )
        assert first.items == again.items != others.items
        named = list(campaign.items.order_by("-pk").values_list("pk", flat=True)[:2])
        assert sorted(tried(made, campaign, items=named).items) == sorted(named)
        with pytest.raises(Refused, match="at most 5"):
            request_trial(campaign=campaign, by=None, at=AT, body=BODY, items=range(1, 7))
        with pytest.raises(Refused, match="items of this campaign"):
            request_trial(campaign=campaign, by=None, at=AT, body=BODY, items=[named[0], 10**9])
        with pytest.raises(Refused, match=r"Line 1: there is no place \{titel\}"):
            request_trial(campaign=campaign, by=None, at=AT, body="{titel} {aspect}")


def test_what_a_test_holds_is_never_used_before_its_decision(made: Material, campaign: Campaign) -> None:
    dev = make_campaign(made, name="Dev", split="dev", items=False)
    test = make_campaign(made, name="Test", split="test", items=False)
    held = campaign.items.order_by("pk").first()
    Item.objects.create(campaign=test, split="test", topic=held.topic, aspect=held.aspect, document=held.document)
    with stubbed(["Answer: 1"]):
        for seed in range(20):
            assert (
                held.pk not in request_trial(campaign=campaign, by=None, at=AT, body=BODY, seed=seed, send=False).items
            )
        for where, items in ((campaign, [held.pk]), (test, [])):
            with pytest.raises(Refused, match="no test campaign holds before its decision"):
                request_trial(campaign=where, by=None, at=AT, body=BODY, items=items)
        cycle = AnnoCycle.objects.create(
            collection=made.collection,
            number=1,
            criterion="relevance",
            dev=dev,
            test=test,
            test_chosen_at=AT,
            margin=0.1,
            created_at=AT,
        )
        with pytest.raises(Refused, match="no test campaign holds"):
            request_trial(campaign=test, by=None, at=AT, body=BODY)
        AnnoCycle.objects.filter(pk=cycle.pk).update(outcome="stop", reason="Enough.", decided_at=AT)
        assert len(request_trial(campaign=test, by=None, at=AT, body=BODY, send=False).items) == 1


def test_what_was_answered_is_not_asked_again(made: Material, campaign: Campaign) -> None:
    def refuse_later(call: Call) -> Step:
        return "Answer: 1" if call.number < 2 else Status(401)

    with stubbed(refuse_later, LLM_CONCURRENCY=1):
        trial = tried(made, campaign)
    assert (trial.state, trial.answers.count()) == (JobState.FAILED, 2)
    assert "sk-secret" not in trial.reason
    PromptTrial.objects.filter(pk=trial.pk).update(state=JobState.QUEUED, finished_at=None)
    with stubbed(["Answer: 1"]) as stub:
        jobs.carry_out(trial)
    assert (len(stub.calls), trial.answers.count()) == (3, 5)


def test_the_page_tries_the_text_and_shows_the_answers_below_it(
    made: Material, campaign: Campaign, client: Client
) -> None:
    client.force_login(made.manager)
    page = f"/c/{made.collection.slug}/campaigns/{campaign.slug}/machines/prompts/new/"
    with stubbed(["<b>Sure</b>\nAnswer: 1"], **PRICES):
        sent = client.post(page, {"name": "Mine", "body": BODY, "step": "try"})
        trial = PromptTrial.objects.get()
        assert sent.url == f"{page}?trial={trial.pk}#trial"
        jobs.carry_out(trial)
        text = client.get(sent.url).text
    assert "Requirement: {aspect}" in text
    assert text.count("&lt;b&gt;Sure&lt;/b&gt;") == 5
    assert "Try on others" in text
    with stubbed(["Answer: 1"]):
        client.post(sent.url, {"name": "Mine", "body": BODY, "step": "try"})
        assert PromptTrial.objects.latest("pk").seed == trial.seed + 1
        refused = client.post(page, {"name": "Mine", "body": BODY, "items": "one", "step": "try"})
        assert "Write numbers of items" in refused.text


def test_rest_and_the_command_try_it_too(
    made: Material, campaign: Campaign, client: Client, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    client.force_login(made.manager)
    base = f"/api/collections/{made.collection.slug}/campaigns/{campaign.slug}/prompt-trials/"
    item = campaign.items.first().pk
    with stubbed(["Answer: 1"]):
        sent = client.post(base, {"body": BODY, "items": [item]}, "application/json")
        assert (sent.status_code, sent.json()["answers"][0]["text"]) == (202, None)
        jobs.carry_out(PromptTrial.objects.get())
        [answer] = client.get(f"{base}{sent.json()['id']}/").json()["answers"]
        assert (answer["item"], answer["stated"], answer["text"]) == (
            item,
            {"relevance": {"value": 1, "problem": ""}},
            "Answer: 1",
        )
        (tmp_path / "p.txt").write_text(BODY)
        call_command(
            "prompts",
            made.collection.slug,
            "trial",
            campaign.slug,
            "--file",
            str(tmp_path / "p.txt"),
            "--items",
            str(item),
        )
    assert f"Item {item}: relevance: 1 (" in capsys.readouterr().err
