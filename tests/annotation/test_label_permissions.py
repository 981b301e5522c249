"""Judge first, look afterwards: overseers who judge as well read no labels of others while they have items left."""

import pytest
from django.test import Client
from django.urls import reverse

from adjudication.models import Verdict
from annotation.actions.annotators import remove_annotator
from annotation.actions.hands import take_hand
from annotation.models import Assignment, Campaign, CampaignState, Strategy
from annotation.permissions.labels import has_items_left
from tests.adjudication.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign
from tests.factories.labelling import build_work, given, send

pytestmark = pytest.mark.django_db

CAMPAIGN = ["tea", "main"]


@pytest.fixture
def built() -> Built:
    """Ana is a manager and has judged two of three items; everybody else has judged all."""
    built = build_campaign([[0, 1, 2], [1, 1, 2], [1, 1, 1]])
    vote(built)
    ana = built.annotators["ana"]
    Assignment.objects.filter(annotator=ana, item=built.items[2]).update(state="pending", finished_at=None)
    built.collection.memberships.filter(user=built.people["ana"]).update(role="manager")
    return built


def client_of(built: Built, person: str = "ana") -> Client:
    client = Client()
    client.force_login(built.people[person])
    return client


def statuses(client: Client) -> dict[str, int]:
    verdict = Verdict.objects.order_by("pk").first()
    assert verdict is not None
    names = ("adjudication_screen", "disagreement_list", "acceptance", "judgment_list", "relevance_list")
    pages = {name: reverse(name, args=CAMPAIGN) for name in names}
    pages["relevance_detail"] = reverse("relevance_detail", args=[*CAMPAIGN, verdict.item.topic_id])
    apis = {name: reverse(name, args=CAMPAIGN) for name in ("api_judgments", "api_verdicts")}
    files = {}
    for kind in ("judgments", "judgments-jsonl", "verdicts", "qrels"):
        more = "?annotators=1&level=aspect" if kind == "qrels" else ""
        files[f"export {kind}"] = reverse("export_download", args=["tea", kind]) + more
        files[f"api export {kind}"] = reverse("api_export", args=["tea", kind]) + more
    found = {name: client.get(address).status_code for name, address in {**pages, **apis, **files}.items()}
    for name in ("verdict_decide", "verdict_withdraw", "verdict_send_back"):
        address = reverse(name, args=[*CAMPAIGN, verdict.pk])
        found[name] = client.post(address, {"override": "1", "value": "x", "seen": ""}).status_code
    return found


def test_nothing_is_shown_while_something_is_left(built: Built) -> None:
    found = statuses(client_of(built))
    assert len(found) == 19
    assert set(found.values()) == {403}, found
    page = client_of(built).get(reverse("adjudication_screen", args=CAMPAIGN)).content.decode()
    assert "You still have items to judge in Main round" in page


def test_everything_is_shown_once_all_is_judged(built: Built) -> None:
    Assignment.objects.filter(annotator=built.annotators["ana"]).update(state="done", finished_at=AT)
    assert 403 not in statuses(client_of(built)).values()


def test_everything_is_shown_to_whoever_was_taken_off(built: Built) -> None:
    remove_annotator(annotator=built.annotators["ana"], by=None, at=AT)
    assert 403 not in statuses(client_of(built)).values()


def test_a_closed_campaign_holds_nobody_back(built: Built) -> None:
    Campaign.objects.update(state=CampaignState.CLOSED)
    assert 403 not in statuses(client_of(built)).values()


def test_whoever_does_not_judge_is_not_held_back(built: Built) -> None:
    assert 403 not in statuses(client_of(built, "manager")).values()


def test_topics_and_documents_can_be_taken_all_the_same(built: Built) -> None:
    client = client_of(built)
    for kind in ("topics", "documents"):
        assert client.get(reverse("export_download", args=["tea", kind])).status_code == 200
    page = client.get(reverse("export_list", args=["tea"]))
    assert page.status_code == 200
    assert "You still have items to judge in Main round" in page.content.decode()


def test_an_open_queue_may_hand_out_anything_that_is_free() -> None:
    built = build_work(items=2, overlap=1, strategy=Strategy.QUEUE)
    ana = built.people["ana"]
    assert has_items_left(built.campaign, ana)
    units = take_hand(collection="tea", campaign="main", have=[], by=ana, at=AT)[1]
    assert has_items_left(built.campaign, ana)
    for unit in units:
        send(built, "ana", given(unit[0], 1))
    assert not has_items_left(built.campaign, ana)
    assert not has_items_left(built.campaign, built.people["manager"])
