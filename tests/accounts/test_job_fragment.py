"""The progress of a background job, as every page shows it."""

from datetime import timedelta

import pytest
from django.template.loader import render_to_string

from accounts import jobs
from accounts.models import JobState
from accounts.templatetags.jobs import done_words
from corpus.models import Collection, CollectionRemoval, Membership, PoolRun, Role
from tests.factories.accounts import AT


def fragment(**fields: object) -> str:
    collection = Collection(slug="teas")
    job = PoolRun(pk=7, collection=collection, requested_at=AT, **fields)
    member = Membership(collection=collection, role=Role.MANAGER)
    return render_to_string("accounts/_job.html", jobs.fragment_context(job, member))


def test_a_waiting_job_asks_for_itself_and_can_be_cancelled() -> None:
    text = fragment(state=JobState.QUEUED)
    assert 'hx-get="/jobs/pools/7/" hx-trigger="every 1s" hx-swap="outerHTML"' in text
    assert 'action="/jobs/pools/7/cancellation/"' in text
    assert "In the queue since" in text
    assert "You can leave this page" in text
    assert "<progress" in text
    assert "value=" not in text.split("<progress")[1].split(">")[0]  # indeterminate while the total is unknown


def test_a_job_that_waits_for_others_says_for_what() -> None:
    assert "Waiting for another import" in fragment(state=JobState.QUEUED, step="waiting for another import")


def test_a_running_job_shows_percent_and_step() -> None:
    text = fragment(state=JobState.RUNNING, done=4500, total=9000, step="reading documents")
    assert 'max="100" value="50"' in text
    assert "Reading documents" in text
    assert "4,500 of 9,000 · 50%" in text
    assert "Refresh" in text  # without script


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.4, "less than a second"),
        (12.9, "12 s"),
        (60, "1 min"),
        (200, "3 min 20 s"),
        (3_600, "1 h"),
        (3_960, "1 h 6 min"),
        (36_000_059, "10,000 h"),
    ],
)
def test_durations_are_shown_in_plain_units(seconds: float, shown: str) -> None:
    text = fragment(state=JobState.DONE, started_at=AT, finished_at=AT + timedelta(seconds=seconds))
    assert f", after {shown}</p>" in text


def test_a_job_that_is_stopping_is_not_cancelled_twice() -> None:
    text = fragment(state=JobState.RUNNING, cancel_requested_at=AT)
    assert "Stopping…" in text
    assert 'action="/jobs/pools/7/cancellation/"' not in text
    assert "You can leave this page" not in text


@pytest.mark.parametrize(
    ("state", "shown"),
    [(JobState.FAILED, "line 3 is &lt;broken&gt;"), (JobState.CANCELLED, "line 3 is &lt;broken&gt;")],
)
def test_a_final_job_says_why_and_rests(state: JobState, shown: str) -> None:
    text = fragment(state=state, started_at=AT, finished_at=AT, reason="line 3 is <broken>")
    assert shown in text
    assert f'data-job-final="{state}"' in text
    assert "hx-get" not in text
    assert "<progress" not in text


def test_a_done_job_rests_and_shows_no_number_without_saying_of_what() -> None:
    text = fragment(state=JobState.DONE, done=1234, total=1234, started_at=AT, finished_at=AT)
    assert "1,234" not in text  # nobody could say of what
    assert "hx-get" not in text


@pytest.mark.parametrize(
    ("done", "total", "shown"),
    [(0, None, "Finished"), (0, 4, "0 of 4 steps · finished"), (4, 4, "4 steps · finished")],
)
def test_a_done_job_says_what_it_counted_if_it_counted(done: int, total: int | None, shown: str) -> None:
    assert done_words(CollectionRemoval(done=done, total=total)) == shown
