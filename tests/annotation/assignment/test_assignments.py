"""Assignments as they are planned: judges for each item, orders, the open queue."""

from collections import Counter

import pytest
from django.db import connection

from accounts import jobs
from accounts.models import JobState
from accounts.refusals import NotAllowed, Refused
from annotation.assignment.annotators import add_members, add_name, pause_annotator, update_annotator
from annotation.assignment.assignments import (
    assign_items,
    confirm_assignment,
    release_assignments,
    request_assignment,
)
from annotation.assignment.workload import read_integers
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import close_campaign, open_campaign
from annotation.labelling.units_ahead import take_units
from annotation.models import Assignment, AssignmentState, Campaign, Item, Judgment
from corpus.models import Membership, Role
from tests.factories.annotation import (
    AT,
    add_documents,
    add_person,
    add_to_pool,
    annotator,
    give_labels,
    make_campaign,
    make_material,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return make_material()


def assign(campaign, **options):
    return assign_items(campaign=campaign, by=None, at=AT, **options)


def start(campaign, **options):
    summary = assign(campaign, **options)
    open_campaign(campaign=campaign, by=None, at=AT)
    return summary


def judges(campaign, *states):
    """{item: names of those who have it in one of these states}."""
    found = {pk: set() for pk in campaign.items.values_list("pk", flat=True)}
    rows = Assignment.objects.filter(item__campaign=campaign, state__in=states or ["pending", "done"])
    for item, name in rows.values_list("item", "annotator__name"):
        found[item].add(name)
    return found


def check_slots(campaign):
    """Every slot is within its item's overlap and held once; those without a slot do not count."""
    rows = list(
        Assignment.objects.filter(item__campaign=campaign).values_list(
            "item", "slot", "state", "annotator__kind", "item__extra_overlap"
        )
    )
    overlap = Campaign.objects.get(pk=campaign.pk).overlap
    held = [(item, slot) for item, slot, *_ in rows if slot is not None]
    assert len(set(held)) == len(held)
    assert all(1 <= slot <= overlap + extra for _, slot, _, _, extra in rows if slot is not None)


def previewed(campaign, **options):
    preview = request_assignment(campaign=campaign, by=None, at=AT, **options)
    jobs.carry_out(preview)
    preview.refresh_from_db()
    return preview


def confirmed(preview):
    job = confirm_assignment(preview=preview, by=None, at=AT)
    jobs.carry_out(job)
    job.refresh_from_db()
    return job


def test_every_item_gets_as_many_judges_as_the_overlap_says(made):
    campaign = make_campaign(made)
    summary = assign(campaign)
    assert summary.items == 24
    assert summary.judgments == 48
    assert summary.annotators == {"Ana": 16, "Ben": 16, "Cai": 16} == summary.loads
    assert summary.pairs == {"Ana|Ben": 8, "Ana|Cai": 8, "Ben|Cai": 8}
    assert summary.seed == campaign.seed == 7
    assert {len(names) for names in judges(campaign).values()} == {2}
    check_slots(campaign)


@pytest.mark.django_db(transaction=True)
def test_the_planner_knows_of_many_new_assignments():
    """Else the next item of a queue takes seconds to find: as many rows as items times assignments are looked at."""
    assign(make_campaign(make_material(topics=5, documents=50), overlap=1))
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'annotation_assignment'")
        assert cursor.fetchone() == (500,)


def test_planning_again_has_nothing_left_to_give(made):
    campaign = make_campaign(made)
    assign(campaign)
    again = assign(campaign)
    assert (again.items, again.judgments, again.annotators) == (0, 0, {"Ana": 0, "Ben": 0, "Cai": 0})
    assert Assignment.objects.count() == 48


def test_a_dry_run_shows_what_it_would_do_and_does_nothing(made):
    campaign = make_campaign(made)
    preview = assign(campaign, dry_run=True, overlap=3)
    assert preview.judgments == 72
    assert not Assignment.objects.exists()
    assert Campaign.objects.get().overlap == 2
    assert assign(campaign, overlap=3) == preview
    assert Campaign.objects.get().overlap == 3


def test_items_added_later_go_to_the_least_laden(made):
    campaign = make_campaign(made)
    start(campaign)
    before = judges(campaign)
    add_to_pool(made.topics[0], add_documents(made.collection, 3, start=50))
    build_items(campaign=campaign, by=None, at=AT)
    summary = assign(campaign)
    assert (summary.items, summary.loads) == (6, {"Ana": 20, "Ben": 20, "Cai": 20})
    assert {item: names for item, names in judges(campaign).items() if item in before} == before
    check_slots(campaign)


def test_raising_the_overlap_adds_a_judge_to_each_item(made):
    campaign = make_campaign(made)
    start(campaign)
    give_labels(annotator(campaign, "ana"), [1, 2, 0])
    summary = assign(campaign, overlap=3)
    assert summary.annotators == {"Ana": 8, "Ben": 8, "Cai": 8}
    assert {len(names) for names in judges(campaign).values()} == {3}
    assert Judgment.objects.count() == 3
    check_slots(campaign)


def test_one_more_judge_for_one_item(made):
    campaign = make_campaign(made)
    assign(campaign)
    item = campaign.items.first()
    Item.objects.filter(pk=item.pk).update(extra_overlap=1)
    assert assign(campaign).judgments == 1
    assert len(judges(campaign)[item.pk]) == 3
    check_slots(campaign)


def test_the_overlap_cannot_fall_below_what_is_given_out(made):
    campaign = make_campaign(made)
    assign(campaign)
    with pytest.raises(Refused, match="24 items have more judges"):
        assign(campaign, overlap=1)


@pytest.mark.parametrize("overlap", [0, 51])
def test_overlaps_out_of_range_are_refused(made, overlap):
    with pytest.raises(Refused, match="from 1 to 50"):
        assign(make_campaign(made), overlap=overlap)


def test_too_few_people_too_little_room_and_no_items_are_explained(made):
    campaign = make_campaign(made)
    with pytest.raises(Refused, match="4 different annotators, but only 3"):
        assign(campaign, overlap=4)
    for name in ("ana", "ben", "cai"):
        update_annotator(annotator=annotator(campaign, name), by=None, at=AT, capacity=10)
    with pytest.raises(Refused, match=r"48 judgments to assign, .* room for only 30"):
        assign(campaign)
    with pytest.raises(Refused, match="no items yet"):
        assign(make_campaign(made, name="Empty", items=False))
    assert not Assignment.objects.exists()


def test_weights_and_capacities_shape_the_loads(made):
    campaign = make_campaign(made)
    update_annotator(annotator=annotator(campaign, "ana"), by=None, at=AT, weight=2.0)
    update_annotator(annotator=annotator(campaign, "ben"), by=None, at=AT, capacity=5)
    assert assign(campaign).loads == {"Ana": 24, "Ben": 5, "Cai": 19}


def test_only_active_members_with_an_account_get_work(made):
    campaign = make_campaign(made)
    add_name(campaign=campaign, name="Offline", by=None, at=AT)
    add_name(campaign=campaign, name="model-x", kind="machine", by=None, at=AT)
    dan, eve, fay = (add_person(made, name, Role.ANNOTATOR) for name in ("dan", "eve", "fay"))
    add_members(campaign=campaign, users=[dan, eve, fay], by=None, at=AT)
    pause_annotator(annotator=annotator(campaign, "dan"), by=None, at=AT)
    Membership.objects.filter(user=eve).update(role=Role.VIEWER)
    Membership.objects.filter(user=fay).delete()
    assert set(assign(campaign).annotators) == {"Ana", "Ben", "Cai"}


def test_only_managers_assign(made):
    campaign = make_campaign(made)
    with pytest.raises(NotAllowed):
        assign_items(campaign=campaign, by=made.people["ada"], at=AT)


def test_closed_campaigns_take_no_plan(made):
    campaign = make_campaign(made)
    start(campaign)
    close_campaign(campaign=campaign, by=None, at=AT)
    with pytest.raises(Refused, match="Reopen it first"):
        assign(campaign, overlap=3)


# --- order -----------------------------------------------------------------------------------------------------------


def order_of(judge):
    rows = judge.assignments.filter(state="pending").order_by("position")
    return list(rows.values_list("item__topic", "item__aspect", "item__document"))


def test_each_annotator_has_an_order_of_their_own_with_aspects_together(made):
    campaign = make_campaign(made, overlap=3)
    assign(campaign)
    orders = [order_of(annotator(campaign, name)) for name in ("ana", "ben", "cai")]
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(orders[2])
    assert len({tuple(order) for order in orders}) == 3
    for order in orders:
        aspects = [aspect for _, aspect, _ in order]
        assert len({tuple(aspects[i : i + 4]) for i in range(0, 24, 4)}) == 6
        assert all(len(set(aspects[i : i + 4])) == 1 for i in range(0, 24, 4))
    positions = annotator(campaign, "ana").assignments.order_by("position").values_list("position", flat=True)
    assert list(positions) == list(range(1, 25))


def test_by_document_an_abstract_comes_whole_with_its_aspects_in_tree_order(made):
    campaign = make_campaign(made, order="by-document")
    assign(campaign)
    tree = {aspect.pk: place for place, aspect in enumerate(made.aspects)}
    for name in ("ana", "ben", "cai"):
        order = order_of(annotator(campaign, name))
        for first, second in zip(order[::2], order[1::2], strict=True):
            assert first[0] == second[0]
            assert first[2] == second[2]
            assert tree[first[1]] < tree[second[1]]


def test_the_same_seed_makes_the_same_plan_in_a_copy_of_the_campaign(made):
    def facts(name):
        campaign = make_campaign(made, name=name, seed=11)
        assign(campaign)
        rows = Assignment.objects.filter(item__campaign=campaign)
        return set(rows.values_list("item__aspect", "item__document", "annotator__name", "slot", "position"))

    assert facts("One") == facts("Two")


def test_new_items_come_after_what_an_annotator_has(made):
    campaign = make_campaign(made)
    assign(campaign)
    last = {each.pk: each.assignments.count() for each in campaign.annotators.all()}
    assign(campaign, overlap=3)
    for each in campaign.annotators.all():
        positions = sorted(each.assignments.values_list("position", flat=True))
        assert positions == list(range(1, 25))
        new = each.assignments.order_by("-pk")[: 24 - last[each.pk]]
        assert min(assignment.position for assignment in new) == last[each.pk] + 1


# --- open queue ------------------------------------------------------------------------------------------------------


def test_a_queue_gets_free_slots_with_all_of_an_item_at_one_place(made):
    campaign = make_campaign(made, strategy="queue")
    summary = assign(campaign)
    assert (summary.items, summary.judgments, summary.annotators) == (24, 48, {})
    rows = Assignment.objects.filter(queue=campaign, state="open", annotator=None)
    assert rows.count() == 48
    places = dict(rows.values_list("item", "position"))
    assert sorted(places.values()) == list(range(1, 25))
    assert Counter(rows.values_list("slot", flat=True)) == {1: 24, 2: 24}
    aspects = [Item.objects.get(pk=pk).aspect_id for pk in sorted(places, key=places.__getitem__)]
    assert all(len(set(aspects[i : i + 4])) == 1 for i in range(0, 24, 4))


def test_raising_the_overlap_of_a_queue_adds_a_slot_at_each_items_place(made):
    campaign = make_campaign(made, strategy="queue")
    assign(campaign)
    places = dict(Assignment.objects.values_list("item", "position"))
    assert assign(campaign, overlap=3).judgments == 24
    assert dict(Assignment.objects.filter(slot=3).values_list("item", "position")) == places
    add_to_pool(made.topics[0], add_documents(made.collection, 1, start=70))
    build_items(campaign=campaign, by=None, at=AT)
    assert assign(campaign).judgments == 6
    new = set(Assignment.objects.exclude(item__in=places).values_list("position", flat=True))
    assert new == {25, 26}


def test_lowering_the_overlap_of_a_queue_takes_free_slots_away(made):
    campaign = make_campaign(made, strategy="queue", overlap=3)
    start(campaign)
    take_units(collection="teas", campaign=campaign.slug, have=[], by=made.people["ana"], at=AT)
    preview = previewed(campaign, overlap=1)
    assert preview.summary["judgments"] == 0
    assert Assignment.objects.count() == 72
    assert confirmed(preview).state == JobState.DONE
    assert Assignment.objects.count() == 24
    assert set(Assignment.objects.values_list("slot", flat=True)) == {1}


def test_a_queue_becomes_a_plan_and_back(made):
    campaign = make_campaign(made, strategy="queue")
    start(campaign)
    take_units(collection="teas", campaign=campaign.slug, have=[], by=made.people["ana"], at=AT)
    leased = annotator(campaign, "ana").assignments.count()
    assert leased
    assert assign(campaign, strategy="planned").judgments == 48 - leased
    assert not Assignment.objects.filter(state=AssignmentState.OPEN).exists()
    assert {len(names) for names in judges(campaign).values()} == {2}
    assert Campaign.objects.get().strategy == "planned"
    release_assignments(annotator=annotator(campaign, "ben"), by=None, at=AT)
    freed = annotator(campaign, "ben").assignments.filter(state="withdrawn").count()
    assert assign(campaign, strategy="queue").judgments == freed
    check_slots(campaign)


# --- reading arrays --------------------------------------------------------------------------------------------------


def test_integers_come_as_one_array():
    query = "SELECT n::bigint, (n * %(factor)s)::bigint FROM generate_series(1, 3) n"
    assert read_integers(query, {"factor": -2}, 2).tolist() == [[1, -2], [2, -4], [3, -6]]
    assert read_integers("SELECT 1::bigint WHERE false", {}, 1).shape == (0, 1)


@pytest.mark.parametrize("query", ["SELECT NULL::bigint", "SELECT 1::int", "SELECT 1::bigint, NULL::bigint"])
def test_what_is_not_all_integers_is_an_error(query):
    with pytest.raises(ValueError, match="null or not a bigint"):
        read_integers(query, {}, query.count("::"))
