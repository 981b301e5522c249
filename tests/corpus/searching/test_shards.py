"""Indexes in shards: built and searched by several real workers at once, equal to one shard to the last bit."""

import os
import re
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.utils import timezone
from redis import Redis

from accounts import jobs
from accounts.claims import Claim
from accounts.files.shelf import folders, here
from accounts.jobs import Cancelled, Progress
from accounts.models import JobState
from accounts.queues import Queue
from corpus.models import Collection, Document, PoolEntry, PoolRun, PoolSource, RetrievalRun, RunMaking
from corpus.pools.requests import request_pools
from corpus.runs.files import run_lines
from corpus.runs.runs import recipe_named, request_run
from corpus.searching import indexes, parts
from corpus.searching.indexes import IndexSpec, ShardBuilding, name_of, open_index
from engines.ranking.recipe import Recipe
from engines.ranking.scorers import BM25
from tests.factories.accounts import AT, CollectionFactory
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool, make_tree
from tests.processes import start_celery_workers, wait_for

RECIPES = ("bm25", "bm25-okapi", "tfidf")


def filled(documents: int, words: int, topics: int) -> Collection:
    """Documents of invented words, some oftener than others, and topics that name a few of them."""
    rng, collection = np.random.default_rng(7), CollectionFactory(slug="tea")
    vocabulary = np.array([f"tea{number}" for number in range(3_000)])
    drawn = (rng.pareto(0.7, (documents, words)) * 5).astype(int) % len(vocabulary)
    texts = [" ".join(vocabulary[row]) for row in drawn]
    texts[3] = texts[5]  # a tie
    Document.objects.bulk_create(
        Document(collection=collection, docno=f"d{number}", title=f"Tea {number}", abstract=text)
        for number, text in enumerate(texts)
    )
    for number in range(1, topics + 1):
        extra = {"idea_from": [f"d{number}"]}
        TopicFactory(collection=collection, number=str(number), text=texts[number][:200], extra=extra)
    return collection


def run_file(name: str) -> str:
    return "".join(run_lines(RetrievalRun.objects.select_related("collection").get(name=name)))


def made(collection: Collection, name: str, recipe: str, *, send: bool = False, **asked: Any) -> RunMaking:
    chosen = recipe_named(recipe)
    at = timezone.now()
    job = request_run(by=None, at=at, collection=collection, name=name, recipe=chosen, options=asked, send=send)
    if not send:
        jobs.carry_out(job)
        job.refresh_from_db()
        assert (job.state, job.reason) == (JobState.DONE, "")
    return job


def lines(name: str) -> str:
    return re.sub(rf" {name}$", "", run_file(name), flags=re.MULTILINE)


