"""The open queue: who gets what, never more than k holders of an item, and nothing that stays lost."""

from datetime import timedelta

import pytest
from django.db.models import Count
from django.utils import timezone

from accounts.refusals import Conflict
from annotation.assignment.assignments import assign_items, reassign_assignments, release_assignments
from annotation.assignment.open_queue import QUEUE_AHEAD, free_slots
from annotation.models import Annotator, Assignment, AssignmentState, Judgment, Order, Strategy, VotesSeen
from tests.annotation.labelling.queues import LEASE, build_queue, items_of, take
from tests.annotation.labelling.sending import address
from tests.factories.adjudication import AT, Built
from tests.factories.labelling import build_work, given, kinds_of, send, send_one, skip, undo, values_of

pytestmark = pytest.mark.django_db


def free_items(built: Built) -> list[int]:
    numbers = {item.pk: number for number, item in enumerate(built.items)}
    rows = Assignment.objects.filter(queue=built.campaign, state=AssignmentState.OPEN).order_by("position", "slot")
    return [numbers[row.item_id] for row in rows]


def test_a_first_hand_is_the_first_items_each_once():
    built = build_queue(items=5)
    units = take(built, "ana")
    assert items_of(built, units) == [0, 1, 2]
    leased = Assignment.objects.filter(annotator=built.annotators["ana"])
    assert {(row.state, row.lease_expires_at) for row in leased} == {("pending", AT + LEASE)}
    assert free_items(built) == [0, 1, 2, 3, 3, 4, 4]


def test_taking_again_with_nothing_in_hand_gives_the_same_items():
    built = build_queue(items=5)
    assert take(built, "ana") == take(built, "ana")
    assert Assignment.objects.filter(annotator=built.annotators["ana"]).count() == QUEUE_AHEAD


def test_nobody_heaps_up_leases_by_claiming_to_have_what_they_have_not():
    built = build_queue(items=9)
    units = take(built, "ana")
    assert take(built, "ana", have=[units[0], [999_999]]) == []
    send(built, "ana", given(units[0][0], 1), have=[[999_999]])
    assert Assignment.objects.filter(annotator=built.annotators["ana"], state="pending").count() == QUEUE_AHEAD


def test_nobody_heaps_up_leases_by_claiming_to_have_less_than_they_have():
    built = build_queue(items=9)
    units = take(built, "ana")
    for _ in range(3):
        assert take(built, "ana", have=units[:1]) == []
    assert Assignment.objects.filter(annotator=built.annotators["ana"]).count() == QUEUE_AHEAD
    send(built, "ana", given(units[0][0], 1), have=[units[1]])
    assert Assignment.objects.filter(annotator=built.annotators["ana"], state="pending").count() == QUEUE_AHEAD


def test_what_is_not_under_lease_is_not_prolonged():
    built = build_queue(items=3, people=["ana", "ben"])
    ana = built.annotators["ana"]
    repeat = Assignment.objects.create(item=built.items[0], annotator=ana, state="pending", repeat=1)
    take(built, "ana", have=[[repeat.pk]])
    repeat.refresh_from_db()
    assert (repeat.lease_expires_at, repeat.held_by) == (None, None)


def test_by_document_units_are_counted_not_their_items():
    triples = [
        (str(topic), f"Aspect {n}", f"doc{document}") for topic in (1,) for document in range(5) for n in range(4)
    ]
    built = build_queue(triples=triples, order=Order.BY_DOCUMENT)
    units = take(built, "ana")
    assert [len(unit) for unit in units] == [4, 4, 4]
    assert take(built, "ana", have=units[:1]) == []
    send(built, "ana", *(given(id_, 1) for id_ in units[0]), have=units[1:])
    mine = Assignment.objects.filter(annotator=built.annotators["ana"])
    assert (mine.filter(state="done").count(), mine.filter(state="pending").count()) == (4, 12)


def test_what_was_judged_in_another_window_stops_nobody():
    built = build_queue(items=9)
    units = take(built, "ana")
    send(built, "ana", given(units[0][0], 1), have=units[1:])
    assert take(built, "ana", have=units[:1]) == [], "three are under lease: the other window has them"
    for unit in units[1:]:
        send(built, "ana", given(unit[0], 1))
    assert len(take(built, "ana", have=units[:1])) == QUEUE_AHEAD - 1


def test_the_answer_to_a_submission_deals_the_next_item():
    built = build_queue(items=6)
    units = take(built, "ana")
    answer = send(built, "ana", given(units[0][0], 1), have=units[1:])
    assert items_of(built, answer.units) == [3]
    assert built.annotators["ana"].assignments.filter(state="done").count() == 1


def test_sending_again_deals_the_same_items_again():
    built = build_queue(items=9)
    units = take(built, "ana")
    sent = given(units[0][0], 1)
    first = send(built, "ana", sent, have=units[1:])
    assert send(built, "ana", sent, have=units[1:]).units == first.units
    assert Assignment.objects.filter(annotator=built.annotators["ana"]).count() == QUEUE_AHEAD + 1


