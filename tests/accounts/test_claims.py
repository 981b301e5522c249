"""The claim on a job: one worker's at a time, renewed while the work goes on, and free once its lease has ended.

And the claim on a person's daily mail, which nobody gives back.
"""

from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone

from accounts import claims, digests
from accounts.claims import LEASE, Claim, claimed, jobs_claimed
from accounts.models import JobClaim
from corpus.models import ImportRun
from tests.databases import at_once
from tests.factories.accounts import UserFactory
from tests.processes import wait_for

JOB = ("corpus.importrun", 7)


def renewed(ago: timedelta) -> Claim:
    """A claim that its worker renewed so long ago, by PostgreSQL's clock."""
    claim = Claim(*JOB)
    assert claim.take()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_jobclaim SET renewed_at = clock_timestamp() - %s", [ago])
    return claim


@pytest.mark.django_db
def test_a_claim_holds_for_its_lease_and_no_longer() -> None:
    first, second = renewed(LEASE / 2), Claim(*JOB)
    assert not second.take()
    assert jobs_claimed() == {JOB}
    assert first.is_held()
    first.release()
    first = renewed(LEASE + timedelta(seconds=1))
    assert jobs_claimed() == set()
    assert second.take()
    assert not first.is_held()
    first.renew()
    assert first.is_lost  # its worker was only slow, and learns of it
    assert second.is_held()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_claim_is_renewed_as_long_as_the_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "BEAT_SECONDS", 0.01)
    began = timezone.now()
    with claimed(ImportRun, 7) as claim:
        assert claim is not None
        JobClaim.objects.update(renewed_at=began - 2 * LEASE)
        wait_for(lambda: JobClaim.objects.get().renewed_at > began - LEASE, what="a heartbeat")
        JobClaim.objects.update(holder="00000000-0000-0000-0000-000000000000")  # another worker has taken it over
        wait_for(lambda: claim.is_lost, what="the heartbeat to notice")
    assert JobClaim.objects.count() == 1  # which is not this worker's to give back


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_workers_claim_a_digest_once() -> None:
    asked = [partial(digests._claim, UserFactory(), timezone.now())] * 4
    assert sorted(at_once(*asked)) == [False, False, False, True]
    assert sorted(at_once(*asked)) == [False] * 4
