"""Units of an open queue that a page holds, leaves and takes up again."""

import pytest

from annotation.assignment.open_queue import QUEUE_AHEAD
from annotation.assignment.participation import Visit
from annotation.campaigns.unjudged import campaigns_hidden_from, campaigns_left_in, left_by_campaign, left_to
from annotation.models import Assignment, Item, Order
from tests.annotation.labelling.queues import LAPTOP, build_queue, items_of, leave, states, take, visit
from tests.factories.labelling import build_work, given, send, send_one, undo
from tests.plans import scans_of, statements

pytestmark = pytest.mark.django_db


def test_while_plenty_is_open_an_annotator_holds_enough_for_a_journey():
    built = build_queue(items=52)  # 104 slots; three annotators could hold 75
    assert items_of(built, take(built, "ana")) == list(range(25))
    assert len(take(built, "ben")) == 4, "79 are open, and once 75 are left three are enough"
    assert len(take(built, "cai")) == QUEUE_AHEAD


def test_a_page_begins_with_few_units_and_asks_for_the_rest():
    built = build_queue(items=60)
    units, _ = visit(built, "ana")
    assert items_of(built, units) == list(range(6))
    assert items_of(built, take(built, "ana", have=units)) == list(range(6, 25))


@pytest.mark.slow
def test_what_a_page_has_not_shown_is_free_again_when_it_is_left():
    built = build_queue(items=90, overlap=1)
    units, number = visit(built, "ana")
    send(built, "ana", given(units[0][0], 1))
    assert leave(built, "ana", number, units[:2]) == 4
    assert items_of(built, take(built, "ben"))[:4] == [2, 3, 4, 5]
    assert states(built, "ana")["withdrawn"] == 4


def test_who_comes_back_goes_on_with_what_they_left_and_no_rows_pile_up():
    built = build_queue(items=60)
    units, number = visit(built, "ana")
    before = Assignment.objects.count()
    for _ in range(3):
        assert leave(built, "ana", number, units[:1]) == 5
        again, number = visit(built, "ana")
        assert again == units
    assert Assignment.objects.count() == before


def test_a_page_loaded_again_has_the_whole_hand():
    built = build_queue(items=60)
    units, first = visit(built, "ana")
    rest = take(built, "ana", have=units, look_back=True, visit=first)
    again, newer = visit(built, "ana")
    assert leave(built, "ana", first, units[:1]) == 0
    assert take(built, "ana", have=again, look_back=True, visit=newer) == rest
    assert states(built, "ana") == {"pending": 25}


def test_who_comes_back_is_filled_up_with_what_they_left():
    built = build_queue(items=60)
    units, number = visit(built, "ana")
    rest = take(built, "ana", have=units, look_back=True, visit=number)
    rows = Assignment.objects.count()
    for _ in range(3):
        assert leave(built, "ana", number, units[:1]) == 24
        again, number = visit(built, "ana")
        assert again + take(built, "ana", have=again, look_back=True, visit=number) == units + rest
        assert (states(built, "ana"), Assignment.objects.count()) == ({"pending": 25}, rows)


def test_a_page_loaded_again_is_not_robbed_by_the_one_it_replaces():
    built = build_queue(items=60)
    units, number = visit(built, "ana")
    again, newer = visit(built, "ana")
    assert (again, newer) == (units, Visit(LAPTOP, number.number + 1))
    assert leave(built, "ana", number, units[:1]) == 0
    assert states(built, "ana") == {"pending": 6}


def test_what_was_judged_or_taken_back_is_not_given_away():
    built = build_queue(items=60)
    units, number = visit(built, "ana")
    send(built, "ana", sent := given(units[0][0], 1))
    send(built, "ana", undo(units[0][0], base=sent.uuid))
    visit(built, "ben")
    assert leave(built, "ana", number, []) == 5
    assert (states(built, "ana"), states(built, "ben")) == ({"pending": 1, "withdrawn": 5}, {"pending": 6})


def test_an_answer_to_a_unit_that_was_left_counts_while_its_slot_is_free():
    built = build_queue(items=60, overlap=1)
    units, number = visit(built, "ana")
    leave(built, "ana", number, units[:1])
    assert send_one(built, "ana", given(units[1][0], 2)).outcome == "counted"
    assert items_of(built, take(built, "ben")) == [2, 3, 4]
    assert send_one(built, "ana", given(units[2][0], 2)).outcome == "not-counted"


def test_who_leaves_units_behind_still_sees_no_labels_of_others():
    built = build_queue(items=2)
    send(built, "ben", *(given(unit[0], 1) for unit in visit(built, "ben")[0]))
    _, number = visit(built, "ana")
    assert leave(built, "ana", number, []) == 2
    ana, pk = built.people["ana"], built.campaign.pk
    assert list(campaigns_left_in([pk], ana)) == list(campaigns_hidden_from(ana)) == [built.campaign]
    assert Item.objects.filter(left_to(ana, "pk")).count() == 2, "for they come back to her"
    send(built, "ana", *(given(unit[0], 1) for unit in visit(built, "ana")[0]))
    assert not campaigns_left_in([pk], ana).exists()


def test_units_by_document_are_left_and_taken_up_whole():
    triples = [("1", f"Aspect {n}", f"doc{document:02}") for document in range(30) for n in range(4)]
    built = build_queue(triples=triples, order=Order.BY_DOCUMENT)
    for pk in Item.objects.order_by("-pk").values_list("pk", flat=True):  # they lie the other way round on the disk
        Item.objects.filter(pk=pk).update(extra_overlap=0)
    units, number = visit(built, "ana")
    assert [len(unit) for unit in units] == [4] * 6
    assert leave(built, "ana", number, units[:1]) == 20
    assert visit(built, "ana")[0] == units


def test_in_a_plan_nothing_is_left():
    built = build_work(items=8)
    _, number = visit(built, "ana")
    assert (number, leave(built, "ana", Visit(LAPTOP, 1), [])) == (None, 0)
    assert states(built, "ana") == {"pending": 8}


def test_what_is_left_in_another_collection_hides_nothing_and_its_items_are_not_looked_at():
    asked, elsewhere = build_work(people=("ben",)), build_queue(items=60, people=("ana",), overlap=1, slug="elsewhere")
    ana, pk = elsewhere.people["ana"], asked.campaign.pk
    assert left_by_campaign([pk, elsewhere.campaign.pk], ana) == {elsewhere.campaign.pk: [elsewhere.campaign.pk]}
    with statements() as executed:
        assert left_by_campaign([pk], ana) == {}
        assert not list(campaigns_left_in([pk], ana))
    assert len(executed) == 2
    assert {each["Actual Loops"] for each in scans_of("annotation_item", executed)} == {0}
