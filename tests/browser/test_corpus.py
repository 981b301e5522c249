"""Documents, imports and topics in Chromium: accessible, alive, and usable by keys, by mouse and without JavaScript."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import JobState, User
from corpus.models import AspectNode, Collection, ImportRun, Role, Topic
from tests.browser.axe import assert_accessible, assert_accessible_everywhere
from tests.browser.settled import expect_settled
from tests.corpus.judging import judge
from tests.factories.accounts import AT, CollectionFactory, UserFactory, one_member_each
from tests.factories.corpus import DocumentFactory, ImportRunFactory, TopicFactory, make_tree
from tests.processes import Child

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
TREE = {"About heat.": ["It measures.", "It compares."], "About time.": [], "About pots.": []}


@pytest.fixture
def collection() -> Collection:
    collection = CollectionFactory(slug="tea", title="Questions about tea")
    for number in range(60):
        DocumentFactory(
            collection=collection,
            docno=f"10.1145/{number:04}",
            title=f"On the brewing of tea, part {number}",
            keywords=["tea", "water"],
            authors=["Leaf, Ana", "Pot, Ben"],
            doi=f"10.1145/{number:04}",
            extra={"pages": "1–8", "nested": {"a": [1, 2]}},
        )
    return collection


@pytest.fixture
def manager(collection: Collection) -> User:
    return one_member_each(collection)[Role.MANAGER].user


@pytest.fixture
def topic(collection: Collection) -> Topic:
    topic = TopicFactory(collection=collection, number="7", kind="complex-query", source="author")
    make_tree(topic, TREE)
    return topic


def tree(topic: Topic) -> dict[str, list[str]]:
    tops = AspectNode.objects.filter(topic=topic, parent=None).select_related("aspect")
    return {top.aspect.text: [each.aspect.text for each in top.children.select_related("aspect")] for top in tops}


class TestAccessible:
    def test_documents(self, new_page: NewPage, manager: User) -> None:
        page = new_page(user=manager)
        address = reverse("document_list", args=["tea"])
        for query in ("?q=tea+brewing", "?q=nothing"):
            assert_accessible_everywhere(page, address + query)
        assert_accessible_everywhere(page, reverse("document_detail", args=["tea", "10.1145/0001"]))
        page.locator("summary").last.click()
        assert_accessible(page)

    def test_imports(self, new_page: NewPage, manager: User, collection: Collection) -> None:
        common = {"collection": collection, "requested_by": manager, "started_at": AT, "files": [{"name": "a.bib"}]}
        done = ImportRunFactory(
            **common,
            state=JobState.DONE,
            finished_at=AT,
            dry_run=True,
            created=100_000,
            errors=[{"file": "a.bib", "line": 7, "reason": "the entry has no key"}],
            error_count=1,
            skips={"an entry of type @book": 3},
        )
        failed = ImportRunFactory(**common, state=JobState.FAILED, finished_at=AT, reason="a.bib: not a text file")
        running = ImportRunFactory(**common, state=JobState.RUNNING, done=10_000, total=50_000, step="reading")
        page = new_page(user=manager)
        for run in (done, failed, running):
            assert_accessible_everywhere(page, reverse("import_detail", args=["tea", run.pk]))
        assert_accessible_everywhere(page, reverse("import_list", args=["tea"]))

    def test_topics(self, new_page: NewPage, manager: User, topic: Topic) -> None:
        judge(topic.aspects.get(text="About pots."))
        assert_accessible_everywhere(new_page(user=manager), reverse("topic_detail", args=["tea", topic.pk]))

    def test_an_open_aspect(self, new_page: NewPage, manager: User, topic: Topic) -> None:
        page = new_page(user=manager)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(reverse("topic_detail", args=["tea", topic.pk]))
            page.locator(".aspect-menu summary").first.click()
            assert_accessible(page)


class TestDocuments:
    def test_results_come_while_typing(self, new_page: NewPage, manager: User) -> None:
        page = new_page(user=manager)
        page.goto(reverse("document_list", args=["tea"]))
        page.get_by_label("Words, or a docno").press_sequentially("brewing 17")
        expect(page.locator(".hit")).to_have_count(1)
        expect(page.locator(".hit mark").first).to_be_visible()
        assert parse_qs(urlsplit(page.url).query)["q"] == ["brewing 17"]
        page.locator(".hit a").click()
        expect(page.locator("h1")).to_have_text("On the brewing of tea, part 17")

    def test_back_from_results_shows_the_whole_page(self, new_page: NewPage, manager: User) -> None:
        page = new_page(user=manager)
        page.goto(reverse("document_list", args=["tea"]))
        page.get_by_label("Words, or a docno").fill("brewing 17")
        expect(page.locator(".hit")).to_have_count(1)
        page.go_back()
        expect(page.locator(".hit")).to_have_count(0)
        expect(page.locator("h1")).to_have_text("Documents")

    def test_paging_to_the_end_and_back(self, new_page: NewPage, manager: User) -> None:
        page = new_page(user=manager, java_script_enabled=False)
        page.goto(reverse("document_list", args=["tea"]))
        page.get_by_role("link", name="Next").click()
        expect(page.locator("tbody tr")).to_have_count(10)
        page.get_by_role("link", name="Previous").click()
        expect(page.locator("tbody tr")).to_have_count(50)


class TestImport:
    @pytest.mark.services
    def test_a_dry_run_and_then_the_import(
        self, new_page: NewPage, manager: User, collection: Collection, celery_worker: Child, tmp_path: Path
    ) -> None:
        (tmp_path / "new.jsonl").write_text('{"id": "n1", "title": "New"}\nbroken\n')
        page = new_page(user=manager)
        page.goto(reverse("import_create", args=["tea", "documents"]))
        page.set_input_files("input[type=file]", tmp_path / "new.jsonl")
        button = page.locator("main form button[type=submit]")
        page.get_by_label("Dry run").uncheck()
        expect(button).to_have_accessible_name("Import")
        page.get_by_label("Dry run").check()
        expect(button).to_have_accessible_name("Start dry run")
        button.click()
        page.get_by_role("button", name="Import them now").click()
        page.get_by_role("link", name="See the documents").click()
        expect(page.locator("h1")).to_have_text("Documents")
        assert collection.documents.filter(docno="n1").exists()
        assert [(run.dry_run, run.created, run.error_count) for run in collection.import_runs.order_by("pk")] == [
            (True, 1, 1),
            (False, 1, 1),
        ]

    def test_keys_go_on_from_a_form_that_was_refused(
        self, new_page: NewPage, manager: User, collection: Collection, tmp_path: Path
    ) -> None:
        (tmp_path / "words.txt").write_text("just some words\n")
        page = new_page(user=manager)
        page.goto(reverse("import_create", args=["tea", "documents"]))
        files = page.get_by_label("Files")
        files.set_input_files(tmp_path / "words.txt")
        files.focus()
        for stop in ("Format", "Dry run", "Take only", "Formats read here", "Start dry run"):
            page.keyboard.press("Tab")
            assert stop in page.evaluate("(document.activeElement.labels?.[0] ?? document.activeElement).innerText")
        page.keyboard.press("Enter")
        expect(page.get_by_text("its format is not recognised")).to_be_visible()
        expect(files).to_be_focused()

    def test_keys_go_on_from_an_import_that_ends(
        self, new_page: NewPage, manager: User, collection: Collection
    ) -> None:
        run = ImportRunFactory(collection=collection, state=JobState.RUNNING, started_at=AT, done=1, total=5)
        page = new_page(user=manager)
        page.goto(reverse("import_detail", args=["tea", run.pk]))
        expect(page.get_by_role("button", name="Cancel")).to_be_visible()
        ImportRun.objects.update(state=JobState.DONE, finished_at=AT, created=1)
        expect(page.locator("[data-job-final]")).to_be_focused()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('.job ~ *') !== null")  # what can be done next


class TestAspects:
    def test_by_keys_alone(self, new_page: NewPage, manager: User, topic: Topic) -> None:
        page = new_page(user=manager)
        page.goto(reverse("topic_detail", args=["tea", topic.pk]))

        def press(keys: str, wanted: dict[str, list[str]]) -> None:
            with page.expect_response(lambda response: response.request.method == "POST"):
                page.keyboard.press(keys)
            expect_settled(page)
            texts = [text for top, below in wanted.items() for text in (top, *below)]
            expect(page.locator(".aspect-text > p:first-child")).to_have_text(texts)
            assert tree(topic) == wanted

        page.locator("[data-node]", has_text="About time.").focus()
        press("Alt+ArrowDown", {"About heat.": TREE["About heat."], "About pots.": [], "About time.": []})
        expect(page.locator("[data-node]", has_text="About time.")).to_be_focused()
        press("Alt+ArrowRight", {"About heat.": TREE["About heat."], "About pots.": ["About time."]})
        press("Alt+ArrowLeft", {"About heat.": TREE["About heat."], "About pots.": [], "About time.": []})
        press("Delete", {"About heat.": TREE["About heat."], "About pots.": []})
        expect(page.locator("[data-node]", has_text="About pots.")).to_be_focused()
        press("Control+z", {"About heat.": TREE["About heat."], "About pots.": [], "About time.": []})
        page.locator("[data-node]", has_text="About time.").focus()
        page.keyboard.press("n")
        page.keyboard.type("About leaves.")
        page.keyboard.press("Enter")
        expect(page.locator("[data-node]", has_text="About leaves.")).to_be_visible()
        expect(page.locator("#aspect-new")).to_be_focused()

    def test_wording_and_ties(self, new_page: NewPage, manager: User, topic: Topic) -> None:
        page = new_page(user=manager)
        page.goto(reverse("topic_detail", args=["tea", topic.pk]))
        page.locator("[data-node]", has_text="About time.").focus()
        page.keyboard.press("Enter")
        sheet = page.locator("[data-node]", has_text="About time.").locator(".aspect-sheet")
        sheet.get_by_label("Text", exact=True).fill("About minutes.")
        sheet.get_by_label("2. Does it matter for white tea?").check()
        sheet.get_by_role("button", name="Save").click()
        changed = page.locator("[data-node]", has_text="About minutes.")
        expect(changed).to_contain_text("from sentence 2")
        expect(changed).to_be_focused()

    def test_by_dragging(self, new_page: NewPage, manager: User, topic: Topic) -> None:
        page = new_page(user=manager)
        page.goto(reverse("topic_detail", args=["tea", topic.pk]))
        pots, time = (page.locator("[data-node]", has_text=text) for text in ("About pots.", "About time."))
        pots.locator(".handle").drag_to(time, target_position={"x": 60, "y": 4})
        expect(page.locator(".aspect-text > p:first-child").nth(3)).to_have_text("About pots.")
        assert list(tree(topic)) == ["About heat.", "About pots.", "About time."]
        expect_settled(page)
        row = time.locator(".aspect-row")
        box = pots.locator(".aspect-row").bounding_box()
        assert box is not None
        row.locator(".handle").drag_to(pots.locator(".aspect-row"), target_position={"x": 60, "y": box["height"] / 2})
        expect(pots.locator("[data-node]", has_text="About time.")).to_be_visible()
        assert tree(topic)["About pots."] == ["About time."]

    def test_without_javascript(self, new_page: NewPage, manager: User, topic: Topic) -> None:
        page = new_page(user=manager, java_script_enabled=False)
        page.goto(reverse("topic_detail", args=["tea", topic.pk]))
        page.get_by_label("New aspect", exact=True).fill("About leaves.")
        page.get_by_role("button", name="Add").last.click()
        texts = page.locator(".aspect-text > p:first-child")
        expect(texts.last).to_have_text("About leaves.")
        last = page.locator(".aspect", has_text="About leaves.")
        last.locator("summary").click()
        last.get_by_role("button", name="Up").click()
        expect(texts.last).to_have_text("About pots.")
        assert texts.all_inner_texts()[-2:] == ["About leaves.", "About pots."]

    def test_a_refusal_is_reported(self, new_page: NewPage, manager: User, topic: Topic) -> None:
        page = new_page(user=manager)
        page.goto(reverse("topic_detail", args=["tea", topic.pk]))
        judge(topic.aspects.get(text="About time."))
        page.locator("[data-node]", has_text="About time.").focus()
        page.keyboard.press("Delete")
        expect(page.get_by_role("alert")).to_contain_text("has been judged, so it has to stay in the tree")
        assert tree(topic) == TREE


class TestTopicOrder:
    def test_by_buttons_and_by_dragging(self, new_page: NewPage, manager: User, collection: Collection) -> None:
        for number in "abc":
            TopicFactory(collection=collection, number=number, title=f"Topic {number}")

        def numbers() -> str:
            return "".join(collection.topics.values_list("number", flat=True))

        page = new_page(user=manager)
        page.goto(reverse("topic_list", args=["tea"]))
        page.get_by_role("button", name="Move topic c up").click()
        expect(page.locator("tbody tr").nth(1)).to_contain_text("Topic c")
        expect(page.get_by_role("button", name="Move topic c up")).to_be_focused()
        assert numbers() == "acb"
        expect_settled(page)
        rows = page.locator("[data-row]")
        rows.nth(2).locator(".handle").drag_to(rows.nth(0), target_position={"x": 200, "y": 3})
        expect(rows.nth(0)).to_contain_text("Topic b")
        assert numbers() == "bac"


def test_a_short_name_is_proposed_from_the_title_until_one_is_typed(new_page: NewPage) -> None:
    page = new_page(user=UserFactory(is_staff=True))
    page.goto(reverse("collection_create"))
    page.get_by_label("Title").press_sequentially("Thé & Café: Überblick")
    expect(page.get_by_label("Short name")).to_have_value("the-cafe-uberblick")
    page.get_by_label("Short name").fill("tea")
    page.get_by_label("Title").press_sequentially(" 2")
    expect(page.get_by_label("Short name")).to_have_value("tea")
