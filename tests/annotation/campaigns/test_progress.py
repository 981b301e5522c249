"""How far a campaign is: every count against what was really done."""

from datetime import timedelta

import pytest

from annotation.assignment.annotators import add_name, remove_annotator
from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.campaigns.own_counts import OwnCounts, own_counts
from annotation.campaigns.progress import annotator_rows, estimate_end, fetch_progress
from annotation.campaigns.progress_bars import state_bar, with_bars
from annotation.labelling.units_ahead import take_units
from annotation.models import CampaignState, Item
from tests.factories.annotation import AT, annotator, give_labels, make_campaign, make_material, skip_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign():
    campaign = make_campaign(make_material())
    assign_items(campaign=campaign, by=None, at=AT)
    return open_campaign(campaign=campaign, by=None, at=AT)


def test_an_empty_campaign_has_nothing_to_report():
    campaign = make_campaign(make_material(), items=False, annotators=False)
    progress = fetch_progress(campaign, AT)
    assert (progress.items, progress.needed, progress.percent, progress.needs) == (0, 0, 0, {})
    assert estimate_end(progress, [], AT).reason == "There are no items yet."


def test_counts_are_of_judgments_that_count(campaign):
    for name in ("ana", "ben", "cai"):
        give_labels(annotator(campaign, name), [1] * 6)
    progress = fetch_progress(campaign, AT)
    assert (progress.items, progress.judgments, progress.left, progress.needed) == (24, 18, 30, 48)
    assert progress.complete + progress.in_progress + progress.untouched == 24
    assert 2 * progress.complete + progress.in_progress == 18
    assert progress.needs == {1: progress.in_progress, 2: progress.untouched}
    assert (progress.percent, progress.unassigned, progress.stale, progress.skips) == (37, 0, 0, 0)


def test_items_that_want_another_judge_are_not_done(campaign):
    Item.objects.filter(campaign=campaign).update(extra_overlap=1)
    for name in ("ana", "ben", "cai"):
        give_labels(annotator(campaign, name), [1] * 16)
    progress = fetch_progress(campaign, AT)
    assert (progress.complete, progress.in_progress, progress.needs, progress.unassigned) == (0, 24, {1: 24}, 24)


def test_skips_are_listed_by_reason_and_free_their_slots(campaign):
    skip_item(annotator(campaign, "ana"), "cannot be understood")
    skip_item(annotator(campaign, "ben"), "cannot be understood")
    skip_item(annotator(campaign, "cai"), "abstract is missing")
    progress = fetch_progress(campaign, AT)
    assert progress.skipped == [("cannot be understood", 2), ("abstract is missing", 1)]
    assert progress.skips == 3
    assert 2 <= progress.unassigned <= 3


@pytest.mark.slow
def test_leases_that_ran_out_are_stale():
    made = make_material()
    campaign = make_campaign(made, strategy="queue")
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    take_units(collection="teas", campaign=campaign.slug, have=[], by=made.people["ana"], at=AT)
    held = annotator(campaign, "ana").assignments.filter(state="pending").count()
    assert fetch_progress(campaign, AT).stale == 0
    assert fetch_progress(campaign, AT + timedelta(minutes=61)).stale == held > 0


def test_each_annotator_has_a_row_and_removed_ones_come_last(campaign):
    give_labels(annotator(campaign, "ben"), [1, 2, 0], active_ms=3000)
    give_labels(annotator(campaign, "ben"), [1], active_ms=9000)
    add_name(campaign=campaign, name="A machine", kind="machine", by=None, at=AT)
    remove_annotator(annotator=annotator(campaign, "ana"), by=None, at=AT)
    rows = {row.annotator.name: row for row in annotator_rows(campaign, AT)}
    assert list(rows) == ["Ben", "Cai", "A machine", "Ana"]
    ben = rows["Ben"]
    assert (ben.assigned, ben.pending, ben.done, ben.skipped, ben.median_seconds) == (16, 12, 4, 0, 3.0)
    assert (rows["Cai"].median_seconds, rows["Cai"].last_at) == (None, None)
    assert (rows["Ana"].assigned, rows["Ana"].is_active) == (0, False)
    own = own_counts([ben.annotator.pk, rows["A machine"].annotator.pk])
    assert own == {
        ben.annotator.pk: OwnCounts(4, 0, 12, None),
        rows["A machine"].annotator.pk: OwnCounts(0, 0, 0, None),
    }


