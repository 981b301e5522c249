"""The work of a campaign: figures against what was really done, flags against hand-computed ones, and who sees them."""

import math
import re
from dataclasses import astuple
from datetime import date, timedelta
from types import SimpleNamespace

import pytest
from django.db.models import Sum
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import AuditEvent, JobState
from accounts.refusals import NotAllowed
from adjudication.following.days import MOST_BARS, add_up, make_chart, make_timeline
from adjudication.following.jobs import WorkJob
from adjudication.following.measures import MEASURES, Counted, Figure
from adjudication.following.people import (
    QuarterPart,
    TimeLeft,
    is_fast,
    look_at_deadline,
    look_at_levels,
)
from adjudication.following.requests import request_count
from adjudication.following.work import fetch_work, plot_speeds
from annotation.campaigns.lifecycle import close_campaign
from annotation.models import Assignment, Campaign, DailyWork, Submission, WorkSummary
from corpus.models import Collection, ImportRun
from tests.adjudication.following.counting import counted
from tests.factories.annotation import AT, annotator, give_labels, skip_item

TODAY = AT.date()
LEVELS = {0: "0 Not", 1: "1 Partly", 2: "2 Fully"}


def page_of(campaign: Campaign, *, user=None, person=None, today=TODAY):
    user = user or campaign.collection.memberships.get(role="manager").user
    criterion = campaign.criteria.get()
    return fetch_work(counted(campaign), user, criterion=criterion, person=person, today=today)


def person(page, name):
    return next(one for one in page.people if one.annotator.name == name)


def test_days_hours_and_speed_are_those_of_what_was_done(campaign):
    ana = annotator(campaign, "ana")
    give_labels(ana, [1, 2], active_ms=3000, at=AT - timedelta(days=9))
    give_labels(ana, [0, 0, 1], active_ms=6000)
    give_labels(ana, [1], active_ms=None)
    skip_item(ana, "cannot be understood")
    give_labels(annotator(campaign, "ben"), [1], active_ms=9000)
    page = page_of(campaign)
    mine = person(page, "Ana")
    assert (mine.work.judgments, mine.work.sent, mine.work.timed, mine.work.active_ms) == (6, 7, 5, 24_000)
    assert mine.seconds == (3.0, 6.0, 6.0)
    assert mine.work.hours == pytest.approx(24 / 3600)
    assert (page.total.judgments, page.last_week.judgments) == (7, 5)
    assert (page.timeline.step, [each.work.judgments for each in page.timeline.periods]) == (
        "day",
        [*[0] * 4, 2, *[0] * 8, 5],
    )
    assert (person(page, "Cai").work.hours, person(page, "Cai").seconds) == (None, None)
    drawn = page_of(campaign, person=annotator(campaign, "ben").pk)
    assert [each.work.judgments for each in drawn.timeline.periods] == [*[0] * 13, 1]


def test_counting_again_adds_nothing_twice_and_forgets_what_was_taken_back(campaign):
    give_labels(annotator(campaign, "ana"), [1, 2])
    assert page_of(campaign).total.judgments == page_of(campaign).total.judgments == 2
    Assignment.objects.filter(annotator__campaign=campaign, state="done").update(state="pending", finished_at=None)
    page = page_of(campaign)
    assert (page.total.judgments, page.total.sent) == (0, 2)  # the time was spent nevertheless


def test_imported_judgments_and_machines_are_nobodys_work(campaign):
    give_labels(annotator(campaign, "ana"), [1, 2])
    give_labels(annotator(campaign, "ben"), [1, 2])
    run = ImportRun.objects.create(collection=campaign.collection, kind="judgments", requested_at=AT)
    Assignment.objects.filter(annotator=annotator(campaign, "ana")).update(imported_in=run)
    campaign.annotators.filter(pk=annotator(campaign, "ben").pk).update(kind="machine", user=None)
    assert page_of(campaign).total.judgments == 0


def test_a_day_is_one_of_the_sites_time_zone(campaign, settings):
    give_labels(annotator(campaign, "ana"), [1], at=AT.replace(hour=23))
    settings.TIME_ZONE = "Asia/Tokyo"
    counted(campaign)
    assert DailyWork.objects.values_list("day", flat=True).get() == AT.date() + timedelta(days=1)


