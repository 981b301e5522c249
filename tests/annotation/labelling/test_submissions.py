"""Taking in answers, skips and undos: stored once, word for word, counted once, in their slot."""

import uuid
from dataclasses import replace

import pytest
from django.db import DatabaseError, connection
from django.http import Http404

from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.assignment.rules import NotNow
from annotation.labelling.answers import ChangedElsewhere, Invalid
from annotation.models import (
    Annotator,
    AnnotatorState,
    Assignment,
    AssignmentState,
    CampaignState,
    Guideline,
    Judgment,
    Level,
    Submission,
)
from tests.factories.adjudication import AT
from tests.factories.labelling import (
    LATER,
    assignment_of,
    build_work,
    given,
    kinds_of,
    send,
    send_one,
    skip,
    undo,
    values_of,
)

pytestmark = pytest.mark.django_db


def test_an_answer_is_stored_with_all_it_came_with():
    built = build_work()
    mine = assignment_of(built, "ana")
    sent = given(
        mine, 2, note="See §3", flagged=True, guideline=1, active_ms=4200, away_ms=10, device="keyboard", client_at=AT
    )
    receipt = send_one(built, "ana", sent)
    assert (receipt.outcome, receipt.state, receipt.received_at) == ("counted", "done", AT)
    mine.refresh_from_db()
    assert (mine.state, mine.finished_at, mine.slot) == (AssignmentState.DONE, AT, 1)
    stored = Submission.objects.get(uuid=sent.uuid)
    assert stored.answers == {"relevance": 2}
    assert (stored.note, stored.flagged, stored.active_ms, stored.away_ms) == ("See §3", True, 4200, 10)
    assert (stored.device, stored.client_at, stored.guideline.version) == ("keyboard", AT, 1)
    judgment = Judgment.objects.get(assignment=mine)
    assert (judgment.value, judgment.submission_id) == (2, stored.pk)


def test_sending_again_changes_nothing_and_says_the_same():
    built = build_work()
    mine = assignment_of(built, "ana")
    sent = given(mine, 1)
    first = send_one(built, "ana", sent)
    again = send_one(built, "ana", replace(sent, active_ms=9), minutes=5)
    assert again == first
    assert kinds_of(mine) == [("answer", "counted")]


def test_sending_again_is_answered_after_the_campaign_has_closed():
    built = build_work()
    sent = given(assignment_of(built, "ana"), 1)
    first = send_one(built, "ana", sent)
    built.campaign.state = CampaignState.CLOSED
    built.campaign.save()
    assert send_one(built, "ana", sent) == first


@pytest.mark.parametrize("change", [{"answers": {"relevance": 0}}, {"note": "other"}, {"flagged": True}])
def test_a_uuid_with_other_content_is_a_conflict(change):
    built = build_work()
    mine = assignment_of(built, "ana")
    sent = given(mine, 1)
    send_one(built, "ana", sent)
    with pytest.raises(Conflict):
        send_one(built, "ana", replace(sent, **change))
    assert values_of(mine) == [1]


def test_the_uuid_of_somebody_else_is_a_conflict_that_reveals_nothing():
    built = build_work()
    theirs = given(assignment_of(built, "ben"), 2, note="secret")
    send_one(built, "ben", theirs)
    mine = assignment_of(built, "ana")
    with pytest.raises(Conflict) as caught:
        send_one(built, "ana", replace(given(mine, 2), uuid=theirs.uuid))
    assert "secret" not in caught.value.reason
    assert kinds_of(mine) == []


def test_an_answer_may_be_changed_by_who_knows_the_present_one():
    built = build_work()
    mine = assignment_of(built, "ana")
    first = given(mine, 0)
    send_one(built, "ana", first)
    send_one(built, "ana", given(mine, 2, base=first.uuid), minutes=3)
    assert values_of(mine) == [2]
    assert kinds_of(mine) == [("answer", "counted"), ("answer", "counted")]
    assert assignment_of(built, "ana").finished_at == AT, "a changed answer keeps its place in the history"


def test_an_answer_on_a_stale_base_shows_the_present_one():
    built = build_work()
    mine = assignment_of(built, "ana")
    first = given(mine, 0, note="from my phone")
    send_one(built, "ana", first)
    with pytest.raises(ChangedElsewhere) as caught:
        send_one(built, "ana", given(mine, 2))
    current = caught.value.current
    assert (current["uuid"], current["answers"], current["note"]) == (first.uuid, {"relevance": 0}, "from my phone")
    assert values_of(mine) == [0]


