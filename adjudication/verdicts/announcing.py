"""Changed values of items, reported to webhooks: which verdicts changed, never what they say."""

from datetime import datetime
from urllib.parse import urlencode

from django.db.models import Count, Min, QuerySet
from django.urls import reverse

from adjudication.models import Verdict
from annotation.models import Campaign
from corpus.models import Event
from corpus.webhooks.events import announce, is_wanted

MOST = 1_000  # verdicts that a message names; REST pages through all of them


def announce_changed(campaign: Campaign, changed: QuerySet[Verdict], *, at: datetime, cleared: int = 0) -> None:
    """One message for all that one action has changed; `cleared` verdicts are gone, as nobody's label is left."""
    if not is_wanted(Event.VERDICT_CHANGED, campaign.collection_id):
        return
    found = changed.aggregate(count=Count("pk"), since=Min("changed_at"))
    if not found["count"] and not cleared:
        return
    where = [campaign.collection.slug, campaign.slug]
    since = urlencode({"changed_since": found["since"].isoformat()} if found["since"] else {})
    api = f"{reverse('api_verdicts', args=where)}?{since}"
    announce(
        Event.VERDICT_CHANGED,
        campaign.collection,
        at=at,
        campaign=campaign.slug,
        changed=found["count"],
        cleared=cleared,
        verdicts=list(changed.order_by("pk").values_list("pk", flat=True)[:MOST]),
        links={"page": reverse("adjudication_screen", args=where), "api": api},
    )