def test_the_three_looks_on_real_answers(campaign):
    """Ana and Ben answer 1 and 2 by turns; Cai always 1 and in a second. Cai agrees on the 1s alone."""
    items = {}
    for name in ("ana", "ben", "cai"):
        judge = annotator(campaign, name)
        pending = list(judge.assignments.filter(state="pending").order_by("position", "pk"))
        values = [1 if name == "cai" else 1 + each.item_id % 2 for each in pending]
        items[name] = [each.item_id for each in pending]
        give_labels(judge, values, active_ms=1000 if name == "cai" else 5000)
    page = page_of(campaign)
    cai, ana = person(page, "Cai"), person(page, "Ana")
    flags = {look.name: look.is_flagged for look in cai.looks}
    assert (flags["Median seconds"], flags["Levels"], flags.get("Last quarter")) == (True, True, None)  # 18 are too few
    assert {look.is_flagged for look in ana.looks} == {False}
    assert "1.0 (n 72); 0.20 times the median of the others, 5.0 s" in cai.looks[0].text.replace(
        ", 95% interval 1.0 to 1.0", ""
    )
    ones = sum(1 + item % 2 == 1 for item in items["cai"])
    assert f"On the 72 of these items that others judged, they gave it in {100 * ones / 72:.0f}%." in cai.looks[-1].text
    for quarter in range(4):
        mine = items["cai"][18 * quarter : 18 * (quarter + 1)]
        assert cai.quarters[quarter] == pytest.approx(sum(1 + item % 2 == 1 for item in mine) / 18)
    assert page.flagged == [cai]


def test_few_answers_are_said_to_be_few(campaign):
    give_labels(annotator(campaign, "ana"), [1] * 19)
    ana = person(page_of(campaign), "Ana")
    assert [look.is_flagged for look in ana.looks if look.name != "Longest run"] == [None]
    assert "20 timed answers of this person and of two others are needed" in ana.figures[0].text


def drift(parts: list[QuarterPart]) -> Figure:
    mine = {"answers": {"relevance": [astuple(part) for part in parts]}}
    measure = next(each for each in MEASURES if each.name == "drift")
    return measure.compute(Counted(mine, [], "relevance", LEVELS, {}))


def test_a_fall_in_agreement_by_hand():
    """60 of 80 before, 4 of 20 after: 0.20 - 0.75 = -0.55; variances p(1-p)/(n-1) are 0.1875/79 and 0.16/19."""
    before = [QuarterPart(quarter, 1, 0, 0, 0, 0) for quarter in (1, 2)] + [QuarterPart(3, 1, 80, 80, 60.0, 60.0)]
    figure = drift([*before, QuarterPart(4, 1, 20, 20, 4.0, 4.0)])
    half = 1.959964 * math.sqrt(0.1875 / 79 + 0.16 / 19)
    assert (figure.is_flagged, figure.note) == (True, "from 75% to 20%")
    assert (figure.value, figure.low, figure.high) == pytest.approx((-0.55, -0.55 - half, -0.55 + half))
    assert drift([*before, QuarterPart(4, 1, 20, 20, 14.0, 14.0)]).is_flagged is False
    few = drift([*before, QuarterPart(4, 1, 19, 19, 0.0, 0.0)])
    assert (few.is_flagged, few.value) == (None, None)
    assert few.reason == "the last quarter and the work before need 20 shared items each"


def test_one_level_is_fine_where_the_others_give_it_too():
    same = [QuarterPart(1, 0, 98, 98, 95.0, 94.0), QuarterPart(1, 1, 2, 2, 0.0, 0.0)]
    assert look_at_levels(same, LEVELS).is_flagged is False
    alone = [QuarterPart(1, 0, 98, 98, 50.0, 40.0), QuarterPart(1, 1, 2, 2, 0.0, 0.0)]
    assert look_at_levels(alone, LEVELS).is_flagged is True
    assert look_at_levels([QuarterPart(1, 0, 98, 5, 1.0, 1.0)], LEVELS).is_flagged is None
    assert "98% of 100 answers are “0 Not”" in look_at_levels(alone, LEVELS).text


def test_speed_needs_others():
    assert is_fast(50, 1.0, [9.0]) is None
    assert is_fast(50, 2.9, [9.0, 9.0]) is True
    assert is_fast(50, 3.0, [9.0, 9.0]) is False
    assert is_fast(50, 0.0, [0.0, 0.0]) is None
    assert is_fast(0, None, [9.0, 9.0]) is None


