"""Imports of many documents in separate processes: killed in the middle, and measured for their memory."""

import json
import sys
from pathlib import Path

import pytest
from django.contrib.postgres.search import SearchQuery
from django.db import connection

from accounts import jobs
from accounts.models import JobState
from corpus.models import Collection, Document, ImportRun, Indexing, SearchEntry
from tests.factories.accounts import CollectionFactory
from tests.processes import Child, child_environment, end_lease, nobody_inserts, wait_for

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

ABSTRACT = "Leaves were steeped in water of several temperatures; bitterness rose with time. "
NOTES = "Not searched, and so quick to store. " * 240  # 9 kB

# Runs an import and prints the most memory the process ever held, in kilobytes.
MEASURED = """
import resource, sys
import django
django.setup()
from django.core.management import call_command
call_command("import_documents", "tea", sys.argv[1])
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.fixture
def collection(transactional_db: None) -> Collection:
    return CollectionFactory(slug="tea")


def write_documents(path: Path, count: int) -> Path:
    with path.open("w") as file:
        for number in range(count):
            row = {
                "id": f"{path.stem}-{number}",
                "title": f"On tea, part {number}",
                "abstract": ABSTRACT,
                "notes": NOTES,
            }
            file.write(json.dumps(row) + "\n")
    return path


def test_a_killed_import_leaves_nothing_and_can_be_taken_up_again(collection: Collection, tmp_path: Path) -> None:
    path = write_documents(tmp_path / "many.jsonl", 2_000)
    command = [sys.executable, "manage.py", "import_documents", "tea", str(path)]
    with nobody_inserts(Indexing):  # the last thing that it does
        child = Child(command, tmp_path / "log", child_environment())
        wait_for(lambda: ImportRun.objects.filter(state=JobState.RUNNING).exists(), what="the import to begin")
        wait_for(lambda: _inserted() > 0, what="rows of the import")
        child.kill()
    run = ImportRun.objects.get()
    assert run.state == JobState.RUNNING
    assert not Document.objects.exists()
    end_lease(run)
    jobs.carry_out(run)  # which waits until PostgreSQL notices that the client is gone
    run.refresh_from_db()
    assert (run.state, run.created) == (JobState.DONE, 2_000)
    indexing = Indexing.objects.get()
    jobs.carry_out(indexing)
    indexing.refresh_from_db()
    assert (indexing.state, indexing.reason) == (JobState.DONE, "")
    assert SearchEntry.objects.filter(vector=SearchQuery("bitterness", config="english")).count() == 2_000


def _inserted() -> int:
    """Rows that any transaction has put into the table of documents, committed or not."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size('corpus_document')")
        return int(cursor.fetchone()[0])


def test_memory_does_not_grow_with_the_input(collection: Collection, tmp_path: Path) -> None:
    peaks = []
    for count in (500, 5_000):
        path = write_documents(tmp_path / f"{count}.jsonl", count)
        child = Child([sys.executable, "-c", MEASURED, str(path)], tmp_path / "log", child_environment())
        assert child.process.wait(200) == 0, child.output
        peaks.append(int(child.output.rsplit("peak", 1)[1]))
    small, large = peaks
    assert (tmp_path / "5000.jsonl").stat().st_size > 40_000_000
    assert large - small < 20_000, f"{small:,} kB for 500 documents, {large:,} kB for 5,000"
