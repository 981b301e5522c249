"""Items that a person is asked a second time without a sign of it: planned, judged, counted, seen by nobody."""

import numpy as np
import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from accounts.refusals import Refused
from adjudication.labels.labels import read_labels, read_repeats
from annotation.assignment.assignments import reassign_assignments, release_assignments
from annotation.models import Assignment, Judgment
from engines.planning.order import schedule
from tests.annotation.assignment.test_assignments import assign, check_slots, confirmed, previewed, start
from tests.factories.annotation import AT, annotator, give_labels, make_campaign, make_material

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return make_material()


def order_of(campaign, name):
    """(item, repeat) in the order in which the person judges."""
    return list(annotator(campaign, name).assignments.order_by("position").values_list("item", "repeat"))


def repeats_of(campaign):
    return Assignment.objects.filter(item__campaign=campaign, repeat=1)


# --- the schedule ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(
    sizes=st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), max_size=30),
    share=st.sampled_from([0, 0.05, 0.2, 0.5]),
    gap=st.integers(1, 12),
    seed=st.integers(0, 99),
)
def test_units_are_asked_again_whole_and_after_the_gap(sizes, share, gap, seed):
    """`sizes`: items of each unit, and whether a group begins with it (0)."""
    unit = np.repeat(np.arange(len(sizes)), [size for size, _ in sizes]).astype(np.int64)
    groups = np.cumsum([begins == 0 for _, begins in sizes], dtype=np.int64)
    items = np.random.default_rng(seed).permutation(len(unit))  # an item's index says nothing of its place
    order = np.argsort(items, kind="stable").astype(np.int64)
    of = np.empty(len(unit), dtype=np.int64)
    of[order] = unit
    group = groups[of] if len(of) else of
    found = schedule(order, of, group, share=share, gap=gap, rng=np.random.default_rng(seed))

    places = np.r_[found.first, found.again]
    assert sorted(places) == list(range(len(places)))
    walked = [(int(of[i]), 0) for i in range(len(of))] + [(int(of[i]), 1) for i in found.repeated]
    walked = [entry for _, entry in sorted(zip(places.tolist(), walked, strict=True))]
    shown = [entry for at, entry in enumerate(walked) if not at or walked[at - 1] != entry]
    assert len(set(shown)) == len(shown), "a unit was torn apart"
    assert [number for number, again in shown if not again] == list(range(len(sizes)))
    asked = [number for number, again in shown if again]
    assert len(asked) <= round(share * len(sizes))
    assert len(asked) >= min(round(share * len(sizes)), max(0, len(sizes) - gap))
    for number in asked:
        firsts = [entry for entry in shown[shown.index((number, 0)) + 1 : shown.index((number, 1))] if not entry[1]]
        assert len(firsts) >= gap
        assert sorted(of[found.repeated]).count(number) == sizes[number][0]
        if number + gap < len(sizes) and groups[number + gap] == groups[number]:
            assert groups[firsts[-1][0]] == groups[number], "out of place although there was room"


# --- plans -----------------------------------------------------------------------------------------------------------


def test_a_share_of_what_each_person_gets_is_asked_again_as_previewed(made):
    campaign = make_campaign(made)
    preview = previewed(campaign, repeat_percent=25, repeat_gap=2)
    assert preview.summary["repeats"] == {"Ana": 4, "Ben": 4, "Cai": 4}
    assert (preview.summary["judgments"], preview.summary["loads"]["Ana"]) == (48, 16), "repeats are no judges"
    assert not Assignment.objects.exists()
    done = confirmed(preview)
    assert done.summary == preview.summary
    assert repeats_of(campaign).count() == 12
    assert not repeats_of(campaign).filter(slot__isnull=False).exists()
    check_slots(campaign)
    for name in ("ana", "ben", "cai"):
        order = order_of(campaign, name)
        assert len(order) == 20
        for item, again in order:
            if again:
                between = order[order.index((item, 0)) + 1 : order.index((item, 1))]
                assert sum(not repeat for _, repeat in between) >= 2


def test_by_document_an_abstract_is_asked_again_with_all_its_aspects(made):
    campaign = make_campaign(made, order="by-document")
    assign(campaign, repeat_percent=50, repeat_gap=1)
    for name in ("ana", "ben", "cai"):
        mine = annotator(campaign, name).assignments
        again = mine.filter(repeat=1).values_list("item__topic", "item__document")
        assert len(again)
        for topic, document in set(again):
            assert list(again).count((topic, document)) == 2
            places = list(
                mine.filter(repeat=1, item__topic=topic, item__document=document).values_list("position", flat=True)
            )
            assert max(places) - min(places) == 1


