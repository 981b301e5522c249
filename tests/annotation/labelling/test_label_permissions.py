"""Judge first, look afterwards: overseers who judge as well read no labels of others while they have items left."""

import re
from collections.abc import Collection

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from adjudication.models import Verdict
from adjudication.verdicts.decisions import decide_verdict
from annotation.assignment.annotators import remove_annotator
from annotation.campaigns.unjudged import campaigns_hidden_from, campaigns_left_to
from annotation.labelling.units_ahead import take_units
from annotation.models import (
    AnnoCycle,
    Annotator,
    Assignment,
    Campaign,
    CampaignState,
    Item,
    Strategy,
)
from corpus.models import Membership, Role
from tests.annotation.labelling.permissions import client_of
from tests.factories.adjudication import AT, Built
from tests.factories.corpus import DocumentFactory
from tests.factories.labelling import build_work, given, send

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


CAMPAIGN = ["tea", "main"]


# One of each sort: a page, an address of the API, a file. For the tests of when labels are shown, not of where.
SOME = ("judgment_list", "api_verdicts", "export verdicts")


def statuses(client: Client, wanted: Collection[str] = ()) -> dict[str, int]:
    """What every address that shows labels answers, or those `wanted`."""
    verdict = Verdict.objects.order_by("pk").first()
    assert verdict is not None
    names = ("adjudication_screen", "disagreement_list", "acceptance", "judgment_list", "relevance_list")
    names += ("agreement_detail", "agreement_report", "sample_size")
    pages = {name: reverse(name, args=CAMPAIGN) for name in names}
    pages["relevance_detail"] = reverse("relevance_detail", args=[*CAMPAIGN, verdict.item.topic_id])
    apis = {
        name: reverse(name, args=CAMPAIGN) for name in ("api_judgments", "api_verdicts", "api_agreement", "api_votes")
    }
    files = {}
    for kind in ("judgments", "judgments-jsonl", "verdicts", "qrels"):
        more = "?campaign=main" + ("&annotators=1&level=aspect" if kind == "qrels" else "")
        files[f"export {kind}"] = reverse("export_download", args=["tea", kind]) + more
        files[f"api export {kind}"] = reverse("api_export", args=["tea", kind]) + more
    every = {**pages, **apis, **files}
    if wanted:
        return {name: client.get(every[name]).status_code for name in wanted}
    found = {name: client.get(address).status_code for name, address in every.items()}
    for name in ("verdict_decide", "verdict_withdraw", "verdict_send_back"):
        address = reverse(name, args=[*CAMPAIGN, verdict.pk])
        found[name] = client.post(address, {"override": "1", "value": "x", "seen": ""}).status_code
    return found


def test_nothing_is_shown_while_something_is_left(built: Built) -> None:
    found = statuses(client_of(built))
    assert len(found) == 24
    assert set(found.values()) == {403}, found
    page = client_of(built).get(reverse("adjudication_screen", args=CAMPAIGN)).content.decode()
    assert "You still have items to judge in Main round" in page
    overview = client_of(built).get(reverse("collection_dashboard", args=["tea"])).content.decode()
    assert overview.count("You still have items to judge in Main round") == 1  # in place of its figures
    assert "unanimous" not in overview


def test_the_refusal_says_why_and_how_a_manager_takes_themselves_off(built: Built) -> None:
    ana = built.annotators["ana"]
    address = reverse("adjudication_screen", args=CAMPAIGN)
    page = client_of(built).get(address).content.decode()
    assert "<h1>You still have items to judge</h1>" in re.sub(r"<h1[^>]*>", "<h1>", page)
    assert "Your role does not allow this" not in page
    assert "or remove yourself from the campaign." in page
    own = reverse("annotator_edit", args=[*CAMPAIGN, ana.pk])
    assert f'href="{own}"' in page
    assert 'value="remove"' in client_of(built).get(own).content.decode()
    Membership.objects.filter(user=ana.user).update(role=Role.VIEWER)
    page = client_of(built).get(address).content.decode()
    assert "or ask a manager to remove you from the campaign." in page
    assert (page.count("Go to my work"), own in page) == (1, False)


def test_everything_is_shown_once_all_is_judged(built: Built) -> None:
    Assignment.objects.filter(annotator=built.annotators["ana"]).update(state="done", finished_at=AT)
    assert 403 not in statuses(client_of(built)).values()


def test_everything_is_shown_to_people_who_were_removed(built: Built) -> None:
    remove_annotator(annotator=built.annotators["ana"], by=None, at=AT)
    assert 403 not in statuses(client_of(built), SOME).values()


def test_a_closed_campaign_holds_nobody_back(built: Built) -> None:
    Campaign.objects.update(state=CampaignState.CLOSED)
    assert 403 not in statuses(client_of(built), SOME).values()


def test_people_who_do_not_judge_are_not_held_back(built: Built) -> None:
    assert 403 not in statuses(client_of(built, "manager"), SOME).values()


def test_topics_and_documents_can_still_be_taken(built: Built) -> None:
    client = client_of(built)
    for kind in ("topics", "documents"):
        assert client.get(reverse("export_download", args=["tea", kind])).status_code == 200
    page = client.get(reverse("export_list", args=["tea"]))
    assert page.status_code == 200
    assert "You still have items to judge in Main round" in page.content.decode()


def test_an_open_queue_may_hand_out_anything_that_is_free() -> None:
    built = build_work(items=2, overlap=1, strategy=Strategy.QUEUE, slug="coffee")
    ana = built.people["ana"]
    assert built.campaign in campaigns_left_to(ana)
    units = take_units(collection="coffee", campaign="main", have=[], by=ana, at=AT)[1]
    assert built.campaign in campaigns_left_to(ana)
    for unit in units:
        send(built, "ana", given(unit[0], 1))
    assert built.campaign not in campaigns_left_to(ana)
    assert built.campaign not in campaigns_left_to(built.people["manager"])


