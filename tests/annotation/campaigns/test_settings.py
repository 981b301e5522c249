"""One schema of limits: form, action, API, file and database take and refuse the same numbers."""

from typing import Any

import pytest
from django.db import DatabaseError, transaction

from accounts.refusals import Refused
from annotation.campaigns.api.campaigns import NewCampaignSerializer
from annotation.campaigns.forms.campaigns import CampaignForm
from annotation.campaigns.lifecycle import create_campaign, update_campaign
from annotation.models import Campaign
from engines.definitions.campaign_file import BadCampaignFile, read_campaign_file
from engines.definitions.settings import IN_FILE, LEASE, OVERLAP, SEED, Limits
from tests.factories.annotation import AT, make_campaign, make_material

pytestmark = pytest.mark.django_db
STORED = {"overlap": OVERLAP, "seed": SEED, "lease_minutes": LEASE}
CASES = [
    (name, value, limits.least <= value <= limits.most)
    for name, limits in STORED.items()
    for value in (limits.least - 1, limits.least, limits.most, limits.most + 1)
]


@pytest.mark.parametrize(("name", "value", "fits"), CASES)
def test_every_way_in_has_the_same_limits(name: str, value: int, fits: bool) -> None:
    campaign = make_campaign(make_material(), items=False)
    form = CampaignForm({"overlap": 2, "seed": 1, "lease_minutes": 5, name: value})
    assert (name not in form.errors) is fits
    serializer = NewCampaignSerializer(data={"name": "x", name: value})
    assert serializer.is_valid() is fits
    assert (_refusal(read_campaign_file, f"{name} = {value}") is None) is fits
    assert (_refusal(update_campaign, campaign=campaign, by=None, at=AT, **{name: value}) is None) is fits
    if not fits:
        with pytest.raises(DatabaseError), transaction.atomic():
            Campaign.objects.filter(pk=campaign.pk).update(**{name: value})


def _refusal(act: Any, *args: Any, **named: Any) -> str | None:
    try:
        act(*args, **named)
    except (Refused, BadCampaignFile) as refused:
        return refused.reason
    return None


def test_a_refusal_says_the_limits() -> None:
    made = make_material()
    wanted = {"collection": made.collection, "by": None, "at": AT, "name": "Long", "lease_minutes": 1_441}
    with pytest.raises(Refused, match="The lease must be a whole number from 1 to 1,440 minutes"):
        create_campaign(**wanted)
    with pytest.raises(BadCampaignFile, match="In the file, lease_minutes: The lease must be"):
        read_campaign_file("lease_minutes = 10000")


@pytest.mark.parametrize("limits", IN_FILE.values(), ids=list(IN_FILE))
def test_a_number_is_no_text_and_no_truth(limits: Limits) -> None:
    assert limits.problem(limits.least) == ""
    assert all(limits.problem(value) for value in (True, 1.5, "1", limits.most + 1))
