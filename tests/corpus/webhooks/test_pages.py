"""Pages, REST and commands of webhooks: what managers see and do, and that no secret comes out a second time."""

import io
import json
import re
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from ipaddress import ip_network
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.refusals import Conflict, Refused
from corpus.collections.backup import backup_pieces
from corpus.models import Collection, Role, Webhook, WebhookDelivery
from corpus.webhooks import changes, delivering
from corpus.webhooks.changes import add_webhook, ping_webhook, redeliver_message
from engines.endpoints.posting import Posted
from tests.databases import waits_for_a_lock
from tests.factories.accounts import AT, MembershipFactory
from tests.factories.webhooks import DeliveryFactory, WebhookFactory
from tests.stubs.chat import ChatStub, Status
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db
SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]+")
JSON = "application/json"


@pytest.fixture
def tea(client: Client) -> Collection:
    membership = MembershipFactory(collection__slug="tea", role=Role.MANAGER)
    client.force_login(membership.user)
    return membership.collection


def test_a_secret_is_shown_once_and_never_again(tea: Collection, client: Client) -> None:
    form = {"address": "https://hooks.example.org/", "events": ["job.done"]}
    page = client.post(reverse("webhook_create", args=["tea"]), form)
    made = [SECRET.findall(page.text)[0]]
    assert "no-store" in page.headers["Cache-Control"]
    webhook = Webhook.objects.get()
    answer = client.post(reverse("api_webhook_secret", args=["tea", webhook.pk]), {}, content_type=JSON)
    made.append(answer.json()["secret"])
    output = io.StringIO()
    call_command("replace_webhook_secret", "tea", str(webhook.pk), stdout=output)
    made += SECRET.findall(output.getvalue())
    rotated = client.post(reverse("webhook_secret", args=["tea", webhook.pk]), {"hours": "24"})
    made += SECRET.findall(rotated.text)
    assert len(set(made)) == 4
    shown = [
        *(client.get(reverse(name, args=["tea"])).text for name in ("webhook_list", "api_webhooks", "audit_list")),
        *(client.get(reverse(name, args=["tea", webhook.pk])).text for name in ("webhook_detail", "api_webhook")),
        client.get(reverse("webhook_change", args=["tea", webhook.pk])).text,
        json.dumps([*AuditEvent.objects.values(), *Webhook.objects.values()], default=str),
        b"".join(backup_pieces(tea)).decode("latin-1"),
    ]
    assert not [text for text in shown for secret in made if secret in text or secret[6:30] in text]


def test_a_webhook_sent_twice_is_added_once(tea: Collection, client: Client) -> None:
    form = {"address": "https://hooks.example.org/", "events": ["job.done"]}
    first, second = (client.post(reverse("webhook_create", args=["tea"]), form) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 422)
    webhook = Webhook.objects.get()
    assert f"Webhook {webhook.pk} has this address already." in second.text  # it may be switched off
    assert not SECRET.findall(second.text)


