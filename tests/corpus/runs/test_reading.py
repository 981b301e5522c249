"""What runs may look like when they come in: metadata, parts of topics, LitSearch's JSON; what is said of bad ones."""

import json
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from accounts import jobs
from accounts.models import JobState
from corpus.models import Aspect, Collection, ImportRun, PartRanking, Ranking, RetrievalRun, SubQuery
from corpus.runs.files import run_lines
from corpus.runs.rules import lock_names
from corpus.runs.runs import recipe_named, request_run
from tests.corpus.imports.importing import import_files
from tests.databases import waits_for_a_lock
from tests.factories.accounts import AT, CollectionFactory
from tests.factories.corpus import DocumentFactory, TopicFactory
from tests.processes import PATIENCE, wait_for

HEADER = """# ir_metadata.start
# schema-version: 0.1
# tag: mine
# method:
#   automatic: true
# ir_metadata.end
"""


@pytest.fixture
def collection(db: None) -> Collection:
    found = CollectionFactory(slug="tea")
    for number in "01":
        TopicFactory(collection=found, number=number)
    for number in range(1, 5):
        DocumentFactory(collection=found, docno=f"D{number}")
    return found


def read(collection: Collection, path: Path, text: str) -> ImportRun:
    path.write_text(text)
    return import_files(collection, path, kind="runs")


def words(run: ImportRun) -> str:
    return " | ".join(error["reason"] for error in run.errors)


def test_metadata_is_kept_and_written_back(collection: Collection, tmp_path: Path) -> None:
    rows = "0 Q0 D1 1 2.0 mine\n0 Q0 D2 2 1.0 mine\n"
    run = read(collection, tmp_path / "a.run", HEADER + rows)
    assert (run.state, run.errors, run.created) == (JobState.DONE, [], 1)
    stored = RetrievalRun.objects.get(name="mine")
    assert stored.parameters["metadata"][4] == "  automatic: true"
    assert "".join(run_lines(stored, header=True)) == HEADER + rows
    assert "".join(run_lines(stored)) == rows
    again = read(collection, tmp_path / "b.run", "".join(run_lines(stored, header=True)))
    assert (again.unchanged, again.errors) == (1, [])
    parted = read(collection, tmp_path / "c.run", "# ir_metadata.start\n# x\r# y\u2028z\n" + rows)
    assert "line 2: a carriage return (CR) within the line was read as the end of a line" in [
        f"line {error['line']}: {error['reason']}" for error in parted.errors
    ]
    stored.refresh_from_db()
    assert stored.parameters["metadata"] == ["ir_metadata.start", "x", "y z"], "no line is added"


def test_parts_of_topics_are_found_by_their_numbers(collection: Collection, tmp_path: Path) -> None:
    topic = collection.topics.get(number="0")
    part = SubQuery.objects.create(collection=collection, topic=topic, number="0-a", size=1, sentences=["tea"])
    aspect = Aspect.objects.create(topic=topic, text="green")
    text = "0-a Q0 D1 1 2 mine\n0-a Q0 D2 2 2 mine\n0.1 Q0 D3 1 2 mine\n"
    run = read(collection, tmp_path / "a.run", text)
    assert (run.created, run.skipped) == (2, 0)
    assert not Ranking.objects.exists()
    assert PartRanking.objects.get(sub_query=part).docnos == ["D2", "D1"]
    assert PartRanking.objects.get(aspect=aspect).docnos == ["D3"]
    assert read(collection, tmp_path / "a.run", text).unchanged == 2
    changed = read(collection, tmp_path / "a.run", "0-a Q0 D4 1 2 mine\n")
    assert (changed.updated, changed.parameters["runs"]["mine"]["removed"]) == (1, 1)
    assert PartRanking.objects.get().docnos == ["D4"]


def test_numbers_as_released_are_those_of_one_level(collection: Collection, tmp_path: Path) -> None:
    """Topics of the collection have some of the numbers as they stand, and another level has some of them as well."""
    for prefix, numbers in (("s-", "012"), ("p-", "01")):
        for number in numbers:
            TopicFactory(collection=collection, number=f"{prefix}{number}", prefix=prefix)
    read(collection, tmp_path / "a.run", "".join(f"{number} Q0 D1 1 2 mine\n" for number in "012"))
    assert set(Ranking.objects.values_list("topic__number", flat=True)) == {"s-0", "s-1", "s-2"}
    read(collection, tmp_path / "b.run", "0 Q0 D1 1 2 other\n1 Q0 D1 1 2 other\n")
    assert set(Ranking.objects.filter(run__name="other").values_list("topic__number", flat=True)) == {"0", "1"}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("first", ["import", "making"])