def test_no_item_gets_more_holders_than_its_overlap():
    built = build_queue(items=3, overlap=2)
    dealt = [items_of(built, take(built, person)) for person in ("ana", "ben", "cai")]
    assert dealt == [[0, 1, 2], [0, 1, 2], []]


def test_a_skip_offers_the_slot_to_others_and_not_again_to_me():
    built = build_queue(items=2, overlap=1)
    units = take(built, "ana")
    send_one(built, "ana", skip(units[0][0]))
    assert free_items(built) == [0]
    assert take(built, "ana", have=units[1:]) == []
    assert items_of(built, take(built, "ben")) == [0]


def test_a_slot_given_back_behind_my_place_is_found_from_the_start():
    built = build_queue(items=3, overlap=1)
    ana = take(built, "ana")[:1]
    free_slots([row.pk for row in built.annotators["ana"].assignments.exclude(pk=ana[0][0])], state="withdrawn")
    send(built, "ana", given(ana[0][0], 1))
    Annotator.objects.filter(name="ben").update(queue_position=3)
    assert items_of(built, take(built, "ben")) == [1, 2]


def test_leases_that_ran_out_go_to_people_without_work():
    built = build_queue(items=2, overlap=1)
    ana = take(built, "ana")
    assert take(built, "ben", at=AT + LEASE) == [], "the lease still holds at its very end"
    late = AT + LEASE + timedelta(seconds=1)
    assert items_of(built, take(built, "ben", at=late)) == [0]
    lost = Assignment.objects.get(pk=ana[0][0])
    assert (lost.state, lost.slot) == (AssignmentState.WITHDRAWN, None)


def test_a_lease_is_prolonged_by_going_on():
    built = build_queue(items=5, overlap=1)
    units = take(built, "ana")
    send(built, "ana", given(units[0][0], 1), have=units[1:], minutes=45)
    leases = set(
        Assignment.objects.filter(pk__in=[units[1][0], units[2][0]]).values_list("lease_expires_at", flat=True)
    )
    assert leases == {AT + timedelta(minutes=45) + LEASE}


def test_a_late_answer_takes_its_slot_again_while_it_is_free():
    built = build_queue(items=1, overlap=1)
    (unit,) = take(built, "ana")
    free_slots(unit, state="withdrawn")
    assert free_items(built) == [0]
    receipt = send_one(built, "ana", given(unit[0], 2), minutes=90)
    assert (receipt.outcome, receipt.state) == ("counted", "done")
    assert values_of(Assignment.objects.get(pk=unit[0])) == [2]
    assert free_items(built) == []


def test_a_late_answer_to_a_slot_that_is_taken_is_kept_and_not_counted():
    built = build_queue(items=1, overlap=1)
    (unit,) = take(built, "ana")
    late = AT + LEASE + timedelta(minutes=1)
    (other,) = take(built, "ben", at=late)
    receipt = send_one(built, "ana", given(unit[0], 2), minutes=62)
    assert receipt.outcome == "not-counted"
    assert kinds_of(Assignment.objects.get(pk=unit[0])) == [("answer", "not-counted")]
    send_one(built, "ben", given(other[0], 1), minutes=63)
    assert list(Judgment.objects.values_list("value", flat=True)) == [1]


def test_my_own_lapsed_lease_comes_back_to_me_when_nobody_wanted_it():
    built = build_queue(items=1, overlap=1)
    (unit,) = take(built, "ana")
    Assignment.objects.filter(pk=unit[0]).update(state="withdrawn", slot=None, held_by=None)
    Assignment.objects.create(item=built.items[0], queue=built.campaign, state="open", slot=1, position=1)
    assert take(built, "ana", at=AT + 2 * LEASE) == [unit]
    mine = Assignment.objects.get(pk=unit[0])
    assert (mine.state, mine.slot, mine.lease_expires_at) == ("pending", 1, AT + 3 * LEASE)


def test_what_a_manager_removed_does_not_come_back_automatically():
    built = build_queue(items=1, overlap=1)
    (unit,) = take(built, "ana")
    free_slots(unit, state="withdrawn")
    assert take(built, "ana") == []


def test_undo_in_a_queue_leases_the_item_again():
    built = build_queue(items=2)
    units = take(built, "ana")
    first = given(units[0][0], 2)
    send_one(built, "ana", first)
    send_one(built, "ana", undo(units[0][0], first.uuid), minutes=10)
    mine = Assignment.objects.get(pk=units[0][0])
    assert (mine.state, mine.lease_expires_at) == ("pending", AT + timedelta(minutes=10) + LEASE)
    assert take(built, "ana") == units


def test_by_document_one_unit_is_all_aspects_of_a_document():
    triples = [("1", f"Aspect {a}.", f"doc{d}") for d in range(3) for a in range(4)]
    built = build_queue(order=Order.BY_DOCUMENT, triples=triples, overlap=1)
    units = take(built, "ana")
    assert [sorted(items_of(built, [unit])) for unit in units] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert take(built, "ben") == []


