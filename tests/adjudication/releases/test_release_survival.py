"""Releases in separate processes: killed, cancelled, and written while others work."""

import contextlib
import re
import signal
import sys
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.models import JobState
from adjudication.models import Release
from adjudication.releases.releases import request_release
from adjudication.releases.verifying import verify_release
from corpus.models import Document, Topic
from tests.adjudication.agreement.test_agreement import agree
from tests.adjudication.releases.releasing import folder_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign
from tests.processes import PATIENCE, Child, child_environment, end_lease, wait_for

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

ITEMS = 20
UNJUDGED = 3_000  # documents, so that writing takes a while


@pytest.fixture
def built(settings, tmp_path: Path, transactional_db: None) -> Built:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.FILE_UPLOAD_TEMP_DIR = settings.MEDIA_ROOT / "arriving"
    settings.FILE_UPLOAD_TEMP_DIR.mkdir(parents=True)
    found = build_campaign([[1, 1, 0]] * ITEMS, topics=2)
    found.collection.licence = "CC BY 4.0"
    found.collection.save()
    vote(found)
    return found


@pytest.fixture
def large(built: Built) -> Built:
    Document.objects.bulk_create(
        Document(collection=built.collection, docno=f"more{n}", title=f"On {n}", abstract="Leaves. " * 50)
        for n in range(UNJUDGED)
    )
    return built


def start(tmp_path: Path, name: str) -> Child:
    command = [sys.executable, "manage.py", "release", "tea", name, "--json"]
    return Child(command, tmp_path / f"{name}.log", child_environment())


@contextlib.contextmanager
def halted(child: Child) -> Iterator[None]:
    """Inside the block the process stands still, so that it does not end meanwhile."""
    child.process.send_signal(signal.SIGSTOP)
    yield
    child.process.send_signal(signal.SIGCONT)


def releases(built: Built, settings) -> list[str]:
    """What lies where releases do, parts that are being written among it."""
    media = Path(settings.MEDIA_ROOT)
    return sorted(path.name for path in (*media.glob("releases/*"), *media.glob("arriving/*")))


def stored_files(settings) -> dict[Path, int]:
    return {path: path.stat().st_ino for path in (Path(settings.MEDIA_ROOT) / "releases").rglob("*.jsonl")}


def is_writing(settings, path: str) -> bool:
    return any((Path(settings.MEDIA_ROOT) / "arriving").glob(f"release-*/{path}"))


def test_a_job_that_is_killed_leaves_nothing_half_released(built: Built, settings, tmp_path: Path) -> None:
    release = request_release(collection=built.collection, name="v1", by=None, at=timezone.now(), send=False)
    for path in ("named/topics", "anonymous"):  # at the beginning, and in its last moments
        killed(tmp_path, KILLED_WRITING, str(release.pk), path)
        release.refresh_from_db()
        assert (release.state, release.frozen_at, release.manifest_sha256) == (JobState.RUNNING, None, "")
        assert not (Path(settings.MEDIA_ROOT) / "releases").exists()
        assert is_writing(settings, "named")
        end_lease(release)
    jobs.carry_out(release)
    release.refresh_from_db()
    assert (release.state, release.attempts) == (JobState.DONE, 3)
    assert releases(built, settings) == [f"{release.pk}.3"]
    assert verify_release(folder_of(release, anonymous=False)).remade is True


@pytest.mark.parametrize(
    ("moment", "stored"),
    [
        ("adjudication.releases.writing._store_row", False),  # the files are stored, the row has no hashes
        ("accounts.jobs._finish", True),  # the row has its hashes, the job has not ended
    ],
)
def test_killed_between_the_folder_and_the_row_nothing_is_shown_and_the_next_attempt_ends_it(
    built: Built, settings, tmp_path: Path, client: Client, moment: str, stored: bool
) -> None:
    asked = request_release(collection=built.collection, name="v1", by=None, at=timezone.now(), send=False)
    module, _, name = moment.rpartition(".")
    killed(tmp_path, KILLED, str(asked.pk), module, name)
    asked.refresh_from_db()
    assert releases(built, settings)[-1] == f"{asked.pk}.1"
    assert (asked.state, asked.frozen_at is not None) == (JobState.RUNNING, stored)
    client.force_login(built.people["manager"])
    for page in ("release_detail", "release_archive"):
        assert client.get(reverse(page, args=["tea", "v1"])).status_code == 404
    written = stored_files(settings)
    end_lease(asked)
    jobs.carry_out(asked)
    asked.refresh_from_db()
    assert (asked.state, asked.attempts) == (JobState.DONE, 2)
    assert releases(built, settings) == [f"{asked.pk}.{1 if stored else 2}"]
    assert (written == stored_files(settings)) is stored
    assert verify_release(folder_of(asked, anonymous=False)).remade is True


