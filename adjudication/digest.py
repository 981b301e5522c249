"""What this app reports in a person's daily mail: items that wait for their decision."""

from collections.abc import Iterator
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.counting import numeral
from accounts.digests import Line, Notice
from accounts.models import User
from adjudication.procedure import waiting_for


def lines(user: User, since: datetime, now: datetime) -> Iterator[Line]:  # noqa: ARG001 - what waits has no time
    """Campaigns with items to decide."""
    for each in waiting_for(user):
        campaign = each.campaign
        where = reverse("adjudication_screen", args=[campaign.collection.slug, campaign.slug])
        yield Line(
            Notice.WORK,
            _("{campaign} ({collection}): {count} to decide").format(
                campaign=campaign, collection=campaign.collection, count=numeral(each.count)
            ),
            where,
        )
