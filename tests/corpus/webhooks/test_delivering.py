"""Messages that were sent: signed, tried again, held back, switched off; at least once, also where a worker dies."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import standardwebhooks
from django.core import mail
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from accounts import digests
from accounts.models import AuditEvent
from accounts.sealing import sealed
from corpus.models import DeliveryState, Event, Role, Webhook, WebhookDelivery
from corpus.webhooks import delivering
from corpus.webhooks.changes import redeliver_message, replace_webhook_secret
from corpus.webhooks.delivering import PAUSES, deliver
from corpus.webhooks.events import announce
from corpus.webhooks.signing import new_secret
from tests.factories.accounts import AT, MembershipFactory
from tests.factories.webhooks import DeliveryFactory, WebhookFactory
from tests.processes import start_celery_worker, wait_for
from tests.stubs.chat import ChatStub, Hang, Status, Step

pytestmark = pytest.mark.django_db
LOOPBACK = (ip_network("127.0.0.1/32"),)
OK = Status(204, body=b"")


@pytest.fixture(autouse=True)
def inner(settings: Any) -> None:
    settings.INNER_ADDRESSES = LOOPBACK


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The delays after which workers were asked to go on."""
    found: list[float] = []
    monkeypatch.setattr(delivering, "call_sender", lambda _webhook, delay: found.append(delay))
    return found


def waiting(webhook: Webhook, **fields: Any) -> WebhookDelivery:
    fresh = {"state": DeliveryState.WAITING, "due_at": timezone.now(), "attempts": 0}
    return DeliveryFactory(webhook=webhook, status=None, attempted_at=None, seconds=None, **{**fresh, **fields})


def sent(step: Step | list[Step], **fields: Any) -> tuple[Webhook, WebhookDelivery, ChatStub]:
    """A message that was due, as it is after its webhook's turn."""
    with ChatStub(step if isinstance(step, list) else [step]) as stub:
        delivery = waiting(WebhookFactory(address=stub.url), **fields)
        deliver(delivery.webhook_id)
    delivery.refresh_from_db()
    return Webhook.objects.get(), delivery, stub


def pause_of(delivery: WebhookDelivery) -> float:
    assert delivery.due_at
    assert delivery.attempted_at
    return (delivery.due_at - delivery.attempted_at).total_seconds()


def test_a_message_arrives_signed_as_the_library_verifies_it() -> None:
    secret = new_secret()
    with ChatStub([OK]) as stub:
        webhook = WebhookFactory(address=stub.url, sealed_secret=sealed(secret))
        announce(Event.RELEASE_FROZEN, webhook.collection, at=AT, release="v1", links={"page": "/c/tea/"})
        deliver(webhook.pk)
    [call], delivery = stub.calls, WebhookDelivery.objects.get()
    found = standardwebhooks.Webhook(secret).verify(call.sent, call.headers)
    assert found["type"] == "release.frozen"
    assert datetime.fromisoformat(found["timestamp"]) == AT
    assert found["data"] == {
        "collection": webhook.collection.slug,
        "release": "v1",
        "links": {"page": "http://localhost:8000/c/tea/"},
    }
    assert call.headers["webhook-id"] == delivery.message
    assert (delivery.state, delivery.status, delivery.attempts, delivery.due_at) == ("delivered", 204, 1, None)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(new_secret()).verify(call.sent, call.headers)


def test_during_a_rotation_both_secrets_verify_then_the_new_one_alone() -> None:
    first = new_secret()
    with ChatStub([OK]) as stub:
        webhook = WebhookFactory(address=stub.url, sealed_secret=sealed(first))
        now = timezone.now()
        second = replace_webhook_secret(by=None, at=now, webhook=webhook, hours=1).secret
        waiting(webhook)
        deliver(webhook.pk)
        Webhook.objects.update(former_until=now)
        waiting(webhook)
        deliver(webhook.pk)
        third = replace_webhook_secret(by=None, at=now, webhook=webhook, hours=0).secret
        waiting(webhook)
        deliver(webhook.pk)
        for _ in range(2):  # pressed twice, of which the first answer is not seen
            fourth = replace_webhook_secret(by=None, at=now, webhook=webhook, hours=1).secret
        waiting(webhook)
        deliver(webhook.pk)

    def verifies(secret: str, place: int) -> bool:
        try:
            standardwebhooks.Webhook(secret).verify(stub.calls[place].sent, stub.calls[place].headers)
        except standardwebhooks.WebhookVerificationError:
            return False
        return True

    assert [[verifies(secret, place) for secret in (first, second, third, fourth)] for place in range(4)] == [
        [True, True, False, False],
        [False, True, False, False],
        [False, False, True, False],
        [False, False, True, True],
    ]