@given(st.lists(st.tuples(st.dates(date(2001, 1, 1), date(2005, 12, 31)), st.integers(0, 10**6)), max_size=40))
def test_no_judgment_is_lost_between_days_and_bars(days):
    rows = [DailyWork(day=day, judgments=n, sent=n, timed=n, active_ms=n) for day, n in days]
    timeline = make_timeline(rows)
    assert sum(each.work.judgments for each in timeline.periods) == add_up(rows).judgments
    starts = [each.first for each in timeline.periods]
    assert starts == sorted(set(starts))
    assert len(starts) <= MOST_BARS
    chart = make_chart([each.work.judgments for each in timeline.periods])
    assert (chart is None) == (add_up(rows).judgments == 0)
    for x, y, width, height in chart.bars if chart else ():
        assert 0 <= x <= x + width <= 100.01
        assert y + height == pytest.approx(100, abs=0.01)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([22.2, 3], ("0", "20", "40")),
        ([0.013], ("0", "0.01", "0.02")),
        ([1], ("0", "0.5", "1")),
        ([10], ("0", "5", "10")),
        ([90_000], ("0", "50,000", "100,000")),
        ([60, 0], ("0", "30", "60")),
    ],
)
def test_bars_end_below_a_round_number(values, ticks):
    assert make_chart(values).ticks == ticks


def test_speeds_stand_under_round_seconds():
    slow, quick = (
        SimpleNamespace(annotator=SimpleNamespace(name=name), seconds=seconds)
        for name, seconds in (("ada", (24.9, 36.0, 44.3)), ("ben", (8.4, 12.0, 16.5)))
    )
    plot = plot_speeds([slow, quick])
    assert [label for _, label in plot.ticks] == ["0", "12", "24", "36", "48"]
    assert [(mark.label, mark.at) for mark in plot.marks] == [("ben", 25.0), ("ada", 75.0)]


def test_what_is_due_is_counted_by_beat_and_not_again(campaign, django_capture_on_commit_callbacks):
    kind = WorkJob("work")
    kind.start_due(AT)
    summary = WorkSummary.objects.get(campaign=campaign)
    assert summary.state == JobState.QUEUED
    summary = counted(campaign)
    now = summary.finished_at
    WorkSummary.objects.filter(pk=summary.pk).update(started_at=now, counted_at=now)

    def is_due(after: timedelta) -> bool:
        WorkSummary.objects.filter(pk=summary.pk).update(state=JobState.DONE, finished_at=now, started_at=now)
        kind.start_due(now + after)
        return WorkSummary.objects.get(pk=summary.pk).state == JobState.QUEUED

    assert not is_due(timedelta(minutes=5))
    give_labels(annotator(campaign, "ana"), [1], at=now + timedelta(seconds=5))
    assert not is_due(timedelta(seconds=30))
    assert is_due(timedelta(seconds=90))
    Assignment.objects.filter(finished_at__gt=now).update(state="pending", finished_at=None)
    assert not is_due(timedelta(minutes=59))
    assert is_due(timedelta(minutes=61))  # an undone answer leaves no trace of time
    Collection.objects.update(archived_at=now)
    assert not is_due(timedelta(days=3))
    Collection.objects.update(archived_at=None)
    close_campaign(campaign=campaign, by=None, at=now)
    assert not is_due(timedelta(days=3))


def test_a_long_count_is_repeated_rarely(campaign):
    summary = counted(campaign)
    end = summary.finished_at
    WorkSummary.objects.filter(pk=summary.pk).update(started_at=end - timedelta(minutes=2))
    give_labels(annotator(campaign, "ana"), [1], at=end + timedelta(seconds=1))
    WorkJob("work").start_due(end + timedelta(minutes=39))
    assert WorkSummary.objects.get().state == JobState.DONE
    WorkJob("work").start_due(end + timedelta(minutes=41))
    assert WorkSummary.objects.get().state == JobState.QUEUED


def test_drafts_are_not_counted(campaign):
    Campaign.objects.filter(pk=campaign.pk).update(state="draft", opened_at=None)
    WorkJob("work").start_due(AT)
    assert not WorkSummary.objects.exists()


def test_asking_twice_is_one_count_and_only_managers_ask(campaign):
    manager = campaign.collection.memberships.get(role="manager").user
    first = request_count(campaign=campaign, by=manager, at=AT)
    assert request_count(campaign=campaign, by=manager, at=AT) == first
    assert AuditEvent.objects.filter(verb="count_work", actor=manager.email).count() == 2
    with pytest.raises(NotAllowed):
        request_count(campaign=campaign, by=annotator(campaign, "ana").user, at=AT)


