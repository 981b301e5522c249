"""Locks that others hold: waited for briefly, then in the queue."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction

from accounts import jobs
from accounts.job_kinds import Waiting
from accounts.locks import briefly
from accounts.models import JobState
from adjudication.models import VoteRun
from annotation.models import Campaign
from corpus.models import Collection
from tests.factories.accounts import AT, CollectionFactory
from tests.factories.adjudication import build_campaign
from tests.processes import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def locked(lock: Callable[[], Any]) -> Iterator[None]:
    """Another connection holds what `lock` locks."""
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            lock()
            held.set()
            done.wait(PATIENCE)
        connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(PATIENCE)
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_a_lock_that_others_hold_for_long_is_waited_for_in_the_queue() -> None:
    collection = CollectionFactory()

    def lock() -> Collection:
        return Collection.objects.select_for_update().get(pk=collection.pk)

    with (
        locked(lock),
        pytest.raises(Waiting, match=r"This is waiting for others\. Try again in a moment\."),
        transaction.atomic(),
        briefly("waiting for others", 0.1),
    ):
        lock()
    with transaction.atomic(), briefly("waiting for others", 0.1), connection.cursor() as cursor:
        assert lock() == collection
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)


def test_a_count_of_votes_leaves_its_worker_while_the_campaign_is_locked() -> None:
    campaign = build_campaign([], people=("ana", "ben")).campaign
    run = jobs.new_job(VoteRun, by=None, at=AT, send=False, campaign=campaign)
    with locked(lambda: Campaign.objects.select_for_update().get(pk=campaign.pk)):
        jobs.carry_out_row(VoteRun, run.pk)
    run.refresh_from_db()
    assert (run.state, run.step) == (JobState.QUEUED, "waiting for other work on this campaign")
