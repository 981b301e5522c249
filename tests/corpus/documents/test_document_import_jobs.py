"""Imports of documents as jobs: progress, cancelling, workers that end, uploads."""

import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts import jobs
from accounts.models import JobState
from accounts.refusals import NotAllowed
from corpus.documents import storing as loading
from corpus.imports import importing as imports
from corpus.imports.requests import request_import
from corpus.loading import line_batches as reading
from corpus.loading.background_reading import in_background
from corpus.models import Collection, ImportRun, Role
from tests.corpus.documents.tea_documents import POT, TEA, stored
from tests.corpus.imports.importing import counts, import_files, jsonl
from tests.databases import at_once
from tests.engines.guarded.readers import never_ending
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.processes import wait_for


class TestJob:
    def test_only_managers_may_import(self, collection: Collection, tmp_path: Path) -> None:
        member = MembershipFactory(collection=collection, role=Role.ADJUDICATOR)
        with pytest.raises(NotAllowed, match="role of manager"):
            import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA]), by=member.user)

    def test_a_cancelled_import_keeps_nothing(
        self, collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reading, "BATCH_ROWS", 10)
        monkeypatch.setattr("accounts.job_kinds.REPORT_EVERY", 0)
        rows = [{"id": f"d{i}", "title": f"Title {i}"} for i in range(100)]
        run = request_import(
            by=None,
            at=AT,
            collection=collection,
            kind="documents",
            files=[jsonl(tmp_path / "a.jsonl", rows)],
            send=False,
        )
        merge = loading._merge_batch

        def merge_and_cancel(*arguments: Any, **options: Any) -> tuple[int, int, int]:
            ImportRun.objects.filter(pk=run.pk).update(cancel_requested_at=timezone.now())
            return merge(*arguments, **options)

        monkeypatch.setattr(loading, "_merge_batch", merge_and_cancel)
        jobs.carry_out(run)
        run.refresh_from_db()
        assert run.state == JobState.CANCELLED
        assert not stored(collection)

    def test_memory_that_runs_out_is_a_refusal_with_its_place(
        self, collection: Collection, tmp_path: Path, settings: Any
    ) -> None:
        settings.READING_MEGABYTES = 64
        path = jsonl(tmp_path / "a.jsonl", [TEA])
        with path.open("a") as file:
            file.write('{"id": "d2", "title": [' + "[]," * 9_000_000 + "[]]}\n")
        run = import_files(collection, path)
        assert run.state == JobState.FAILED
        reason = "a.jsonl, line 1: what comes after the record in this line needs more than 64 MB of memory to read"
        assert run.reason == f"{reason}. Nothing was imported."
        assert not stored(collection)

    def test_an_import_whose_worker_died_after_its_commit_is_not_done_twice(
        self, collection: Collection, tmp_path: Path
    ) -> None:
        run = import_files(collection, jsonl(tmp_path / "a.jsonl", [TEA, POT]))
        ImportRun.objects.filter(pk=run.pk).update(state=JobState.RUNNING, finished_at=None)
        jobs.carry_out(run)
        run.refresh_from_db()
        assert (run.state, counts(run)) == (JobState.DONE, (2, 0, 0, 0))

    @pytest.mark.slow
    @pytest.mark.django_db(transaction=True)
    def test_imports_of_one_collection_follow_each_other(self, tmp_path: Path) -> None:
        collection = CollectionFactory()
        path = jsonl(tmp_path / "a.jsonl", [{"id": f"d{i}", "title": "x"} for i in range(500)])
        runs = at_once(*[partial(import_files, collection, path)] * 3)
        assert sorted(counts(run) for run in runs) == [(0, 0, 500, 0), (0, 0, 500, 0), (500, 0, 0, 0)]

    @pytest.mark.django_db(transaction=True)
    def test_an_import_is_cancelled_within_a_record(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loading, "read_documents", never_ending)
        collection = CollectionFactory()
        files = [jsonl(tmp_path / "a.jsonl", [TEA])]
        run = request_import(by=None, at=AT, collection=collection, kind="documents", files=files, send=False)
        canceller = threading.Thread(target=_cancel, args=[run.pk])
        canceller.start()
        jobs.carry_out(run)
        canceller.join()
        run.refresh_from_db()
        assert run.state == JobState.CANCELLED

    @pytest.mark.django_db(transaction=True)
    def test_a_waiting_import_can_be_cancelled(self, tmp_path: Path) -> None:
        collection = CollectionFactory()
        run = request_import(
            by=None,
            at=AT,
            collection=collection,
            kind="documents",
            files=[jsonl(tmp_path / "a.jsonl", [TEA])],
            send=False,
        )

        def work() -> None:
            jobs.carry_out(run)
            connection.close()

        with transaction.atomic():
            assert imports.is_my_turn(run)  # somebody else's turn, as it were: this transaction holds it
            waiting = threading.Thread(target=work)
            waiting.start()
            # Committed by another connection, as a request would.
            canceller = threading.Thread(target=_cancel, args=[run.pk])
            canceller.start()
            canceller.join()
            waiting.join()
        run.refresh_from_db()
        assert run.state == JobState.CANCELLED
        assert not stored(collection)


def _cancel(pk: int) -> None:
    running = ImportRun.objects.filter(pk=pk, state=JobState.RUNNING)
    wait_for(lambda: running.update(cancel_requested_at=timezone.now()), what="the import to begin")
    connection.close()


class TestBackground:
    def test_items_come_in_order_and_errors_where_they_are_taken(self) -> None:
        def source(_: Any) -> Any:
            yield from range(5)
            raise ValueError("the source broke")

        taken = []
        with pytest.raises(ValueError, match="the source broke"), in_background(source) as items:
            taken.extend(items)
        assert taken == [0, 1, 2, 3, 4]

    def test_leaving_early_stops_the_source(self) -> None:
        made: list[int] = []

        def source(_: Any) -> Any:
            for number in range(1_000_000):
                made.append(number)
                yield number

        with in_background(source) as items:
            assert next(items) == 0
        count = len(made)
        assert count < 100
        assert threading.active_count() < 20
        assert len(made) == count
