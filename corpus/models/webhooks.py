"""Programs elsewhere that want to know what happens in a collection, and what was or will be sent to them."""

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from corpus.models.collections import Collection


class Event(models.TextChoices):
    """What is reported, as Standard Webhooks writes types. Each is announced by the action that makes it happen."""

    CAMPAIGN_OPENED = "campaign.opened", "A campaign was opened or reopened"
    CAMPAIGN_CLOSED = "campaign.closed", "A campaign was finished: it takes no more judgments"
    JOB_DONE = "job.done", "A job was done"
    JOB_FAILED = "job.failed", "A job failed"
    JOB_CANCELLED = "job.cancelled", "A job was cancelled"
    VERDICT_CHANGED = "verdict.changed", "Values of items changed, by a count of votes or a decision"
    RELEASE_FROZEN = "release.frozen", "A release was frozen"


PING = "ping"  # the type of a message that only tests a webhook


class Webhook(models.Model):
    """An address of a program, and the events that it wants.

    Secrets are encrypted (accounts/sealing.py); during a rotation messages are signed with the former ones, too, which
    `sealed_former` holds one a line, the newest first. Without `off_reason` a manager has switched it off.
    `failing_since`: no message has arrived since that attempt. `held_until` is for its worker: nobody else sends until
    then.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="webhooks")
    address = models.CharField(max_length=500)
    events = ArrayField(models.CharField(max_length=40))
    sealed_secret = models.TextField()
    sealed_former = models.TextField(blank=True, default="")
    former_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    off_at = models.DateTimeField(null=True, blank=True)
    off_reason = models.CharField(max_length=200, blank=True, default="")
    failing_since = models.DateTimeField(null=True, blank=True)
    held_until = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(name="webhook_has_events", condition=Q(events__len__gte=1)),
            models.CheckConstraint(name="webhook_has_a_secret", condition=~Q(sealed_secret="")),
            models.CheckConstraint(
                name="webhook_former_has_an_end",
                condition=Q(sealed_former="", former_until__isnull=True)
                | (~Q(sealed_former="") & Q(former_until__isnull=False)),
            ),
            models.CheckConstraint(name="webhook_off_has_a_time", condition=Q(off_reason="") | Q(off_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.address

    @property
    def is_on(self) -> bool:
        return self.off_at is None

    def is_rotating(self, at: datetime) -> bool:
        """Whether its former secrets are still valid."""
        return self.former_until is not None and at < self.former_until

    def secrets_at(self, at: datetime) -> list[str]:
        """The sealed secrets that are valid at this moment, the newest first."""
        return [self.sealed_secret, *(self.sealed_former.splitlines() if self.is_rotating(at) else [])]


class DeliveryState(models.TextChoices):
    WAITING = "waiting", "waiting"
    DELIVERED = "delivered", "delivered"
    FAILED = "failed", "failed"


class WebhookDelivery(models.Model):
    """One message to one webhook: the outbox, whose rows are written in the transaction of the event.

    `payload` is what is signed and sent, each time the same under the same `message` id. The rest is of the last
    attempt: `problem` says why there is no `status`.
    """

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    message = models.CharField(max_length=40, unique=True)
    event = models.CharField(max_length=40)
    payload = models.TextField()
    created_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=DeliveryState, default=DeliveryState.WAITING)
    due_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)  # since it was last asked for
    attempted_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveIntegerField(null=True, blank=True)
    answer = models.TextField(blank=True, default="")
    problem = models.CharField(max_length=300, blank=True, default="")
    seconds = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(name="webhook_delivery_state_known", condition=Q(state__in=DeliveryState.values)),
            models.CheckConstraint(
                name="webhook_delivery_due_while_waiting",
                condition=Q(state="waiting", due_at__isnull=False) | (~Q(state="waiting") & Q(due_at__isnull=True)),
            ),
        ]
        indexes = [
            models.Index(fields=["webhook", "-id"], name="webhook_delivery_newest"),
            models.Index(fields=["webhook", "due_at"], name="webhook_delivery_due", condition=Q(state="waiting")),
            models.Index(fields=["attempted_at"], name="webhook_delivery_ended", condition=~Q(state="waiting")),
        ]

    def __str__(self) -> str:
        return self.message
