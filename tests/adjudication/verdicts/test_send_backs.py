"""An item sent back for one more judge: who is asked, who is not, and taking it back."""

from datetime import timedelta
from functools import partial

import pytest

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.labels.queue import queue_counts, queue_of
from adjudication.verdicts.decisions import decide_verdict, withdraw_decision
from adjudication.verdicts.extra_judges import recall_item, send_back_item, waiting_judge
from annotation.assignment.annotators import add_members, pause_annotator
from annotation.campaigns.home import work_of
from annotation.campaigns.unjudged import campaigns_left_to
from annotation.labelling.units_ahead import take_units
from annotation.models import Assignment, AssignmentState, Campaign, CampaignState, Strategy
from tests.adjudication.verdicts.test_verdicts import make_role, verdict_of
from tests.adjudication.verdicts.test_votes import vote
from tests.databases import at_once, second_of
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db


LATER = AT + timedelta(days=1)


LABELS = [[0, 0, 0], [1, 1, 2], [0, 1, 2], [2, 0, None], [2, None, None]]


@pytest.fixture
def built() -> Built:
    found = build_campaign(LABELS, overlap=2)
    vote(found)
    return found


def test_sending_back_hands_it_to_the_least_busy_person(built: Built) -> None:
    sent = send_back_item(verdict=verdict_of(built, 3), by=built.people["adjudicator"], at=LATER)
    assert (sent.annotator, sent.state, sent.slot) == (built.annotators["cai"], AssignmentState.PENDING, 3)
    built.items[3].refresh_from_db()
    assert built.items[3].extra_overlap == 1
    assert queue_counts(built.criterion)["sent"] == 1
    assert verdict_of(built, 3) not in queue_of(built.criterion, "open")
    with pytest.raises(Conflict, match="judge has already been asked"):
        send_back_item(verdict=verdict_of(built, 3), by=built.people["adjudicator"], at=LATER)


def test_sending_back_fills_a_slot_given_back_before_another_is_added(built: Built) -> None:
    Assignment.objects.filter(item=built.items[3], annotator=built.annotators["ana"]).update(slot=None, state="skipped")
    sent = send_back_item(verdict=verdict_of(built, 3), by=built.people["adjudicator"], at=LATER)
    assert (sent.annotator, sent.slot) == (built.annotators["cai"], 1)


def test_a_person_who_asks_for_another_judge_is_not_the_judge(built: Built) -> None:
    make_role(built, "cai", "adjudicator")
    with pytest.raises(Refused, match="All annotators"):
        send_back_item(verdict=verdict_of(built, 3), by=built.people["cai"], at=LATER)


def test_sending_back_when_everybody_had_it_is_refused(built: Built) -> None:
    with pytest.raises(Refused, match="All annotators"):
        send_back_item(verdict=verdict_of(built, 2), by=built.people["adjudicator"], at=LATER)


def test_sending_back_in_an_open_queue_makes_a_free_slot(built: Built) -> None:
    Campaign.objects.filter(pk=built.campaign.pk).update(strategy=Strategy.QUEUE, overlap=3)
    sent = send_back_item(verdict=verdict_of(built, 2), by=built.people["adjudicator"], at=LATER)
    assert (sent.annotator, sent.state, sent.slot, sent.queue) == (None, AssignmentState.OPEN, 4, built.campaign)
    built.items[2].refresh_from_db()
    assert built.items[2].extra_overlap == 1


def test_the_sender_is_neither_leased_the_item_nor_kept_from_adjudicating(built: Built) -> None:
    make_role(built, "cai", "adjudicator")  # judged all but the last two
    Campaign.objects.filter(pk=built.campaign.pk).update(strategy=Strategy.QUEUE)
    sent = send_back_item(verdict=verdict_of(built, 3), by=built.people["cai"], at=LATER)
    campaign = Campaign.objects.get(pk=built.campaign.pk)
    assert campaign not in campaigns_left_to(built.people["cai"])
    where = {"collection": "tea", "campaign": "main"}
    assert take_units(**where, by=built.people["cai"], at=LATER)[1] == []
    assert work_of(built.people["cai"])[0].left == 0
    zoe = build_campaign([], slug="other", people=("zoe",)).people["zoe"]
    built.collection.memberships.create(user=zoe, role="annotator", created_at=AT)
    add_members(campaign=campaign, users=[zoe], by=None, at=AT)
    assert take_units(**where, by=zoe, at=LATER)[1] == [[sent.pk]]