def test_items_planned_later_come_after_the_repeats_of_earlier_ones(made):
    campaign = make_campaign(made)
    assign(campaign, repeat_percent=25, repeat_gap=2)
    assign(campaign, overlap=3, repeat_percent=25, repeat_gap=2)
    for each in campaign.annotators.all():
        positions = list(each.assignments.values_list("position", flat=True))
        assert sorted(positions) == list(range(1, len(positions) + 1))
        assert each.assignments.filter(repeat=1).count() == 6


@pytest.mark.parametrize("options", [{"repeat_percent": 51}, {"repeat_percent": 10, "repeat_gap": 0}])
def test_shares_and_gaps_out_of_range_are_refused(made, options):
    with pytest.raises(Refused, match="repeat"):
        assign(make_campaign(made), **options)


def test_an_open_queue_has_no_repeats_and_says_why(made):
    with pytest.raises(Refused, match="an open queue has no personal order"):
        assign(make_campaign(made), strategy="queue", repeat_percent=10)


# --- taken back ------------------------------------------------------------------------------------------------------


def test_who_gives_items_back_is_not_asked_for_them_again(made):
    campaign = make_campaign(made)
    start(campaign, repeat_percent=25, repeat_gap=2)
    ana = annotator(campaign, "ana")
    give_labels(ana, [1] * 3)
    release_assignments(annotator=ana, by=None, at=AT)
    assert not ana.assignments.filter(state="pending").exists()
    assign(campaign, repeat_percent=25, repeat_gap=2)
    held = set(ana.assignments.filter(state__in=["pending", "done"], repeat=0).values_list("item", flat=True))
    again = ana.assignments.filter(state="pending", repeat=1)
    assert set(again.values_list("item", flat=True)) <= held
    check_slots(campaign)


def test_handing_over_leaves_no_repeat_behind(made):
    campaign = make_campaign(made, overlap=1)
    assign(campaign, repeat_percent=50, repeat_gap=1)
    ana, ben = annotator(campaign, "ana"), annotator(campaign, "ben")
    reassign_assignments(source=ana, target=ben, by=None, at=AT)
    assert not ana.assignments.filter(state="pending").exists()
    assert repeats_of(campaign).filter(annotator=ben, state="pending").count() == 4, "those of ben's own items"


# --- judged and counted ----------------------------------------------------------------------------------------------


def test_second_answers_are_self_consistency_and_nothing_else(made, client):
    campaign = make_campaign(made, overlap=1)
    start(campaign, repeat_percent=50, repeat_gap=1)
    ana = annotator(campaign, "ana")
    mine = ana.assignments.count()
    give_labels(ana, [1] * mine)
    assert mine == 12
    assert Judgment.objects.filter(assignment__repeat=1).count() == 4
    assert (read_labels(campaign).n_labels, read_repeats(campaign).n_labels) == (8, 4)


@pytest.mark.slow
def test_nothing_that_annotators_can_read_reveals_repeats(made, client):
    """What the API and the history list looks the same for both times; what is to come is not listed at all."""
    campaign = make_campaign(made, overlap=1)
    start(campaign, repeat_percent=50, repeat_gap=1)
    ana = annotator(campaign, "ana")
    client.force_login(ana.user)
    names = [made.collection.slug, campaign.slug]

    def listed(name):
        return client.get(reverse(name, args=names)).json()["results"]

    def shape(value):
        if isinstance(value, dict):
            return {key: shape(inner) for key, inner in value.items() if key != "parents"}
        return [shape(inner) for inner in value[:1]] if isinstance(value, list) else None

    assert listed("api_assignments") == []
    ids = ana.assignments.values_list("pk", flat=True)
    assert max(ids.filter(repeat=0)) > min(ids.filter(repeat=1)), "ids do not give the second times away"
    dealt = []
    for _ in range(12):
        dealt.append(client.get(reverse("api_next", args=names)).json())
        give_labels(ana, [1])
    units = [unit for each in dealt for unit in each["units"]]
    assert {str(shape(unit)) for unit in units} == {str(shape(units[0]))}, "a second time is dealt like a first"
    assert "repeat" not in str(dealt)
    rows = listed("api_assignments")
    assert {row["id"] for row in rows} == set(ana.assignments.values_list("id", flat=True))
    assert len({frozenset(row) for row in rows}) == 1
    assert len(listed("api_judgments")) == 12
