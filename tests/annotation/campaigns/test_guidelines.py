"""Guidelines: versions that are followed, never changed."""

from functools import partial

import pytest

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.campaigns.guidelines import write_guideline
from annotation.campaigns.lifecycle import close_campaign
from annotation.models import Campaign, CampaignState, Guideline
from tests.databases import at_once
from tests.factories.annotation import AT, make_campaign, make_material

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return make_material()


@pytest.fixture
def campaign(made):
    return make_campaign(made, items=False)


def write(campaign, body, **options):
    return write_guideline(campaign=campaign, body=body, by=None, at=AT, **options)


def test_each_change_is_a_new_version(made, campaign):
    first = campaign.guidelines.get()
    second = write_guideline(campaign=campaign, body="Be kind.\r\n\r\n", by=made.manager, at=AT, based_on=1)
    assert (second.version, second.body, second.created_by) == (2, "Be kind.\n", made.manager)
    assert Guideline.objects.get(pk=first.pk).body == first.body
    assert campaign.guidelines.first() == second
    assert AuditEvent.objects.get(verb="write_guideline").data == {"version": 2}


def test_the_same_text_again_is_no_new_version(campaign):
    newest = write(campaign, "Be kind.")
    assert write(campaign, "  Be kind.\n") == newest
    assert campaign.guidelines.count() == 2


def test_two_writers_do_not_overwrite_each_other(campaign):
    write(campaign, "Mine.", based_on=1)
    with pytest.raises(Conflict, match="version 2 while you were editing version 1"):
        write(campaign, "Yours.", based_on=1)
    assert campaign.guidelines.count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_writers_at_the_same_moment():
    campaign = make_campaign(make_material(), items=False)
    outcomes = at_once(*(partial(write, campaign, text, based_on=1) for text in ("One.", "Two.")))
    assert sorted(isinstance(each, Conflict) for each in outcomes) == [False, True]
    assert campaign.guidelines.count() == 2


def test_empty_and_endless_texts_are_refused(campaign):
    with pytest.raises(Refused, match="empty"):
        write(campaign, " \n ")
    with pytest.raises(Refused, match="at most 100,000"):
        write(campaign, "x" * 100_001)


def test_only_managers_write_and_not_in_a_closed_campaign(made, campaign):
    with pytest.raises(NotAllowed):
        write_guideline(campaign=campaign, body="Mine.", by=made.people["ada"], at=AT)
    Campaign.objects.update(state=CampaignState.OPEN)
    close_campaign(campaign=campaign, by=None, at=AT)
    with pytest.raises(Refused, match="Reopen"):
        write(campaign, "Late.")
