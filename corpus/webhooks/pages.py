"""Pages of webhooks: those of a collection, and one with what was sent to it."""

from datetime import timedelta
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from corpus.collections.pages.context import collection_context
from corpus.collections.rules import can_manage, fetch_manager
from corpus.models import PING, DeliveryState, Event, Membership, WebhookDelivery
from corpus.tables import Column, Step, read_table, wants_file
from corpus.webhooks.changes import redeliver_message
from corpus.webhooks.delivering import LEASE

PAGE_SIZE = 50
COLUMNS = (
    Column("created", "When", lambda row: row.created_at.isoformat(), order=("created_at",)),
    Column("event", "Event", lambda row: row.event, order=("event",)),
    Column("state", "State", lambda row: row.state, order=("state",)),
    Column("status", "Answer", lambda row: row.status, order=("status",)),
    Column("attempts", "Attempts", lambda row: row.attempts, order=("attempts",), is_number=True),
    Column("message", cell=lambda row: row.message),
    Column("problem", cell=lambda row: row.problem),
)


@require_safe
def webhook_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The webhooks of the collection, each with its state."""
    membership = fetch_manager(request.user, slug)
    context = collection_context(membership, "webhooks", webhooks=membership.collection.webhooks.order_by("pk"))
    return render(request, "corpus/webhooks/webhook_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def webhook_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse | StreamingHttpResponse:
    """One webhook and its deliveries, newest first, by state and event; a POST sends the chosen ones again."""
    membership = fetch_manager(request.user, slug)
    webhook = get_object_or_404(membership.collection.webhooks.select_related("collection"), pk=pk)
    state, event = request.GET.get("state", ""), request.GET.get("event", "")
    found = webhook.deliveries.select_related("webhook__collection").order_by("-id")
    found = found.filter(state=state) if state in DeliveryState.values else found
    found = found.filter(event=event) if event else found
    name = f"{slug}-webhook-{pk}-deliveries"
    table = read_table(request, name, COLUMNS, (_redelivery(membership),) if can_manage(membership) else ())
    if request.method == "POST":
        return table.carry_out(request, found)
    if wants_file(request):
        return table.download(table.ordered(found).iterator())
    context: dict[str, Any] = {
        "webhook": webhook,
        "page": Paginator(table.ordered(found), PAGE_SIZE).get_page(request.GET.get("page")),
        "table": table,
        "states": DeliveryState.choices,
        "types": [*Event.values, PING],
        "state": state,
        "event": event,
        "is_narrowed": bool(state or event),
        "rests": webhook.is_on and webhook.held_until > timezone.now() + LEASE + timedelta(seconds=1),
        "is_rotating": webhook.is_rotating(timezone.now()),
    }
    return render(request, "corpus/webhooks/webhook_detail.html", collection_context(membership, "webhooks") | context)


def _redelivery(membership: Membership) -> Step:
    def again(delivery: WebhookDelivery) -> None:
        redeliver_message(by=membership.user, at=timezone.now(), delivery=delivery)

    return Step("redeliver", "Redeliver", "Messages that are sent again", again)