def test_by_document_a_plan_deals_documents_whole():
    triples = [("1", f"Aspect {a}.", f"doc{d}") for a in range(3) for d in range(2)]  # scattered on purpose
    built = build_work(order=Order.BY_DOCUMENT, triples=triples)
    units = take(built, "ana")
    assert [sorted(items_of(built, [unit])) for unit in units] == [[0, 2, 4], [1, 3, 5]]
    answer = send(built, "ana", *(given(id_, 1) for id_ in units[0]), have=units[1:])
    assert all(result.outcome == "counted" for result in answer.results)
    assert answer.units == []


def test_a_queue_judged_to_the_end_holds_exactly_its_overlap():
    built = build_queue(items=7, overlap=2)
    people = ("ana", "ben", "cai")
    dealt = {person: take(built, person) for person in people}
    while any(dealt.values()):
        for person in people:
            if dealt[person]:
                unit, *rest = dealt[person]
                dealt[person] = rest + send(built, person, given(unit[0], 1), have=rest).units
    done = Assignment.objects.filter(state="done").values("item").annotate(n=Count("id"))
    assert [row["n"] for row in done] == [2] * 7
    assert Judgment.objects.count() == 14
    assert not Assignment.objects.filter(state__in=["open", "pending"]).exists()


def see_votes(built: Built, person: str, item: int) -> None:
    VotesSeen.objects.create(item=built.items[item], user=built.people[person], at=AT)


def test_who_has_seen_the_votes_of_an_item_never_gets_it():
    built = build_queue(items=3, overlap=1)
    see_votes(built, "ana", 0)
    see_votes(built, "ana", 2)
    assert items_of(built, take(built, "ana")) == [1]
    assert items_of(built, take(built, "ben")) == [0, 2]


def test_nor_with_the_rest_of_its_abstract():
    triples = [("1", f"Aspect {n}", "doc1") for n in range(3)]
    built = build_queue(triples=triples, order=Order.BY_DOCUMENT, overlap=1)
    see_votes(built, "ana", 1)
    assert sorted(items_of(built, take(built, "ana"))) == [0, 2]


def test_nor_by_a_lease_that_ran_out_or_by_undoing_a_skip():
    built = build_queue(items=2, overlap=1)
    first, second = (unit[0] for unit in take(built, "ana"))
    skipped = skip(second)
    send_one(built, "ana", skipped)
    late = AT + LEASE + timedelta(seconds=1)
    for number in (1, 0):  # what was skipped, then what was leased
        units = take(built, "ben", at=late)
        assert items_of(built, units) == [number]
        free_slots([units[0][0]], state="withdrawn")
    see_votes(built, "ana", 0)
    see_votes(built, "ana", 1)
    assert take(built, "ana", at=late) == []
    answer = send(built, "ana", given(first, 1), undo(second, skipped.uuid))
    assert answer.results[0].outcome == "not-counted"
    assert isinstance(answer.results[1], Conflict)
    assert not Judgment.objects.exists()
    assert sorted(free_items(built)) == [0, 1]


def test_nor_by_a_plan_or_by_what_is_handed_over():
    built = build_work(items=4, people=("ana", "ben"), overlap=1)
    Assignment.objects.filter(annotator=built.annotators["ben"]).delete()
    see_votes(built, "ben", 3)
    moved = reassign_assignments(
        source=built.annotators["ana"], target=built.annotators["ben"], by=built.people["manager"], at=AT
    )
    assert (moved.moved, moved.stayed) == (3, 1)
    release_assignments(annotator=built.annotators["ana"], by=built.people["manager"], at=AT)
    release_assignments(annotator=built.annotators["ben"], by=built.people["manager"], at=AT)
    Annotator.objects.filter(name="ana").update(capacity=1)
    assign_items(campaign=built.campaign, by=None, at=AT, overlap=1, strategy=Strategy.PLANNED)
    mine = Assignment.objects.filter(annotator=built.annotators["ben"], state="pending")
    assert {row.item for row in mine} == set(built.items[:3])


def test_who_has_had_every_item_waits_for_nobody(signed_in):
    """The second slot of each item is for somebody else: it never comes to who has judged the item."""
    built = build_queue(items=2, people=["ana", "ben"])
    client = signed_in(built)
    mine = take(built, "ana")
    send(built, "ana", given(mine[0][0], 1), have=mine[1:])
    send(built, "ana", given(mine[1][0], 1), have=[])
    assert client.get(address(built, "label_next")).json()["empty"] == "all-done", "what is free is for others"
    theirs = take(built, "ben", at=timezone.now())
    assert len(theirs) == 2
    assert client.get(address(built, "label_next")).json()["empty"] == "all-done", "what others hold is not for ana"
    page = " ".join(client.get(address(built)).text.split())
    assert 'You have judged all <span data-part="all-finished">2</span>' in page


def test_who_could_still_be_given_an_item_waits(signed_in):
    built = build_queue(items=1, overlap=1, people=["ana", "ben"])
    take(built, "ben", at=timezone.now())
    assert signed_in(built).get(address(built, "label_next")).json()["empty"] == "waiting"
