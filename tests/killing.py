"""Work of every kind on many machines, each time with a kill -9 in the middle of it, and what must then be true."""

import json
from pathlib import Path

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from accounts import jobs
from accounts.claims import LEASE
from accounts.models import Job, JobClaim, JobState
from adjudication.models import Release
from adjudication.releases.archive import entries_of
from annotation.models import Judgment, Strategy, Submission
from corpus.models import Document, ImportRun, RetrievalRun, RunMaking
from litmus_ir import Client
from tests.adjudication.releases.releasing import NAMED_AND_DATED, freeze
from tests.adjudication.verdicts.test_votes import vote
from tests.corpus.searching.test_shards import lines, made
from tests.databases import waits_for_a_lock
from tests.factories.accounts import make_token
from tests.factories.labelling import Built, build_work
from tests.machines import Judge, Machines, at_work
from tests.processes import Child, nobody_inserts, wait_for

ITEMS, OVERLAP, DOCUMENTS = 20, 2, 1_000
SHARD = 300  # documents
KILLED = 5  # processes in a round


def kill_in_everything(
    place: Machines, webs: list[tuple[str, Child]], workers: list[Child], slug: str, least: int = 2
) -> int:
    """One round on a new collection: a web server and four workers are killed, and taken from the lists.

    Before each kind of work there are at least so many workers. How many judgments were confirmed. Errors:
    AssertionError where something is lost, there twice, or has other bytes than undisturbed.
    """
    built = build_work(items=ITEMS, overlap=OVERLAP, strategy=Strategy.QUEUE, slug=slug)
    built.collection.licence = "CC BY 4.0"
    built.collection.save()
    confirmed = judging(built, webs)
    token = make_token(built.people["manager"])[1]
    with Client(webs[0][0], token=token, allow_plain_http=True) as manager:
        importing(built, manager, workers, place.folder / f"papers-{slug}.jsonl")
        for work in (making_a_run, releasing):
            workers += [place.worker() for _ in range(least - len(workers))]
            work(built, manager, workers)
    assert not JobClaim.objects.exists()
    return confirmed


# --- judging ---------------------------------------------------------------------------------------------------------


def judging(built: Built, webs: list[tuple[str, Child]]) -> int:
    """The first web server is killed in the middle: its people go to the other, and send again what had no answer.

    How many judgments were confirmed, all of which are there once."""
    people = [Judge(built, name, [address for address, _ in webs]) for name in built.annotators]
    for person in people:
        person.start()
    judgments = Judgment.objects.filter(assignment__item__campaign=built.campaign)
    wait_for(lambda: judgments.count() >= ITEMS * OVERLAP // 3, what="a third of the judgments")
    webs.pop(0)[1].kill()
    for person in people:
        person.join(120)
    assert [person.error for person in people] == [""] * len(people)
    kept = Submission.objects.filter(assignment__item__campaign=built.campaign)
    confirmed = [one for person in people for one in person.confirmed]
    assert judgments.count() == ITEMS * OVERLAP
    assert sorted(confirmed) == sorted(kept.values_list("uuid", flat=True))
    assert any(person.failures for person in people), "nobody noticed that a web server was killed"
    return len(confirmed)


# --- background jobs -------------------------------------------------------------------------------------------------


def kill_who_works(job: Job, workers: list[Child]) -> None:
    """kill -9 of the worker that does the job; another one takes it up, as beat has it do once the lease is over."""
    job.refresh_from_db()
    assert job.state == JobState.RUNNING
    (victim,) = at_work(workers)
    victim.kill()
    workers.remove(victim)


def take_up_again(job: Job) -> None:
    send_again()
    wait_for(lambda: ended(job), what="the job of the killed worker")
    assert (job.state, job.reason, job.attempts) == (JobState.DONE, "", 2)


def send_again() -> None:
    """As beat does, half a minute later."""
    JobClaim.objects.update(renewed_at=Now() - 2 * LEASE)  # those who live renew theirs with the next beat
    assert jobs.resume_lost_jobs(timezone.now() + 2 * jobs.LOST_AFTER) == 1


def ended(job: Job) -> bool:
    job.refresh_from_db()
    return job.is_final


def importing(built: Built, manager: Client, workers: list[Child], path: Path) -> None:
    """The file came by one web server, lies in the bucket, and is read by two workers, one of which is killed."""
    rows = [
        {"id": f"p{n}", "title": f"Tea {n}", "abstract": f"Leaves {n % 7} steeped {n % 11}"} for n in range(DOCUMENTS)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    documents, slug = built.collection.documents, built.collection.slug
    before = documents.count()
    with nobody_inserts(Document, when="NEW.docno = 'p500'"):
        manager.upload(slug, "documents", path)
        wait_for(lambda: at_work(workers) and waits_for_a_lock(), what="the import")
        run = ImportRun.objects.get(collection=built.collection)
        kill_who_works(run, workers)
    assert documents.count() == before
    take_up_again(run)
    assert documents.count() == before + DOCUMENTS == run.created + before


def making_a_run(built: Built, manager: Client, workers: list[Child]) -> None:
    """Killed while shards of the index are built, and again while the run is stored."""
    slug = built.collection.slug
    disturbed, undisturbed = f"disturbed-{slug}", f"undisturbed-{slug}"
    with nobody_inserts(JobClaim, when="NEW.kind LIKE 'part %' AND NEW.job = 2"):
        manager.call("run_makings_create", slug=slug, name=disturbed, recipe="bm25", depth=50)
        wait_for(lambda: at_work(workers) and waits_for_a_lock(), what="the third shard")
        job = RunMaking.objects.get(collection=built.collection)
        kill_who_works(job, workers)
    with nobody_inserts(RetrievalRun):
        send_again()
        wait_for(lambda: at_work(workers) and waits_for_a_lock(), what="the run to be stored")
        kill_who_works(job, workers)
    send_again()
    wait_for(lambda: ended(job), what="the run")
    assert (job.state, job.reason, job.attempts) == (JobState.DONE, "", 3)
    made(built.collection, undisturbed, "bm25", depth=50)
    assert lines(disturbed) == lines(undisturbed) != ""
    assert RetrievalRun.objects.filter(name=disturbed).count() == 1


def releasing(built: Built, manager: Client, workers: list[Child]) -> None:
    """Killed when all is written but the row."""
    vote(built)
    releases = Release.objects.filter(collection=built.collection)
    with transaction.atomic():
        manager.call("releases_create", slug=built.collection.slug, name="v1")
        wait_for(lambda: releases.get().state == JobState.RUNNING, what="the release to be written")
        job = releases.select_for_update().get()
        assert job.state == JobState.RUNNING, "it was too quick for this test"
        wait_for(waits_for_a_lock, what="the release to be stored")
        kill_who_works(job, workers)
    take_up_again(job)
    assert hashes(job) == hashes(freeze(built, "v2"))


def hashes(release: Release) -> dict[str, str]:
    return {
        one["path"]: one["sha256"]
        for anonymous in (False, True)
        for one in entries_of(release, anonymous=anonymous)
        if one["path"] not in NAMED_AND_DATED
    }