def test_a_failure_is_tried_again_on_schedule_under_the_same_id() -> None:
    assert sum(PAUSES) == 75 * 3600 + 35 * 60 + 5  # as the specification suggests
    with ChatStub([Status(500), Status(302, {"Location": "/elsewhere"}), OK]) as stub:
        delivery = waiting(WebhookFactory(address=stub.url))
        for pause in PAUSES[:2]:
            WebhookDelivery.objects.update(due_at=timezone.now())
            deliver(delivery.webhook_id)
            delivery.refresh_from_db()
            assert pause <= pause_of(delivery) <= 1.2 * pause
            assert Webhook.objects.get().failing_since
        WebhookDelivery.objects.update(due_at=timezone.now())
        deliver(delivery.webhook_id)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == ("delivered", 3)
    assert {call.headers["webhook-id"] for call in stub.calls} == {delivery.message}
    assert {call.sent for call in stub.calls} == {delivery.payload.encode()}
    assert {call.path for call in stub.calls} == {"/v1"}  # no redirect
    assert Webhook.objects.get().failing_since is None


def test_after_the_last_attempt_it_has_failed_and_can_be_sent_again() -> None:
    _, delivery, _ = sent(Status(500, body=b"out of tea"), attempts=len(PAUSES))
    assert (delivery.state, delivery.status, delivery.answer) == ("failed", 500, "out of tea")
    assert delivery.due_at is None
    redeliver_message(by=None, at=AT, delivery=delivery)
    with ChatStub([OK]) as stub:
        Webhook.objects.update(address=stub.url)
        deliver(delivery.webhook_id)
    assert stub.calls[0].headers["webhook-id"] == delivery.message


def test_one_asked_for_again_while_its_last_attempt_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    send = delivering._send

    def send_and_ask(delivery: WebhookDelivery, now: datetime) -> Any:
        answer = send(delivery, now)
        redeliver_message(by=None, at=AT, delivery=WebhookDelivery.objects.get())
        return answer

    monkeypatch.setattr(delivering, "_send", send_and_ask)
    _, delivery, _ = sent(Status(500), attempts=len(PAUSES))
    assert (delivery.state, delivery.attempts) == ("waiting", 1)


def test_a_server_that_asks_for_a_pause_is_left_alone(asked: list[float]) -> None:
    with ChatStub([Status(429, {"Retry-After": "600"}), OK]) as stub:
        webhook = WebhookFactory(address=stub.url)
        first, second = waiting(webhook), waiting(webhook)
        deliver(webhook.pk)
        deliver(webhook.pk)
        assert len(stub.calls) == 1  # the others wait, too
        first.refresh_from_db()
        assert pause_of(first) == 600
        Webhook.objects.update(held_until=Now())
        deliver(webhook.pk)
    second.refresh_from_db()
    assert second.state == "delivered"
    assert asked == []  # so late that beat finds it


def test_a_server_that_cannot_be_reached_is_not_asked_for_each_message(asked: list[float]) -> None:
    webhook = WebhookFactory(address="http://127.0.0.1:1/")
    first, second = waiting(webhook), waiting(webhook)
    deliver(webhook.pk)
    first.refresh_from_db(), second.refresh_from_db()
    assert first.problem.startswith("the connection failed")
    assert (first.attempts, second.attempts) == (1, 0)
    assert asked == [5.0]


def test_one_refused_message_does_not_hold_up_the_others(asked: list[float]) -> None:
    with ChatStub([Status(400), OK]) as stub:
        webhook = WebhookFactory(address=stub.url)
        first, second = waiting(webhook), waiting(webhook)
        deliver(webhook.pk)
    first.refresh_from_db(), second.refresh_from_db()
    assert (first.state, second.state) == ("waiting", "delivered")
    assert 4 < asked[0] <= 6