def built(collection: Collection, *, send: bool = False, **recipe: Any) -> PoolRun:
    """Pools of what BM25 finds, with no filter."""
    wanted = Recipe(**{"dense": 0, "citations": False, "same_category": False, **recipe})
    job = request_pools(by=None, at=timezone.now(), collection=collection, recipe=wanted, send=send)
    if not send:
        jobs.carry_out(job)
        job.refresh_from_db()
        assert (job.state, job.reason) == (JobState.DONE, "")
    return job


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(600)
def test_two_real_workers_share_the_shards_of_a_run_and_of_pools(
    own_queue: str, queue: Redis, tmp_path: Path, settings: Any
) -> None:
    collection = filled(documents=1_500, words=120, topics=40)
    settings.INDEX_DIR = tmp_path / "one"
    made(collection, "one", "bm25-okapi", depth=50)
    settings.INDEX_DIR = tmp_path / "shared"
    queue.delete(Queue.INDEX)
    served = f"{own_queue},{Queue.INDEX}"  # the job comes by the one, its parts by the other
    logs = [tmp_path / "a.log", tmp_path / "b.log"]
    workers = start_celery_workers(*logs, queue=served, LITMUS_INDEX_SHARD="100")

    def check_shared(job: RunMaking | PoolRun, before: list[int], n_shards: int) -> None:
        """One worker did the job, and the other one parts of it."""

        def is_final() -> bool:
            job.refresh_from_db()
            return bool(job.is_final)

        def outputs() -> list[str]:
            return [worker.output[start:] for worker, start in zip(workers, before, strict=True)]

        def is_shared() -> bool:
            made_by = [bool(re.search(r"Task accounts.tasks.run_job\S+ succeeded", text)) for text in outputs()]
            helped_by = [bool(re.search(r"help_with_parts\S+ succeeded in \S+ [1-9]", text)) for text in outputs()]
            return sorted(zip(made_by, helped_by, strict=True)) == [(False, True), (True, False)]

        wait_for(is_final, 240, "the end of the job")
        assert (job.state, job.reason) == (JobState.DONE, ""), outputs()
        wait_for(is_shared, what="word of who did what")
        assert len(list(tmp_path.glob("shared/*-tea/*/*/[0-9]*/docs.npy"))) == n_shards

    check_shared(made(collection, "many", "bm25-okapi", send=True, depth=50), [0, 0], 15)
    assert lines("many") == lines("one")
    wait_for(lambda: not queue.llen(Queue.INDEX), what="the end of its parts")
    pools = built(collection, scorers=("bm25",), send=True)
    check_shared(pools, [len(worker.output) for worker in workers], 30)
    assert [worker.stop() for worker in workers] == [0, 0]
    assert list((tmp_path / "shared" / "together").iterdir()) == []
    settings.INDEX_DIR = tmp_path / "one"
    alone = built(collection, scorers=("bm25",))
    assert (alone.added, alone.removed, alone.pairs) == (0, 0, pools.pairs)
    assert pools.pairs > 0


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("recipe", RECIPES)
def test_any_number_of_shards_gives_the_same_lines(recipe: str, tmp_path: Path, settings: Any) -> None:
    collection = filled(documents=60, words=30, topics=5)
    documents = list(collection.documents.all())
    make_pool(collection.topics.get(number="1"), documents[:20])
    for size in (1_000, 17, 1):
        settings.INDEX_DIR, settings.INDEX_SHARD = tmp_path / str(size), size
        made(collection, f"all-{size}", recipe, depth=20)
        made(collection, f"pools-{size}", recipe, among="pools")
    for kind in ("all", "pools"):
        assert lines(f"{kind}-17") == lines(f"{kind}-1") == lines(f"{kind}-1000") != ""
    assert " d1 " not in "".join(line for line in lines("all-1").splitlines(True) if line.startswith("1 "))


@pytest.mark.slow
@pytest.mark.django_db
def test_any_number_of_shards_gives_the_same_pools(tmp_path: Path, settings: Any) -> None:
    collection = filled(documents=60, words=30, topics=5)
    for topic in collection.topics.all()[:3]:
        make_tree(topic, {f"It has {topic.text[:40]}.": [], f"It is of {topic.text[60:100]}.": []})
    found = []
    for size in (1_000, 17, 7):
        settings.INDEX_DIR, settings.INDEX_SHARD = tmp_path / str(size), size
        job = built(collection, query_depth=10, aspect_depth=15, query_take=5, fused_take=5, least=12)
        found.append(
            (job.pairs, set(PoolSource.objects.values_list("entry__topic", "entry__document", "method", "rank")))
        )
        PoolEntry.objects.all().delete()
    assert found[0] == found[1] == found[2]
    methods = {f"{scorer}:{what}" for scorer in ("bm25", "tfidf") for what in ("query", "aspects")}
    assert {method for *_, method, _ in found[0][1]} == methods
    assert len(list((tmp_path / "7").glob("*-tea/*/*/[0-9]*/docs.npy"))) == 9


@pytest.mark.django_db
def test_the_command_makes_shards_as_the_page_does(tmp_path: Path, settings: Any) -> None:
    filled(documents=30, words=20, topics=2)
    settings.INDEX_DIR, settings.INDEX_SHARD = tmp_path, 10
    call_command("make_run", "tea", "mine", "--recipe", "bm25", stderr=StringIO())
    assert len(list(tmp_path.glob("*-tea/*/*/[0-9]*/docs.npy"))) == 3


@pytest.mark.services
@pytest.mark.django_db
def test_an_index_that_made_room_for_another_comes_back_from_the_bucket(in_bucket: str, settings: Any) -> None:
    settings.LOCAL_COPIES = 1
    tea, pots = [
        Progress(PoolRun.objects.create(collection=CollectionFactory(slug=slug), requested_at=AT))
        for slug in ("tea", "pots")
    ]
    DocumentFactory(collection=tea.job.collection, title="Green tea")
    place = here(name_of(open_index(tea.job.collection, tea)))
    for path in (place, *place.rglob("*")):
        os.utime(path, (AT.timestamp(), AT.timestamp()))
    other = here(name_of(open_index(pots.job.collection, pots)))
    assert (place.exists(), other.exists()) == (False, True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexes, "_build", lambda *_: pytest.fail("it was built again"))
        assert len(open_index(tea.job.collection, tea).search(BM25, "tea", 10)) == 1