def test_the_end_is_estimated_from_the_pace_of_the_last_days(campaign):
    for name, days in (("ana", 4), ("ben", 2)):
        give_labels(annotator(campaign, name), [1] * 12, at=AT - timedelta(days=days))
    progress, rows = fetch_progress(campaign, AT), annotator_rows(campaign, AT)
    estimate = estimate_end(progress, rows, AT)
    closed = estimate_end(progress, rows, AT, CampaignState.CLOSED)
    assert (closed.ends_at, closed.reason) == (None, "The campaign is closed, so judging has ended.")
    assert estimate.per_day == pytest.approx(24 / 4)
    assert estimate.ends_at == AT + timedelta(days=24 / 6)
    late = AT + timedelta(days=30)
    assert "An end date can be estimated" in estimate_end(progress, annotator_rows(campaign, late), late).reason


def test_few_answers_or_one_day_give_no_estimate(campaign):
    give_labels(annotator(campaign, "ana"), [1] * 16, at=AT - timedelta(hours=3))
    give_labels(annotator(campaign, "ben"), [1] * 16, at=AT)
    estimate = estimate_end(fetch_progress(campaign, AT), annotator_rows(campaign, AT), AT)
    assert (estimate.ends_at, estimate.per_day) == (None, None)
    assert "20 answers over a day" in estimate.reason


def test_when_all_is_judged_there_is_no_end_to_come(campaign):
    for name in ("ana", "ben", "cai"):
        give_labels(annotator(campaign, name), [1] * 16)
    progress = fetch_progress(campaign, AT)
    assert (progress.complete, progress.percent) == (24, 100)
    assert estimate_end(progress, annotator_rows(campaign, AT), AT).reason == "All items are judged."


def test_progress_takes_four_queries_however_large(campaign, django_assert_num_queries):
    with django_assert_num_queries(4):
        fetch_progress(campaign, AT)
    with django_assert_num_queries(3):
        annotator_rows(campaign, AT)


def test_bars_are_the_figures_next_to_them(campaign):
    give_labels(annotator(campaign, "ana"), [1] * 8)
    give_labels(annotator(campaign, "ben"), [1] * 4)
    skip_item(annotator(campaign, "ben"), "abstract is missing")
    add_name(campaign=campaign, name="A machine", kind="machine", by=None, at=AT)
    progress, rows = fetch_progress(campaign, AT), annotator_rows(campaign, AT)
    counts = {"done": progress.complete, "in progress": progress.in_progress, "not begun": progress.untouched}
    bar = state_bar(progress)
    assert {part.label: part.count for part in bar.parts} == {label: count for label, count in counts.items() if count}
    assert [part.width for part in bar.parts] == pytest.approx([100 * part.count / 24 for part in bar.parts], abs=0.001)
    assert bar.parts[-1].x + bar.parts[-1].width == pytest.approx(100, abs=0.01)
    bars = {row.annotator.name: bar for row, bar in with_bars(rows)}
    assert bars["A machine"] is None  # nothing assigned is said, and is not a bar of no length
    assert bars["Ana"].words == "8 done, 8 left"
    longest = max(row.assigned + row.skipped for row in rows)
    for row in rows[:3]:
        parts = {part.label: part for part in bars[row.annotator.name].parts}
        found = [parts[label].count if label in parts else 0 for label in ("done", "left", "skipped")]
        assert found == [row.done, row.assigned - row.done, row.skipped]
        wide = sum(part.width for part in parts.values())
        assert wide == pytest.approx(100 * (row.assigned + row.skipped) / longest, abs=0.01)


def test_a_campaign_without_items_has_no_bar():
    assert state_bar(fetch_progress(make_campaign(make_material(), items=False), AT)) is None