def test_an_import_and_a_making_of_one_name_wait_for_each_other(
    collection: Collection, tmp_path: Path, settings: Any, first: str
) -> None:
    """The one that comes second finds the other's run: no unexpected end on a constraint."""
    settings.INDEX_DIR = tmp_path / "indexes"
    recipe = recipe_named("bm25")
    job = request_run(
        by=None, at=AT, collection=collection, name="mine", recipe=recipe, options={"leave_out": "nothing"}, send=False
    )
    collection.documents.update(title="Green tea")
    collection.topics.update(text="Tea?")
    stored = threading.Event()

    def hold() -> None:
        with closing(connection), transaction.atomic():
            lock_names(collection.pk)
            parameters = {"recipe_hash": job.recipe_hash} if first == "making" else {"file": "x"}
            RetrievalRun.objects.create(collection=collection, name="mine", created_at=AT, parameters=parameters)
            stored.set()
            wait_for(waits_for_a_lock, what="the other one to wait")

    holder = threading.Thread(target=hold)
    holder.start()
    assert stored.wait(PATIENCE)
    if first == "making":
        assert read(collection, tmp_path / "a.run", "0 Q0 D1 1 2 mine\n").created == 1
    else:
        jobs.carry_out(job)
        job.refresh_from_db()
        assert (job.state, job.reason) == (
            JobState.FAILED,
            "There is a run mine already. Choose another name, or delete that run first.",
        )
    holder.join()
    assert RetrievalRun.objects.count() == 1


def test_litsearch_runs_are_read_by_row(collection: Collection, tmp_path: Path) -> None:
    rows = [
        {"query_set": "manual_acl", "query": "Which?", "corpusids": [1], "retrieved": ["D2", "D1"]},
        {"query_set": "manual_acl", "query": "What?", "corpusids": [2], "retrieved": ["D3"], "pre_reranked": ["D4"]},
    ]
    run = read(collection, tmp_path / "bm25.title_abstract.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert run.state == JobState.DONE, run.reason
    stored = RetrievalRun.objects.get(name="bm25")
    assert [ranking.docnos for ranking in stored.rankings.order_by("topic__number")] == [["D2", "D1"], ["D3"]]
    rows[0]["retrieved"] = ["D2", "D2"]
    broken = read(collection, tmp_path / "bm25.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert "D2 is ranked twice" in broken.reason


def test_what_is_unknown_is_counted_and_not_skipped(collection: Collection, tmp_path: Path) -> None:
    text = "0 Q0 D1 1 3 mine\n0 Q0 X1 2 2 mine\n8 Q0 D1 1 1 mine\n9 Q0 D1 1 1 mine\n"
    run = read(collection, tmp_path / "a.run", text)
    assert (run.created, run.skipped) == (1, 0)
    facts = run.parameters["runs"]["mine"]
    assert (facts["unknown_topics"], facts["unknown_documents"], facts["ties"]) == (2, 1, 0)
    assert "2 topics are not in the collection, such as 8" in words(run)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("7 Q0 X1 1 1 mine\n", "Is it a run of another collection?"),
        (HEADER, "the run is empty"),
        ("0 Q0 D1 1 1 mine\n0 Q0 D1 2 1 mine\n", "document D1 is ranked twice for topic 0"),
    ],
)
def test_what_is_no_run_of_this_collection_is_refused(
    collection: Collection, tmp_path: Path, text: str, reason: str
) -> None:
    run = read(collection, tmp_path / "a.run", text)
    assert run.state == JobState.FAILED
    assert reason in run.reason
    assert not RetrievalRun.objects.exists()


def test_documents_of_another_collection_are_pointed_out(collection: Collection, tmp_path: Path) -> None:
    run = read(collection, tmp_path / "a.run", "0 Q0 X1 1 2 mine\n0 Q0 X2 2 1 mine\n")
    assert "none of the 2 documents of mine is in the collection, such as X1. Is it a run of another" in words(run)


def test_repeated_ranks_ties_and_scores_that_are_no_numbers_are_named(collection: Collection, tmp_path: Path) -> None:
    text = "0 Q0 D1 1 2 mine\n0 Q0 D2 1 2 mine\n0 Q0 D3 2 1 mine\n1 Q0 D1 1 2 mine\n1 Q0 D2 2 nan mine\n"
    run = read(collection, tmp_path / "a.run", text)
    assert run.created == 1
    assert "a rank occurs twice for a topic; ranks are not read" in words(run)
    assert run.parameters["runs"]["mine"]["ties"] == 1
    assert "'nan' is not a finite number" in words(run)