# --- the audit log and the backup ---


def decided(built: Built) -> Verdict:
    """Somebody else decides the item that ana has judged already; nothing else of it is in the log."""
    verdict = Verdict.objects.filter(item=built.items[0]).get()
    decide_verdict(
        verdict=verdict, value=2, by=built.people["manager"], at=AT, cause="ambiguous", comment="Between the lines."
    )
    return verdict


def audit_texts(client: Client) -> tuple[str, str]:
    page = client.get(reverse("audit_list", args=["tea"])).text.replace("<bdi>", "").replace("</bdi>", "")
    rows = client.get(reverse("audit_download", args=["tea"])).getvalue().decode()
    return page, next(line for line in rows.splitlines() if "decide_verdict" in line)


def test_the_audit_log_does_not_say_how_items_were_decided(built: Built) -> None:
    verdict = decided(built)
    AuditEvent.objects.filter(verb="decide_verdict").update(target=f"{verdict.item_id}: 2")  # as it was written once
    page, row = audit_texts(client_of(built))
    assert "The labels of Main round stay hidden from you for now: you still have items to judge." in page
    assert "value 2" not in page
    assert f"{verdict.item_id}: 2" not in page + row
    assert row.endswith('decide_verdict,adjudication.verdict,,,"{""hidden"": ""for now""}"')
    Assignment.objects.filter(annotator=built.annotators["ana"]).update(state="done", finished_at=AT)
    page, row = audit_texts(client_of(built))
    assert "stay hidden" not in page
    assert "value 2" in page
    assert '""value"": 2' in row


def test_the_log_of_other_campaigns_is_whole(built: Built) -> None:
    decided(built)
    Campaign.objects.update(state=CampaignState.CLOSED)
    second_round(built, slice(0, 0))
    assert "value 2" in audit_texts(client_of(built))[0]


def test_a_backup_holds_all_labels(built: Built) -> None:
    for name in ("collection_backup", "api_collection_backup"):
        answer = client_of(built).get(reverse(name, args=["tea"]))
        assert answer.status_code == 403
        assert "A backup would show them." in answer.text
        assert client_of(built, "manager").get(reverse(name, args=["tea"])).status_code == 200
    assert AuditEvent.objects.filter(verb="download_backup").count() == 2


def test_a_test_campaign_that_is_sealed_is_hidden_from_everybody(built: Built) -> None:
    decided(built)
    Item.objects.update(split="test")
    Campaign.objects.update(split="test")
    dev = Campaign.objects.create(
        collection=built.collection,
        slug="dev",
        name="Dev",
        kind="relevance",
        split="dev",
        overlap=1,
        seed=1,
        created_at=AT,
    )
    AnnoCycle.objects.create(
        collection=built.collection, number=1, dev=dev, criterion="relevance", margin=0.05, created_at=AT
    )
    page, row = audit_texts(client_of(built, "manager"))
    assert "a test campaign is sealed" in page
    assert "for now" in row


# --- the same item in another campaign ---


def second_round(built: Built, subjects: slice) -> Campaign:
    """Ana has judged all of the main round, and has some of its items in another campaign still to judge."""
    Assignment.objects.filter(annotator=built.annotators["ana"]).update(state="done", finished_at=AT)
    second = Campaign.objects.create(
        collection=built.collection,
        slug="second",
        name="Second round",
        kind="relevance",
        overlap=1,
        seed=1,
        created_at=AT,
    )
    ana = Annotator.objects.create(campaign=second, user=built.people["ana"], kind="human", name="ana", created_at=AT)
    for item in built.items[subjects]:
        twin = Item.objects.create(
            campaign=second, split=second.split, topic=item.topic, aspect=item.aspect, document=item.document
        )
        Assignment.objects.create(item=twin, annotator=ana, state="pending", position=twin.pk)
    return second


@pytest.mark.parametrize("state", CampaignState.values)
def test_labels_of_an_item_stay_hidden_while_another_campaign_asks_for_it(built: Built, state: str) -> None:
    second_round(built, slice(1, 2))
    Campaign.objects.filter(pk=built.campaign.pk).update(state=state)
    found = statuses(client_of(built), () if state == CampaignState.OPEN else SOME)
    assert {name: status for name, status in found.items() if status != 403} == {}
    assert (
        "You still have items to judge in Second round"
        in client_of(built).get(reverse("judgment_list", args=CAMPAIGN)).text
    )
    assert 403 not in statuses(client_of(built, "manager"), SOME).values()
    assert list(campaigns_hidden_from(built.people["ana"]).order_by("pk").values_list("name", flat=True)) == [
        "Main round",
        "Second round",
    ]


def test_other_items_in_another_campaign_hide_nothing(built: Built) -> None:
    second = second_round(built, slice(0, 0))
    item = built.items[0]
    other = DocumentFactory(collection=built.collection)
    twin = Item.objects.create(
        campaign=second, split=second.split, topic=item.topic, aspect=item.aspect, document=other
    )
    ana = second.annotators.get()
    Assignment.objects.create(item=twin, annotator=ana, state="pending", position=1)
    assert 403 not in statuses(client_of(built), SOME).values()
    assert list(campaigns_hidden_from(built.people["ana"])) == [second]
    Item.objects.filter(pk=twin.pk).update(document=item.document, aspect=None)  # the topic as a whole: sways aspects
    assert {name: status for name, status in statuses(client_of(built), SOME).items() if status != 403} == {}
