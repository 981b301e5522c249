"""An open campaign whose work is looked at."""

from copy import deepcopy

import pytest

from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Campaign
from tests.factories.annotation import AT, make_campaign, make_material


@pytest.fixture(scope="module")
def shared_campaign(module_db: None) -> Campaign:
    """Three people, 72 items, each judged by all three."""
    made = make_material(topics=6, aspects=3)
    campaign = make_campaign(made, overlap=3)
    assign_items(campaign=campaign, by=None, at=AT)
    return open_campaign(campaign=campaign, by=None, at=AT)


@pytest.fixture
def campaign(db: None, shared_campaign: Campaign) -> Campaign:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_campaign)