@pytest.mark.parametrize(
    ("answers", "reasons", "field"),
    [
        ({}, {}, "relevance"),
        ({"relevance": 7}, {}, "relevance"),
        ({"relevance": 1, "beauty": 1}, {}, "beauty"),
        ({"relevance": 0}, {}, "relevance"),
        ({"relevance": 0}, {"relevance": "because"}, "relevance"),
        ({"relevance": 1}, {"relevance": "too broad"}, "relevance"),
        ({"relevance": 1}, {"beauty": "too broad"}, "beauty"),
    ],
)
def test_what_the_scale_does_not_have_is_refused_at_its_field(answers, reasons, field):
    built = build_work()
    Level.objects.filter(criterion=built.criterion, value=0).update(reasons=["too broad", "too easy"])
    mine = assignment_of(built, "ana")
    with pytest.raises(Invalid) as caught:
        send_one(built, "ana", replace(given(mine, 1), answers=answers, reasons=reasons))
    assert caught.value.field == field
    assert caught.value.reason
    assert kinds_of(mine) == []


def test_a_demanded_reason_is_kept_with_the_judgment():
    built = build_work()
    Level.objects.filter(criterion=built.criterion, value=0).update(reasons=["too broad"])
    mine = assignment_of(built, "ana")
    send_one(built, "ana", replace(given(mine, 0), reasons={"relevance": "too broad"}))
    assert Judgment.objects.get(assignment=mine).reason == "too broad"
    assert Submission.objects.get(assignment=mine).reasons == {"relevance": "too broad"}


def test_undo_takes_the_judgment_back_and_keeps_what_was_said():
    built = build_work()
    mine = assignment_of(built, "ana")
    first = given(mine, 2)
    send_one(built, "ana", first)
    back = undo(mine, first.uuid)
    receipt = send_one(built, "ana", back)
    mine.refresh_from_db()
    assert (receipt.state, mine.state, mine.slot, mine.finished_at) == ("pending", "pending", 1, None)
    assert values_of(mine) == []
    assert kinds_of(mine) == [("answer", "counted"), ("undo", "counted")]
    send_one(built, "ana", given(mine, 0, base=back.uuid))
    assert values_of(mine) == [0]


def test_undo_of_what_is_not_done_is_refused():
    built = build_work()
    mine = assignment_of(built, "ana")
    with pytest.raises(Conflict):
        send_one(built, "ana", undo(mine, None))
    first = given(mine, 2)
    send_one(built, "ana", first)
    with pytest.raises(ChangedElsewhere):
        send_one(built, "ana", undo(mine, uuid.uuid4()))
    assert values_of(mine) == [2]


def test_a_skip_needs_a_reason_and_gives_the_slot_back():
    built = build_work()
    mine = assignment_of(built, "ana")
    with pytest.raises(Invalid) as caught:
        send_one(built, "ana", skip(mine, "  "))
    assert caught.value.field == "reason"
    send_one(built, "ana", skip(mine, " Not English "))
    mine.refresh_from_db()
    assert (mine.state, mine.slot, mine.finished_at) == (AssignmentState.SKIPPED, None, AT)
    assert Submission.objects.get(assignment=mine).reason == "Not English"


def test_a_skip_after_an_answer_removes_the_judgment():
    built = build_work()
    mine = assignment_of(built, "ana")
    first = given(mine, 2)
    send_one(built, "ana", first)
    send_one(built, "ana", skip(mine, base=first.uuid))
    assert values_of(mine) == []
    assert assignment_of(built, "ana").state == AssignmentState.SKIPPED


def test_a_skip_undone_takes_its_slot_again_unless_somebody_has_it():
    built = build_work()
    mine = assignment_of(built, "ana")
    first = skip(mine)
    send_one(built, "ana", first)
    back = undo(mine, first.uuid)
    send_one(built, "ana", back)
    mine.refresh_from_db()
    assert (mine.state, mine.slot) == (AssignmentState.PENDING, 1)

    second = skip(mine, base=back.uuid)
    send_one(built, "ana", second)
    dan = Annotator.objects.create(campaign=built.campaign, name="dan", created_at=AT)
    Assignment.objects.create(item=built.items[0], annotator=dan, state=AssignmentState.PENDING, slot=1)
    with pytest.raises(Conflict):
        send_one(built, "ana", undo(mine, second.uuid))
    assert assignment_of(built, "ana").state == AssignmentState.SKIPPED