KILLED = """
import importlib, os, signal, sys, django
django.setup()
from accounts import jobs
from adjudication.models import Release
setattr(importlib.import_module(sys.argv[2]), sys.argv[3], lambda *_: os.kill(os.getpid(), signal.SIGKILL))
jobs.carry_out(Release.objects.get(pk=int(sys.argv[1])))
"""
KILLED_WRITING = """
import os, signal, sys, django
django.setup()
from accounts import jobs
from adjudication.models import Release
def kill_at_the_path(event, args):
    if event in ("open", "os.mkdir") and "/release-" in str(args[0]) and f"/{sys.argv[2]}" in str(args[0]):
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(kill_at_the_path)
jobs.carry_out(Release.objects.get(pk=int(sys.argv[1])))
"""


def killed(tmp_path: Path, *words: str) -> None:
    """Run a program that ends by killing itself."""
    log, environment = tmp_path / "killed.log", child_environment()
    child = Child([sys.executable, "-c", *words], log, environment)
    assert child.process.wait(PATIENCE) == -signal.SIGKILL, child.output


def test_a_cancelled_job_leaves_nothing_and_its_name_is_free(large: Built, settings, tmp_path: Path) -> None:
    child = start(tmp_path, "v1")
    wait_for(lambda: is_writing(settings, "named/*"), what=f"the release, see {child.log},")
    with halted(child):
        jobs.cancel(Release.objects.get(), at=timezone.now())
    assert child.process.wait(PATIENCE) == 1
    assert "Cancelled" in child.output
    assert Release.objects.get().state == JobState.CANCELLED
    assert releases(large, settings) == []
    call_command("release", "tea", "v1", stderr=StringIO())
    assert Release.objects.get(state=JobState.DONE).version == 1


def test_all_files_show_one_moment_while_others_work(large: Built, settings, tmp_path: Path) -> None:
    """Two topics always change together: every file has one text, the same in all of them.

    A label arrives while files are written, votes are counted and agreement is computed again: none of it is in them.
    """
    agree(large)
    child = start(tmp_path, "v1")
    changes, again = 0, None
    while child.process.poll() is None:
        if again is None and is_writing(settings, "named/*"):
            with halted(child):
                large.label(large.items[0], "ana", 0, repeat=1)
                large.annotators["dee"] = large.campaign.annotators.create(name="dee", created_at=AT)
                large.label(large.items[0], "dee", 0)
                vote(large)
                again = agree(large)
        changes += 1
        time.sleep(0.02)
        with transaction.atomic():
            Topic.objects.filter(collection=large.collection).update(text=f"Moment {changes}?")
            Document.objects.filter(collection=large.collection, docno="doc00000").update(title=f"Moment {changes}?")
    assert child.process.returncode == 0, child.output
    folder = folder_of(Release.objects.get(), anonymous=False)
    seen = [
        found
        for path in ("topics/topics.trec", "topics/topics.jsonl", "documents.jsonl", "beir/main/queries.jsonl")
        for found in re.findall(r"Moment (\d+)\?", (folder / path).read_text())
    ]
    assert len(seen) >= 7
    assert len(set(seen)) == 1
    assert changes > int(seen[0])  # the others went on
    assert (folder / "campaigns/main/verdicts.jsonl").read_text().count("\n") == ITEMS
    assert again is not None
    assert again.finished_at < Release.objects.get().frozen_at  # the label came before the end
    assert (folder / "campaigns/main/judgments.jsonl").read_text().count("\n") == 3 * ITEMS
    assert "dee" not in (folder / "campaigns/main/agreement.jsonl").read_text()
    assert f"{ITEMS} items, {3 * ITEMS} labels" in (folder / "README.md").read_text()
    assert large.collection.releases.get().findings == []