@pytest.mark.slow
def test_the_page_reads_rows_of_the_count_alone(campaign, client, django_assert_max_num_queries):
    for name in ("ana", "ben", "cai"):
        give_labels(annotator(campaign, name), [1, 2] * 20)
    counted(campaign)
    client.force_login(campaign.collection.memberships.get(role="manager").user)
    address = reverse("work_detail", args=["teas", campaign.slug])
    with django_assert_max_num_queries(20) as captured:
        answer = client.get(address)
    assert answer.status_code == 200
    tables = (Submission._meta.db_table, "annotation_judgment")
    assert not [
        query["sql"] for query in captured.captured_queries if any(f'"{each}"' in query["sql"] for each in tables)
    ]
    assert "The campaign has no deadline, so nobody is late." in answer.text
    assert DailyWork.objects.aggregate(n=Sum("judgments"))["n"] == 120


def test_a_manager_who_still_judges_sees_speed_alone(campaign):
    manager = campaign.collection.memberships.get(role="manager").user
    give_labels(annotator(campaign, "ana"), [1] * 25)
    campaign.annotators.filter(pk=annotator(campaign, "cai").pk).update(user=manager)
    page = page_of(campaign, user=manager)
    assert "You still have items to judge" in page.hidden
    assert all([each.measure.name for each in one.figures] == ["speed"] and not one.quarters for one in page.people)
    assert not any(one.looks for one in page.people)


def test_pages_before_the_first_count_and_without_work(campaign, client):
    client.force_login(campaign.collection.memberships.get(role="manager").user)
    address = reverse("work_detail", args=["teas", campaign.slug])
    assert "has not been counted yet" in client.get(address).text
    request_count(campaign=campaign, by=campaign.collection.memberships.get(role="manager").user, at=AT)
    waiting = client.get(address).text
    assert "The figures appear here when the count above is done." in waiting
    assert "A count starts within a minute" not in waiting
    counted(campaign)
    assert "Nobody has judged here yet." in client.get(address).text
    assert client.get(address, {"person": "x"}).status_code == 200
    assert client.get(address, {"criterion": "<none>"}).status_code == 404


def test_who_is_late_by_hand():
    """20 items in 5 days are 4 a day: 28 in 7 days keep pace, 27 do not."""
    time = TimeLeft(5, 7, {})
    assert look_at_deadline(time, 20, 28).is_flagged is False
    late = look_at_deadline(time, 20, 27)
    assert late.is_flagged is True
    assert "20 items left for 5 days: 4.0 a day are needed. In the last 7 days it was 3.9 a day." in late.text
    assert look_at_deadline(time, 0, 0).is_flagged is False
    assert look_at_deadline(TimeLeft(0, 7, {}), 1, 99).text == "1 item left, and the deadline has passed."
    assert look_at_deadline(TimeLeft(5, 2, {}), 20, 0).is_flagged is None


@pytest.mark.slow
def test_late_people_are_named_on_the_page_and_nobody_in_a_queue(campaign, client):
    manager = campaign.collection.memberships.get(role="manager").user
    today = timezone.localdate()
    opened = timezone.now() - timedelta(days=10)
    Campaign.objects.filter(pk=campaign.pk).update(opened_at=opened, deadline=today + timedelta(days=1))
    give_labels(annotator(campaign, "ana"), [1] * 72, at=timezone.now() - timedelta(days=1))
    give_labels(annotator(campaign, "ben"), [1] * 70, at=timezone.now() - timedelta(days=1))
    campaign.refresh_from_db()
    page = page_of(campaign, today=today)
    assert [one.annotator.name for one in page.late] == ["Cai"]
    assert person(page, "Ben").looks[-1].text.startswith("2 items left for 2 days: 1.0 a day are needed.")
    client.force_login(manager)
    answer = client.get(reverse("work_detail", args=["teas", campaign.slug]))
    assert "(tomorrow)" in answer.text
    assert "1 of 3 people would not finish in time" in answer.text
    Campaign.objects.filter(pk=campaign.pk).update(deadline=today - timedelta(days=1))
    campaign.refresh_from_db()
    assert [one.annotator.name for one in page_of(campaign, today=today).late] == ["Ben", "Cai"]
    Campaign.objects.filter(pk=campaign.pk).update(strategy="queue")
    campaign.refresh_from_db()
    assert page_of(campaign, today=today).time_left is None


def test_an_archived_collection_is_not_counted_again(campaign, client):
    client.force_login(campaign.collection.memberships.get(role="manager").user)
    at = reverse("work_detail", args=[campaign.collection.slug, campaign.slug])
    for state in ("never", "counted", "failed"):
        if state != "never":
            counted(campaign)
        if state == "failed":
            WorkSummary.objects.update(state="failed")
        for archived_at, offered in ((None, 1), (AT, 0)):
            Collection.objects.update(archived_at=archived_at)
            page = client.get(at).text
            assert len(re.findall(r"Count (?:now|again)</button>", page)) == offered, (state, archived_at)
