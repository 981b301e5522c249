"""Runs and pools in Chromium: accessible, and built by a real worker while one watches."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import JobState, User
from corpus.models import Collection, PoolEntry, PoolRun, RetrievalRun, Role
from tests.browser.axe import assert_accessible, assert_accessible_everywhere
from tests.corpus.judging import judge
from tests.factories.accounts import AT, CollectionFactory, one_member_each
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool, make_run, make_tree
from tests.processes import Child

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
QUESTION = "How hot should water for white tea be, and does the answer depend on the hardness of the water?"


@pytest.fixture
def collection() -> Collection:
    """Eight topics, three runs that agree in part and know documents that the collection lacks."""
    collection = CollectionFactory(slug="tea", title="Questions about tea")
    documents = [
        DocumentFactory(collection=collection, docno=f"10.1145/{n:04}", title=f"On the brewing of tea, part {n}")
        for n in range(40)
    ]
    topics = [TopicFactory(collection=collection, number=str(n), text=QUESTION) for n in range(1, 9)]
    make_tree(topics[0], {"It measures temperatures.": ["It names the instrument."], "It is about white tea.": []})
    docnos = [document.docno for document in documents]
    for place, name in enumerate(("bm25", "specter2-title-abstract", "ada-002")):
        rankings = {topic.number: ["10.9999/missing", *docnos[place * 5 : place * 5 + 20]] for topic in topics}
        make_run(collection, name, rankings)
    return collection


@pytest.fixture
def manager(collection: Collection) -> User:
    return one_member_each(collection)[Role.MANAGER].user


@pytest.fixture
def pooled(collection: Collection) -> Collection:
    """Its pools are built in part, one document is judged, and the last build is known."""
    documents = list(collection.documents.order_by("docno"))
    for topic in collection.topics.exclude(number="2"):
        entries = make_pool(topic, documents[:12])
        for entry in entries[:5]:
            entry.sources.create(method="specter2-title-abstract", rank=entry.pk % 90 + 1)
        make_pool(topic, documents[12:15], method="list")
    topic = collection.topics.get(number="1")
    judge(topic.aspects.first(), documents[0])
    PoolRun.objects.create(
        collection=collection,
        requested_at=AT,
        started_at=AT,
        finished_at=AT,
        state=JobState.DONE,
        parameters={"methods": ["bm25"], "depth": 12},
        added=435,
    )
    return collection


class TestAccessible:
    def test_runs_and_pools(self, new_page: NewPage, manager: User, pooled: Collection) -> None:
        page = new_page(user=manager)
        bm25, ada = (pooled.retrieval_runs.get(name=name).pk for name in ("bm25", "ada-002"))
        full, empty = (reverse("pool_detail", args=["tea", pooled.topics.get(number=n).pk]) for n in "12")
        for address in (
            reverse("run_detail", args=["tea", bm25]),
            reverse("run_detail", args=["tea", ada]) + "?topic=1",
            reverse("pool_list", args=["tea"]),
            f"{full}?method=bm25&only=1",
            empty,
            reverse("pool_report", args=["tea"]),
        ):
            assert_accessible_everywhere(page, address)

    def test_before_there_is_anything(self, new_page: NewPage, manager: User, collection: Collection) -> None:
        page = new_page(user=manager)
        assert_accessible_everywhere(page, reverse("pool_list", args=["tea"]))
        RetrievalRun.objects.all().delete()
        for name in ("run_list", "pool_list"):
            assert_accessible_everywhere(page, reverse(name, args=["tea"]))

    def test_sub_queries(self, new_page: NewPage, manager: User, collection: Collection) -> None:
        page = new_page(user=manager)
        address = reverse("sub_query_list", args=["tea"])
        assert_accessible_everywhere(page, address)
        page.get_by_label("Aspects of a sub-query").fill("2")
        page.get_by_role("button", name="Make sub-queries").click()
        expect(page.get_by_role("heading", name="1 sub-query")).to_be_visible()
        assert_accessible_everywhere(page, address)

    def test_while_pools_are_built(self, new_page: NewPage, manager: User, collection: Collection) -> None:
        run = PoolRun.objects.create(
            collection=collection,
            requested_at=AT,
            started_at=AT,
            state=JobState.RUNNING,
            done=1,
            total=3,
            step="reading bm25",
            parameters={"methods": ["bm25"], "depth": 12},
        )
        address = reverse("pool_list", args=["tea"])
        page = new_page(user=manager)
        assert_accessible_everywhere(page, address)
        page.goto("about:blank")  # a page that follows a run loads itself again once it has ended
        run.state, run.finished_at, run.reason = JobState.FAILED, AT, "The run e5 has been deleted meanwhile."
        run.save()
        assert_accessible_everywhere(page, address)


@pytest.mark.services
def test_pools_are_built_while_one_watches(
    new_page: NewPage, manager: User, collection: Collection, celery_worker: Child
) -> None:
    page = new_page(user=manager)
    page.goto(reverse("pool_list", args=["tea"]))
    page.get_by_label("ada-002").uncheck()
    page.get_by_label("Depth").fill("6")
    page.get_by_role("button", name="Build the pools").click()
    expect(page.get_by_text("80 pairs of topic and document.")).to_be_visible()
    expect(page.get_by_text("80 added, 0 removed, depth 6.")).to_be_visible()
    assert_accessible(page)
    assert PoolEntry.objects.filter(topic__collection=collection).count() == 80
    page.get_by_role("link", name="1 How hot").first.click()
    expect(page.locator("tbody tr")).to_have_count(10)
    page.get_by_label("Brought in by").select_option("bm25")
    expect(page.locator("tbody tr")).to_have_count(5)
    page.get_by_label("Docno of a document to add").fill("10.1145/0039")
    page.get_by_role("button", name="Add to the pool").click()
    expect(page.get_by_text("10.1145/0039 is in the pool of topic 1.")).to_be_visible()
    page.get_by_role("button", name="Remove 10.1145/0039 from the pool").click()
    expect(page.get_by_text("10.1145/0039 is no longer in the pool.")).to_be_visible()
    page.goto(reverse("pool_list", args=["tea"]))
    page.get_by_text("Build pools", exact=True).click()
    for name in ("bm25", "specter2-title-abstract", "ada-002"):
        page.get_by_label(f"{name} –").uncheck()
    page.get_by_label("Standard search (BM25").check()
    page.get_by_text("Custom settings", exact=True).click()
    own = page.get_by_label("Standard search with custom settings")
    expect(own).not_to_be_checked()
    page.get_by_label("Minimum pool size").fill("40")
    expect(own).to_be_checked()
    page.get_by_role("button", name="Build the pools").click()
    expect(page.get_by_text("tfidf:query").first).to_be_visible()
    expect(page.get_by_text("with a search of the whole collection")).to_be_visible()


@pytest.mark.services
def test_a_run_comes_in_by_the_browser(
    new_page: NewPage, manager: User, collection: Collection, celery_worker: Child, tmp_path: Path
) -> None:
    (tmp_path / "dense.run").write_text("1 Q0 10.1145/0000 1 nan dense\n2 Q0 10.1145/0001 1 2.5 dense\n")
    page = new_page(user=manager)
    page.goto(reverse("run_list", args=["tea"]))
    page.get_by_role("link", name="Import runs").click()
    page.set_input_files("input[type=file]", tmp_path / "dense.run")
    page.get_by_label("Dry run").uncheck()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("so the ranking of topic 1 is left out")).to_be_visible()
    page.goto(reverse("run_list", args=["tea"]))
    page.get_by_role("link", name="dense").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Delete this run").click()
    page.locator("#confirm-dialog button[value=yes]").click()
    expect(page.get_by_text("The run dense is deleted.")).to_be_visible()
    assert not RetrievalRun.objects.filter(name="dense").exists()