def test_410_switches_it_off_and_what_waits_is_kept() -> None:
    with ChatStub([Status(410)]) as stub:
        webhook = WebhookFactory(address=stub.url)
        first, second = waiting(webhook), waiting(webhook)
        deliver(webhook.pk)
        deliver(webhook.pk)
    webhook.refresh_from_db(), first.refresh_from_db(), second.refresh_from_db()
    assert len(stub.calls) == 1
    assert (first.state, second.state) == ("failed", "waiting")
    assert not webhook.is_on
    assert "410" in webhook.off_reason
    event = AuditEvent.objects.get(verb="switch_off_webhook")
    assert (event.actor, event.scope_id) == ("system", webhook.collection_id)
    assert delivering.call_due() == 0


def test_five_days_without_success_switch_it_off_and_managers_read_it(settings: Any) -> None:
    settings.EMAIL_BACKEND, settings.DIGEST_HOUR = "django.core.mail.backends.locmem.EmailBackend", 0
    long_ago = timezone.now() - timedelta(days=5, seconds=1)
    with ChatStub([Status(500)]) as stub:
        webhook = WebhookFactory(address=stub.url, failing_since=long_ago)
        manager = MembershipFactory(collection=webhook.collection, role=Role.MANAGER).user
        MembershipFactory(collection=webhook.collection, role=Role.VIEWER)
        waiting(webhook)
        deliver(webhook.pk)
    webhook.refresh_from_db()
    assert webhook.off_reason == "No message has arrived for 5 days."
    digests.send_due(timezone.now() + timedelta(minutes=1))
    [letter] = mail.outbox
    assert letter.to == [manager.email]
    assert webhook.off_reason in letter.body
    assert reverse("webhook_detail", args=[webhook.collection.slug, webhook.pk]) in letter.body


def test_a_secret_that_cannot_be_read_is_a_failure_that_says_so(settings: Any) -> None:
    webhook = WebhookFactory(address="http://127.0.0.1:1/")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 10, []
    delivery = waiting(webhook)
    deliver(webhook.pk)
    delivery.refresh_from_db()
    assert "secret key of this Litmus has changed" in delivery.problem


def test_while_one_worker_sends_no_other_does() -> None:
    with ChatStub([OK]) as stub:
        webhook = WebhookFactory(address=stub.url)
        waiting(webhook)
        Webhook.objects.update(held_until=Now() + delivering.LEASE)
        deliver(webhook.pk)
        assert delivering.call_due() == 0
        assert not stub.calls


def test_deliveries_are_kept_for_a_month() -> None:
    now = timezone.now()
    webhook = WebhookFactory()
    DeliveryFactory(webhook=webhook, attempted_at=now - timedelta(days=31))
    kept = DeliveryFactory(webhook=webhook, attempted_at=now - timedelta(days=29)), waiting(webhook, created_at=AT)
    assert delivering.forget_old(now) == 1
    assert set(WebhookDelivery.objects.all()) == set(kept)


@pytest.mark.services
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_loses_no_message(own_queue: str, tmp_path: Path) -> None:
    """It dies while the server is reading; the next sends the same message again, and then the other."""
    with ChatStub([Hang(), OK]) as stub:
        webhook = WebhookFactory(address=stub.url)
        first, second = waiting(webhook), waiting(webhook)
        worker = start_celery_worker(tmp_path / "worker.log", queue=own_queue, LITMUS_INNER_ADDRESSES="127.0.0.1")
        assert delivering.call_due() == 1
        wait_for(lambda: stub.calls, what="the first attempt")
        worker.kill()
        assert delivering.call_due() == 0
        Webhook.objects.update(held_until=Now())  # as after a minute
        assert delivering.call_due() == 1
        deliver(webhook.pk)
    assert not WebhookDelivery.objects.exclude(state=DeliveryState.DELIVERED).exists()
    ids = [call.headers["webhook-id"] for call in stub.calls]
    assert ids == [first.message, first.message, second.message]
