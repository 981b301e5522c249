"""Evaluation in Chromium: five clicks from the first page to a table with marks, computed by a real worker."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from corpus.models import Collection, Ranking, RetrievalRun, Role, Target
from tests.browser.axe import assert_accessible
from tests.browser.settled import open_tab
from tests.factories.accounts import AT, CollectionFactory, one_member_each
from tests.factories.corpus import DocumentFactory, TopicFactory
from tests.processes import Child

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def collection() -> Collection:
    """Thirty questions of two sources with a target each, and four runs from poor to good."""
    rng = np.random.default_rng(4)
    collection = CollectionFactory(slug="tea", title="Questions about tea")
    documents = [DocumentFactory(collection=collection, docno=f"d{n:03}", title=f"Tea, part {n}") for n in range(50)]
    topics = [
        TopicFactory(
            collection=collection,
            number=str(n),
            text="Which papers are about tea?",
            source="author" if n % 3 else "inline-acl",
            extra={"specificity": n % 2, "quality": 1 + n % 2},
        )
        for n in range(30)
    ]
    for place, topic in enumerate(topics):
        Target.objects.create(topic=topic, document=documents[place])
    for name, skill in (("bm25", 0.5), ("specter2", 0.8), ("e5-large-v2", 1.2), ("bm25-reranked-by-gpt-4o", 2.5)):
        run = RetrievalRun.objects.create(collection=collection, name=name, created_at=AT)
        for place, topic in enumerate(topics):
            scores = rng.normal(size=50)
            scores[place] += skill
            order = np.argsort(-scores)
            docnos = [documents[at].docno for at in order]
            Ranking.objects.create(run=run, topic=topic, docnos=docnos, scores=scores[order].tolist())
    return collection


@pytest.fixture
def manager(collection: Collection) -> User:
    return one_member_each(collection)[Role.MANAGER].user


def test_five_clicks_to_a_marked_table(
    new_page: Callable[..., Page], collection: Collection, manager: User, celery_worker: Child
) -> None:
    page = new_page(manager)
    page.goto("/")
    page.get_by_role("link", name="Questions about tea").first.click()  # 1
    open_tab(page, "Collection", "Results", "Evaluation")  # 2, 3
    page.get_by_role("link", name="Evaluate runs").first.click()  # 4
    expect(page.get_by_label("Gold", exact=False).first).to_contain_text("Targets of all questions")
    assert_accessible(page)
    page.get_by_role("button", name="Evaluate").click()  # 5
    table = page.get_by_role("table").first
    expect(table).to_contain_text("†")
    expect(table.locator("strong").first).to_be_visible()
    assert_accessible(page)
    table.get_by_role("link", name="AP").click()
    expect(page.locator("figcaption")).to_contain_text("AP with 95% intervals")
    page.get_by_role("link", name="All pairs of runs").click()
    expect(page.get_by_role("heading", name="All pairs of runs")).to_be_visible()
    last = page.locator(".crumbs li").last.locator("a")
    assert last.evaluate("each => each.scrollWidth <= each.clientWidth"), "the collection's name gives way first"
    assert last.get_attribute("title") == last.inner_text()
    first = page.locator(".crumbs li").first.locator("a")
    assert first.evaluate("each => each.scrollWidth <= each.clientWidth"), "it does before the role does"
    assert_accessible(page)
    page.get_by_role("link", name="specter2").click()
    expect(page.get_by_role("heading", name="specter2")).to_be_visible()
    assert_accessible(page)
    page.go_back()
    page.go_back()
    page.get_by_role("link", name="Run against run, by topic").click()
    expect(page.get_by_role("heading", name="Topic by topic")).to_be_visible()
    expect(page.locator(".gap-plot rect").first).to_be_visible()
    assert_accessible(page)
    page.get_by_role("table").last.get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Relevant documents")).to_be_visible()
    expect(page.get_by_role("heading", name="Unjudged at the top")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("link", name="Judge these…").click()
    expect(page.get_by_role("button", name="Make items")).to_be_visible()
    assert_accessible(page)