def test_who_decided_an_item_is_not_asked_to_judge_it(built: Built) -> None:
    make_role(built, "cai", "adjudicator")
    decide_verdict(verdict=verdict_of(built, 3), value=2, by=built.people["cai"], at=LATER)
    withdraw_decision(verdict=verdict_of(built, 3), by=built.people["cai"], at=LATER)
    with pytest.raises(Refused, match="All annotators"):
        send_back_item(verdict=verdict_of(built, 3), by=built.people["adjudicator"], at=LATER)


def test_a_send_back_is_taken_back_while_nobody_has_it(built: Built) -> None:
    judge = built.people["adjudicator"]
    before = list(Assignment.objects.filter(slot__isnull=False).values_list("pk", flat=True))
    for strategy in (Strategy.PLANNED, Strategy.PLANNED, Strategy.QUEUE):
        Campaign.objects.filter(pk=built.campaign.pk).update(strategy=strategy)
        sent = send_back_item(verdict=verdict_of(built, 3), by=judge, at=LATER)
        assert waiting_judge(built.items[3].pk).get() == sent
        recall_item(verdict=verdict_of(built, 3), by=judge, at=LATER)
        built.items[3].refresh_from_db()
        assert built.items[3].extra_overlap == 0
        assert list(Assignment.objects.filter(slot__isnull=False).values_list("pk", flat=True)) == before
        assert verdict_of(built, 3) in queue_of(built.criterion, "open")
        with pytest.raises(Conflict, match="Nobody is asked"):
            recall_item(verdict=verdict_of(built, 3), by=judge, at=LATER)
    with pytest.raises(NotAllowed):
        recall_item(verdict=verdict_of(built, 3), by=built.people["viewer"], at=LATER)
    assert AuditEvent.objects.filter(verb="recall_item").count() == 3


def test_what_somebody_has_taken_is_not_taken_back(built: Built) -> None:
    Campaign.objects.filter(pk=built.campaign.pk).update(strategy=Strategy.QUEUE)
    sent = send_back_item(verdict=verdict_of(built, 3), by=built.people["adjudicator"], at=LATER)
    assert take_units(collection="tea", campaign="main", by=built.people["cai"], at=LATER)[1] == [[sent.pk]]
    with pytest.raises(Conflict, match="taken this item"):
        recall_item(verdict=verdict_of(built, 3), by=built.people["adjudicator"], at=LATER)
    built.items[3].refresh_from_db()
    assert built.items[3].extra_overlap == 1


def test_sending_back_in_a_closed_campaign_is_refused(built: Built) -> None:
    Campaign.objects.filter(pk=built.campaign.pk).update(state=CampaignState.CLOSED)
    with pytest.raises(Refused, match="closed"):
        send_back_item(verdict=verdict_of(built, 3), by=built.people["adjudicator"], at=LATER)


@pytest.mark.django_db(transaction=True)
def test_two_who_send_back_at_once_ask_for_one_judge() -> None:
    found = build_campaign(LABELS, people=("ana", "ben", "cai"))
    vote(found)
    Campaign.objects.filter(pk=found.campaign.pk).update(strategy=Strategy.QUEUE)
    send = partial(send_back_item, verdict=verdict_of(found, 2), by=found.people["adjudicator"], at=LATER)
    outcomes = at_once(*[send] * 4)
    assert sorted(isinstance(outcome, Conflict) for outcome in outcomes) == [False, True, True, True]
    found.items[2].refresh_from_db()
    assert found.items[2].extra_overlap == 1


@pytest.mark.django_db(transaction=True)
def test_a_judge_paused_at_the_same_moment_is_not_chosen() -> None:
    """The choice is made again once the annotator's row is locked."""
    found = build_campaign([[0, None, None]], people=("ana", "ben", "cai"))
    vote(found)
    pause = partial(pause_annotator, annotator=found.annotators["ben"], by=None, at=LATER)
    send = partial(send_back_item, verdict=verdict_of(found, 0), by=found.people["adjudicator"], at=LATER)
    assert second_of(pause, send).annotator == found.annotators["cai"]