def orders_left() -> list[str]:
    return [each.partition("/")[2] for each in folders(parts.TOGETHER)]


class TestBuilding:
    @pytest.fixture
    def progress(self, db: None, tmp_path: Path, settings: Any) -> Progress:
        settings.INDEX_DIR, settings.INDEX_SHARD = tmp_path, 1
        collection = CollectionFactory(slug="tea")
        for docno in "ABC":
            DocumentFactory(collection=collection, docno=docno, title=f"Tea {docno}")
        return Progress(PoolRun.objects.create(collection=collection, requested_at=AT))

    @pytest.mark.slow
    def test_a_part_that_another_process_left_is_taken_over(
        self, progress: Progress, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As long as another process has the lock of a part, the job does the others and waits; then it takes it."""
        do, order, other = ShardBuilding.do, list[int](), Claim("", 1)

        def hold_first(work: ShardBuilding, part: int, tell: Any) -> None:
            if not order:
                (name,) = orders_left()
                other.kind = f"part {name}"
                assert other.take()
            order.append(part)
            do(work, part, tell)

        def end_lease(_: float) -> None:
            """Nothing else is left to do, and the other process was silent for long."""
            other.rows().update(renewed_at=AT)

        monkeypatch.setattr(ShardBuilding, "do", hold_first)
        monkeypatch.setattr(parts.time, "sleep", end_lease)
        assert len(open_index(progress.job.collection, progress).search(BM25, "tea", 10)) == 3
        assert order == [0, 2, 1]

    def test_who_takes_over_from_a_killed_builder_builds_what_is_left(
        self, progress: Progress, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        do, order = ShardBuilding.do, list[int]()

        def die_at_last(work: ShardBuilding, part: int, tell: Any) -> None:
            order.append(part)
            if order == [0, 1, 2]:
                raise SystemExit
            do(work, part, tell)

        monkeypatch.setattr(ShardBuilding, "do", die_at_last)
        with pytest.raises(SystemExit):
            open_index(progress.job.collection, progress)
        assert len(open_index(progress.job.collection, progress).search(BM25, "tea", 10)) == 3
        assert order == [0, 1, 2, 2]

    def test_documents_that_change_meanwhile_are_indexed_again(
        self, progress: Progress, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        do, changes = ShardBuilding.do, [{"title": "Late tea"}, None]
        documents = progress.job.collection.documents

        def change_first(work: ShardBuilding, part: int, tell: Any) -> None:
            do(work, part, tell)
            if part == 1 and changes:
                change = changes.pop()
                documents.filter(docno="A").update(**change) if change else documents.filter(docno="A").delete()

        monkeypatch.setattr(ShardBuilding, "do", change_first)
        changes.reverse()
        index = open_index(progress.job.collection, progress)
        assert (len(index), changes) == (2, [])
        assert len(list(tmp_path.glob("*-tea/*/*/index.json"))) == 1

    def test_a_cancelled_job_leaves_nothing_and_its_helpers_stop(
        self, progress: Progress, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        orders: list[str] = []

        def nobody_does(name: str, *_: Any) -> bool:
            orders.append(name)
            PoolRun.objects.update(cancel_requested_at=AT)
            return False

        monkeypatch.setattr(parts, "_attempt", nobody_does)
        with pytest.raises(Cancelled):
            open_index(progress.job.collection, progress)
        monkeypatch.undo()
        assert parts.help_with(orders[0], {}) == 0
        assert not list(tmp_path.glob("*-tea/*/*/"))
        assert orders_left() == []

    def test_who_does_not_see_the_documents_does_nothing(self, progress: Progress) -> None:
        first, second, _ = indexes._bounds(progress.job.collection)
        bounds = [first, (*second[:3], 5)]
        work = ShardBuilding(progress.job.collection.pk, asdict(IndexSpec()), "x", bounds)
        with parts._ordered(work) as name:
            assert parts.help_with(name, {"build": ShardBuilding}) == 0
        assert work.is_done(0)
        assert not work.is_done(1)