def test_a_webhook_too_many_is_tried_once(tea: Collection, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tried again in the same request, it could succeed unseen."""
    monkeypatch.setattr(changes, "MOST", 0)
    form = {"address": "https://hooks.example.org/", "events": ["job.done"]}
    with CaptureQueriesContext(connection) as queries:
        page = client.post(reverse("webhook_create", args=["tea"]), form)
    assert "A collection has at most 0 webhooks." in page.text
    assert sum("FOR NO KEY UPDATE" in query["sql"] for query in queries) == 1


def test_deliveries_are_listed_narrowed_and_sent_again(tea: Collection, client: Client) -> None:
    webhook = WebhookFactory(collection=tea)
    failed = DeliveryFactory.create_batch(3, webhook=webhook, state="failed", status=500, answer="<b>out of tea</b>")
    DeliveryFactory.create_batch(60, webhook=webhook)
    other = DeliveryFactory(state="failed")
    address = reverse("webhook_detail", args=["tea", webhook.pk])
    assert "Page 1 of 2" in client.get(address).text
    page = client.get(address, {"state": "failed"}).text
    assert page.count("&lt;b&gt;out of tea&lt;/b&gt;") == 3
    assert failed[0].message in page
    assert len(client.get(address, {"as": "csv", "state": "failed"}).getvalue().splitlines()) == 4
    picked = {"step": "redeliver", "pick": [str(each.pk) for each in (*failed[:2], other)]}
    assert "Messages that are sent again: 2." in client.post(address, picked, follow=True).text
    waiting = WebhookDelivery.objects.filter(state="waiting")
    assert set(waiting) == set(failed[:2])
    listed = client.get(reverse("api_webhook_deliveries", args=["tea", webhook.pk]), {"state": "waiting"}).json()
    assert [each["id"] for each in listed["results"]] == [failed[1].pk, failed[0].pk]
    assert listed["results"][0]["content"]["data"] == {"job": 1}
    assert client.post(reverse("webhook_redeliver", args=["tea", other.pk])).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_ping_says_what_the_server_answered(tea: Collection, client: Client, settings: Any) -> None:
    settings.INNER_ADDRESSES = (ip_network("127.0.0.1/32"),)
    with ChatStub([Status(204, body=b""), Status(404, body=b"nothing here")]) as stub:
        webhook = WebhookFactory(collection=tea, address=stub.url)
        address = reverse("webhook_ping", args=["tea", webhook.pk])
        assert "The ping arrived: the server answered 204 in 0." in client.post(address, follow=True).text
        assert "was not accepted: the server answered 404" in client.post(address, follow=True).text
    assert "The ping did not arrive: the connection failed" in client.post(address, follow=True).text
    with pytest.raises(Conflict, match="Wait a minute"):
        ping_webhook(by=None, at=timezone.now(), webhook=webhook)
    states = WebhookDelivery.objects.order_by("pk").values_list("event", "state")
    assert list(states) == [("ping", "delivered"), ("ping", "failed"), ("ping", "failed")]


def test_one_that_was_switched_off_says_why_and_is_switched_on_again(tea: Collection, client: Client) -> None:
    webhook = WebhookFactory(collection=tea, off_at=AT, off_reason="No message has arrived for 5 days.")
    assert "No message has arrived for 5 days." in client.get(reverse("webhook_detail", args=["tea", webhook.pk])).text
    with pytest.raises(Refused, match="switched off"):
        redeliver_message(by=None, at=AT, delivery=DeliveryFactory(webhook=webhook))
    address = reverse("api_webhook", args=["tea", webhook.pk])
    assert client.patch(address, {"is_on": True}, content_type=JSON).json()["off_reason"] == ""
    assert client.patch(address, {"events": ["job.done"]}, content_type=JSON).json()["is_on"] is True
    off = client.patch(address, {"is_on": False}, content_type=JSON).json()
    assert (off["is_on"], off["off_reason"]) == (False, "")


def test_addresses_that_are_none_and_too_many_webhooks_are_refused(
    tea: Collection, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wrong in ("ftp://example.org/", "https://", "https://a:b@example.org/", "https://example.org/#x", "nowhere"):
        form = {"address": wrong, "events": ["job.done"]}
        assert client.post(reverse("webhook_create", args=["tea"]), form).status_code == 422, wrong
    monkeypatch.setattr(changes, "MOST", 1)
    WebhookFactory(collection=tea)
    with pytest.raises(Refused, match="at most 1 webhooks"):
        add_webhook(by=None, at=AT, collection=tea, address="https://example.org/", events=["job.done"])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["webhook", "ping"])
def test_two_at_once_do_not_pass_a_limit(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MOST", 2)
    monkeypatch.setattr(changes, "PINGS", 1)
    webhook, now = WebhookFactory(), timezone.now()
    address = {"address": "https://example.org/", "events": ["job.done"]}
    act: dict[str, Callable[[], Any]] = {
        "webhook": lambda: add_webhook(by=None, at=now, collection=webhook.collection, **address),
        "ping": lambda: ping_webhook(by=None, at=now, webhook=webhook),
    }

    def also() -> None:
        with closing(connection), suppress(Refused):
            act[what]()

    with transaction.atomic():
        act[what]()
        other = threading.Thread(target=also)
        other.start()
        wait_for(lambda: waits_for_a_lock() or not other.is_alive(), what="the second to wait, or to have passed")
    other.join()
    assert (Webhook.objects.count(), WebhookDelivery.objects.count()) == ((2, 0) if what == "webhook" else (1, 1))


@pytest.mark.django_db(transaction=True)
def test_a_ping_holds_no_transaction_while_it_waits_for_the_server(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    membership = MembershipFactory(collection__slug="tea", role=Role.MANAGER)
    client.force_login(membership.user)
    webhook = WebhookFactory(collection=membership.collection, address="https://127.0.0.1:1/")
    monkeypatch.setattr(delivering, "post", lambda *_: Posted(problem=f"open: {connection.in_atomic_block}"))
    assert (
        "did not arrive: open: False."
        in client.post(reverse("webhook_ping", args=["tea", webhook.pk]), follow=True).text
    )
