"""An open campaign whose work is looked at."""

import pytest

from annotation.assignment.actions.assignments import assign_items
from annotation.campaigns.actions.campaigns import open_campaign
from annotation.models import Campaign
from tests.factories.annotation import AT, make_campaign, make_material


@pytest.fixture
def campaign(db) -> Campaign:
    """Three people, 72 items, each judged by all three."""
    made = make_material(topics=6, aspects=3)
    campaign = make_campaign(made, overlap=3)
    assign_items(campaign=campaign, by=None, at=AT)
    return open_campaign(campaign=campaign, by=None, at=AT)
