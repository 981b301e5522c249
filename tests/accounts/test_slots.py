"""Bars of tabs: what stands in them, for whom, and how much of it at one level."""

import pytest

from accounts.slots import groups_for, tabs
from annotation.kind import kinds
from annotation.models import Campaign
from corpus.models import Role

MOST = 7  # at a level, so that a menu is read at one look


@pytest.mark.parametrize("role", Role.values)
@pytest.mark.parametrize("kind", [kind.name for kind in kinds()])
def test_no_menu_has_more_than_seven_entries(role: str, kind: str) -> None:
    for bar, subject in (("collection", None), ("campaign", Campaign(kind=kind))):
        groups = groups_for(bar, role, subject)
        assert len(groups) <= MOST
        assert all(len(group.tabs) <= MOST for group in groups), {group.label: len(group.tabs) for group in groups}


def test_each_name_of_a_group_stands_once() -> None:
    """No menu of a campaign has the name of one of its collection."""
    of_collection, of_campaign = ({tab.group for tab in tabs(bar)} for bar in ("collection", "campaign"))
    assert of_collection
    assert of_campaign
    assert not of_collection & of_campaign
