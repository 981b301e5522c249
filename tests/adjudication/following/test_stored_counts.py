"""Large campaigns: figures as a job has counted them, with the time of the count, and what was done since."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import JobState
from adjudication.following.jobs import WorkJob
from annotation.campaigns import progress
from annotation.campaigns.campaigns import campaigns_for, topics_of
from annotation.campaigns.own_counts import OwnCounts, own_counts
from annotation.campaigns.progress import annotator_rows, fetch_progress
from annotation.models import Assignment, AssignmentRun, Campaign, Submission, WorkSummary
from tests.adjudication.following.counting import counted
from tests.factories.annotation import AT, annotator, give_labels, skip_item
from tests.pages import of_cards


def test_large_campaigns_are_shown_as_counted(campaign, client, monkeypatch, django_assert_max_num_queries):
    """Stored figures equal the live ones, are read without assignments, and show the time of the count."""
    give_labels(annotator(campaign, "ana"), [1] * 30, at=AT - timedelta(days=2))
    skip_item(annotator(campaign, "ben"), "cannot be understood")
    live = fetch_progress(campaign, AT), annotator_rows(campaign, AT)
    summary = counted(campaign)
    monkeypatch.setattr(progress, "LIVE_MOST", 10)
    campaign = Campaign.objects.select_related("work_summary").get(pk=campaign.pk)
    with django_assert_max_num_queries(2) as captured:
        stored = fetch_progress(campaign, AT), annotator_rows(campaign, AT)
    assert not [query for query in captured.captured_queries if "count(a.id)" in query["sql"]]
    assert stored[0].counted_at == summary.counted_at
    assert replace(stored[0], counted_at=None) == live[0]
    assert [(row.done, row.pending, row.skipped, row.last_at, row.median_seconds) for row in stored[1]] == [
        (row.done, row.pending, row.skipped, row.last_at, row.median_seconds) for row in live[1]
    ]
    give_labels(annotator(campaign, "cai"), [1] * 5)
    manager = campaign.collection.memberships.get(role="manager")
    assert [(each.done, each.counted_at) for each in campaigns_for(manager)] == [(30, summary.counted_at)]
    client.force_login(manager.user)
    listed = reverse("campaign_list", args=[campaign.collection.slug])
    assert "Counted " in client.get(listed).text
    assert f"{summary.counted_at:%Y-%m-%d %H:%M:%S}" in client.get(listed, {"as": "csv"}).getvalue().decode()
    monkeypatch.setattr(progress, "LIVE_MOST", 10_000)
    assert [(each.done, each.counted_at) for each in campaigns_for(manager)] == [(35, None)]


def own_of(campaign: Campaign, name: str) -> OwnCounts:
    pk = annotator(campaign, name).pk
    return own_counts([pk])[pk]


def test_own_work_of_many_items_is_stored_and_what_was_done_since_added(campaign, client, monkeypatch):
    """As many as live, whatever was answered or skipped since; what was taken back shows at the next count."""
    ana = annotator(campaign, "ana")
    monkeypatch.setattr(timezone, "now", lambda: AT)
    give_labels(ana, [1] * 30, at=AT - timedelta(days=2))
    skip_item(ana, "cannot be understood", at=AT - timedelta(days=1))
    live = own_of(campaign, "ana")
    assert live == OwnCounts(30, 1, 41, None)
    counted(campaign)
    monkeypatch.setattr(progress, "LIVE_MOST", 40)
    assert own_of(campaign, "ana") == OwnCounts(30, 1, 41, AT)
    give_labels(ana, [1] * 5, at=AT + timedelta(minutes=1))
    skip_item(ana, "cannot be understood", at=AT + timedelta(minutes=2))
    assert own_of(campaign, "ana") == OwnCounts(35, 2, 35, AT)
    monkeypatch.setattr(progress, "LIVE_MOST", 20)
    assert own_of(campaign, "ana") == OwnCounts(35, 2, 35, AT), "too many left to be counted: from the stored ones"
    Assignment.objects.filter(annotator=ana, finished_at__lt=AT).update(state="pending", finished_at=None)
    assert own_of(campaign, "ana") == OwnCounts(35, 2, 35, AT), "as stored"
    counted(campaign)
    assert own_of(campaign, "ana") == OwnCounts(5, 1, 66, AT)
    monkeypatch.setattr(progress, "LIVE_MOST", 72)
    assert own_of(campaign, "ana") == OwnCounts(5, 1, 66, None), "few enough to be counted"


def test_what_was_counted_and_is_given_again_is_not_added(campaign, monkeypatch):
    """Undone since and answered again, or a skip that was judged; what was undone at the count is added."""
    ana = annotator(campaign, "ana")
    monkeypatch.setattr(timezone, "now", lambda: AT)
    give_labels(ana, [1] * 30, at=AT - timedelta(days=2))
    again, other = Assignment.objects.filter(annotator=ana, state="done").order_by("pk")[:2]
    sent = other.submissions.get()
    undo = {"kind": "undo", "outcome": "counted", "received_at": AT - timedelta(days=1)}
    Submission.objects.create(assignment=other, uuid=uuid4(), device=sent.device, **undo)
    Assignment.objects.filter(pk=other.pk).update(state="pending", finished_at=None)
    counted(campaign)
    monkeypatch.setattr(progress, "LIVE_MOST", 40)
    assert own_of(campaign, "ana") == OwnCounts(29, 0, 43, AT)
    Assignment.objects.filter(pk__in=[again.pk, other.pk]).update(state="done", finished_at=AT + timedelta(minutes=1))
    assert own_of(campaign, "ana") == OwnCounts(30, 0, 42, AT)


def test_what_is_finished_while_a_count_runs_is_added_once(campaign, monkeypatch):
    ana = annotator(campaign, "ana")
    give_labels(ana, [1] * 30, at=AT - timedelta(days=2))
    give_labels(ana, [1] * 5, at=AT + timedelta(minutes=1))
    monkeypatch.setattr(timezone, "now", lambda: AT)
    counted(campaign)
    monkeypatch.setattr(progress, "LIVE_MOST", 40)
    assert own_of(campaign, "ana") == OwnCounts(35, 0, 37, AT)


def test_pages_of_annotators_say_when_their_own_work_was_counted(campaign, client, monkeypatch):
    give_labels(annotator(campaign, "ana"), [1] * 30)
    slugs = [campaign.collection.slug, campaign.slug]
    client.force_login(annotator(campaign, "ana").user)
    pages = ("/", reverse("campaign_list", args=slugs[:1]), reverse("campaign_detail", args=slugs))
    screen = reverse("labelling_screen", args=slugs)
    live = [client.get(page).text for page in (*pages, screen)]
    counted(campaign)
    monkeypatch.setattr(progress, "LIVE_MOST", 40)
    for page, before in zip(pages, live, strict=False):
        text = client.get(page).text
        assert "plus what you have finished since" in text
        assert "plus what you have finished since" not in before
    assert "yours since added" in client.get(screen).text
    assert "yours since added" not in live[-1]


def test_pages_about_large_campaigns_read_topics_by_index_and_no_item_for_exports(campaign, client, monkeypatch):
    give_labels(annotator(campaign, "ana"), [1] * 30)
    manager = campaign.collection.memberships.get(role="manager")
    client.force_login(manager.user)
    overview = reverse("collection_dashboard", args=["teas"])

    def decided() -> object:
        [(row, _)] = of_cards(client.get(overview), "campaigns")
        return row.decided

    counted(campaign)
    assert decided() == (0, 0)
    monkeypatch.setattr(progress, "LIVE_MOST", 10)
    with CaptureQueriesContext(connection) as captured:
        assert decided() is None  # too much to count while a page is made
    assert not [each for each in captured.captured_queries if "WITH whole AS" in str(each["sql"])]
    wanted = campaign.collection.topics.filter(items__campaign=campaign).distinct()
    assert list(topics_of(campaign)) == list(wanted) != []
    for page in ("judgment_list", "disagreement_list"):
        with CaptureQueriesContext(connection) as captured:
            assert list(client.get(reverse(page, args=["teas", campaign.slug])).context["topics"]) == list(wanted)
        assert not [each for each in captured.captured_queries if 'SELECT DISTINCT "corpus_topic"' in str(each["sql"])]


def test_a_new_assignment_is_counted_at_the_next_minute(campaign):
    summary = counted(campaign)
    end = summary.finished_at
    WorkSummary.objects.filter(pk=summary.pk).update(started_at=end)
    moments = {"requested_at": end, "finished_at": end}
    AssignmentRun.objects.create(campaign=campaign, state="done", overlap=3, strategy="planned", **moments)
    WorkJob("work").start_due(end + timedelta(minutes=2))
    assert WorkSummary.objects.get().state == JobState.QUEUED