def test_an_answer_after_the_slot_is_gone_is_kept_but_not_counted():
    built = build_work()
    mine = assignment_of(built, "ana")
    first = skip(mine)
    send_one(built, "ana", first)
    dan = Annotator.objects.create(campaign=built.campaign, name="dan", created_at=AT)
    Assignment.objects.create(item=built.items[0], annotator=dan, state=AssignmentState.PENDING, slot=1)
    receipt = send_one(built, "ana", given(mine, 2, base=first.uuid))
    assert (receipt.outcome, receipt.state) == ("not-counted", "skipped")
    assert values_of(mine) == []
    assert kinds_of(mine) == [("skip", "counted"), ("answer", "not-counted")]


def test_nobody_answers_for_somebody_else():
    built = build_work()
    with pytest.raises(Refused):
        send_one(built, "ana", given(assignment_of(built, "ben"), 1))
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("campaign", "annotator", "code"),
    [
        (CampaignState.CLOSED, AnnotatorState.ACTIVE, "closed"),
        (CampaignState.DRAFT, AnnotatorState.ACTIVE, "draft"),
        (CampaignState.OPEN, AnnotatorState.PAUSED, "paused"),
        (CampaignState.OPEN, AnnotatorState.REMOVED, "removed"),
    ],
)
def test_closed_paused_and_removed_refuse_with_the_reason(campaign, annotator, code):
    built = build_work()
    mine = assignment_of(built, "ana")
    built.campaign.state = campaign
    built.campaign.save()
    Annotator.objects.filter(pk=built.annotators["ana"].pk).update(state=annotator)
    with pytest.raises(NotNow) as caught:
        send_one(built, "ana", given(mine, 1))
    assert caught.value.code == code
    assert caught.value.reason
    assert kinds_of(mine) == []


def test_strangers_learn_nothing_and_members_why_not():
    built = build_work()
    mine = assignment_of(built, "ana")
    stranger = build_work(slug="coffee", people=("eve",)).people["eve"]
    built.people["stranger"] = stranger
    with pytest.raises(Http404):
        send(built, "stranger", given(mine, 1))
    with pytest.raises(NotAllowed, match="not among the annotators"):
        send(built, "viewer", given(mine, 1))


def test_several_at_once_are_each_judged_separately():
    built = build_work()
    first, second, third = (assignment_of(built, "ana", i) for i in range(3))
    answer = send(built, "ana", given(first, 2), given(second, 9), skip(third), have=[])
    assert [getattr(result, "outcome", "refused") for result in answer.results] == ["counted", "refused", "counted"]
    assert values_of(first) == [2]
    assert kinds_of(second) == []
    assert assignment_of(built, "ana", 2).state == AssignmentState.SKIPPED


def test_an_imported_version_of_the_guideline_is_found_by_its_number():
    built = build_work()
    newest = Guideline.objects.create(
        campaign=built.campaign, version=2, body="Judge more calmly.", created_at=AT, created_by=built.people["manager"]
    )
    sent = given(assignment_of(built, "ana"), 1, guideline=2)
    send_one(built, "ana", sent)
    assert Submission.objects.get(uuid=sent.uuid).guideline == newest
    unknown = given(assignment_of(built, "ana", 1), 1, guideline=77)
    send_one(built, "ana", unknown)
    assert Submission.objects.get(uuid=unknown.uuid).guideline is None


@pytest.mark.parametrize(
    "statement", ["UPDATE annotation_submission SET note = 'x'", "DELETE FROM annotation_submission"]
)
def test_submissions_are_append_only(statement):
    built = build_work()
    send_one(built, "ana", given(assignment_of(built, "ana"), 1))
    with pytest.raises(DatabaseError, match="append-only"), connection.cursor() as cursor:
        cursor.execute(statement)


def test_a_judgment_costs_few_statements(django_assert_max_num_queries):
    built = build_work(items=30)
    ids = list(built.annotators["ana"].assignments.order_by("position").values_list("pk", flat=True))
    send(built, "ana", given(ids[0], 1), have=[[id_] for id_ in ids[1:25]])
    with django_assert_max_num_queries(6):  # savepoints of the test included; a request adds session and user
        answer = send(built, "ana", given(ids[1], 1), have=[[id_] for id_ in ids[2:26]])
    assert answer.units == [[ids[26]]]


def test_time_goes_into_the_history_in_order():
    built = build_work()
    for number in range(3):
        send_one(built, "ana", given(assignment_of(built, "ana", number), 1), minutes=number)
    finished = list(
        built.annotators["ana"]
        .assignments.filter(finished_at__isnull=False)
        .order_by("finished_at")
        .values_list("finished_at", flat=True)
    )
    assert finished == [AT, AT + LATER, AT + 2 * LATER]
