"""Undoing imports: everything as before, or a refusal that names what stands on it."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.models import AuditEvent
from accounts.refusals import Refused
from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.imports.operations import IMPORT_JUDGMENTS
from annotation.models import Annotator, Assignment, Campaign, ExtractionSource, Item, Judgment, Submission
from corpus.collections.contents import contents
from corpus.imports.requests import undo_import
from corpus.models import CitationMention, Collection, Document, ImportRun, RetrievalRun, Role
from tests.corpus.imports.importing import import_files, jsonl
from tests.factories.accounts import AT, CollectionFactory, one_member_each
from tests.factories.annotation import annotator, give_labels, make_campaign, make_material
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool
from tests.factories.mentions import make_mention
from tests.factories.papers import PaperFactory, make_content, make_extraction

pytestmark = pytest.mark.django_db

UNCOMPARED = ("corpus.importrun",)


@pytest.fixture
def collection() -> Collection:
    return CollectionFactory(slug="tea")


def state(collection: Collection) -> dict[str, list[Any]]:
    """All rows of the collection but its imports."""
    return {
        content.name: list(content.of(collection.pk).order_by("pk").values())
        for content in contents()
        if content.name not in UNCOMPARED
    }


def imported(collection: Collection, kind: str, *files: Path, **parameters: Any) -> ImportRun:
    run = import_files(collection, *files, kind=kind, **parameters)
    assert run.state == "done", run.reason
    return run


def undone(run: ImportRun) -> None:
    undo_import(by=None, at=AT, run=run)
    run.refresh_from_db()
    assert run.undone_at == AT


DOCUMENTS = [{"docno": f"d{n}", "title": f"Tea {n}", "abstract": "Leaves."} for n in range(1, 4)]
TOPICS = [{"number": "1", "text": "Which tea?", "targets": ["d1"]}, {"number": "2", "text": "Why tea?"}]


def test_documents_are_deleted_and_changed_ones_are_as_before(collection: Collection, tmp_path: Path) -> None:
    DocumentFactory(collection=collection, docno="d1", title="Old", keywords=["a", "b"], year=1999, extra={"x": [1]})
    before = state(collection)
    run = imported(collection, "documents", jsonl(tmp_path / "d.jsonl", DOCUMENTS))
    assert (run.created, run.updated) == (2, 1)
    undone(run)
    assert state(collection) == before
    event = AuditEvent.objects.get(verb="undo_import")
    assert event.scope_id == collection.pk
    with pytest.raises(Refused, match="not undone yet"):
        undo_import(by=None, at=AT, run=run)


def test_documents_stay_while_pools_hold_them_or_a_later_import_changed_them(
    collection: Collection, tmp_path: Path
) -> None:
    run = imported(collection, "documents", jsonl(tmp_path / "d.jsonl", DOCUMENTS))
    later = imported(collection, "documents", jsonl(tmp_path / "e.jsonl", [{**DOCUMENTS[0], "title": "New"}]))
    with pytest.raises(Refused, match="later imports that changed it: 1"):
        undone(run)
    undone(later)
    assert Document.objects.get(docno="d1").title == "Tea 1"
    make_pool(TopicFactory(collection=collection), list(Document.objects.filter(docno="d1")))
    with pytest.raises(Refused, match=r"other work uses it \(pool entries: 1\)"):
        undone(run)


def test_topics_with_aspects_and_targets(collection: Collection, tmp_path: Path) -> None:
    imported(collection, "documents", jsonl(tmp_path / "d.jsonl", DOCUMENTS))
    before = state(collection)
    run = imported(collection, "topics", jsonl(tmp_path / "t.jsonl", TOPICS))
    assert run.created == 2
    undone(run)
    assert state(collection) == before


@pytest.mark.slow
def test_runs_unless_pools_were_filled_from_them(collection: Collection, tmp_path: Path) -> None:
    TopicFactory(collection=collection, number="1")
    document = DocumentFactory(collection=collection, docno="d1")
    before = state(collection)
    file = tmp_path / "a.run"
    file.write_text("1 Q0 d1 1 2.0 bm\n1 Q0 d2 2 1.0 bm\n")
    run = imported(collection, "runs", file)
    undone(run)
    assert state(collection) == before
    again = imported(collection, "runs", file)
    make_pool(collection.topics.get(), [document], method="bm")
    with pytest.raises(Refused, match="documents added to pools by its runs: 1"):
        undone(again)
    assert RetrievalRun.objects.filter(name="bm").exists()


@pytest.mark.slow
def test_judgments_until_somebody_answers_after_them(tmp_path: Path) -> None:
    made = make_material(topics=2, documents=2)
    campaign = make_campaign(made, overlap=2)
    before = state(made.collection)
    item = Item.objects.filter(campaign=campaign).select_related("topic", "aspect", "document").first()
    assert item is not None
    row = {"topic": item.topic.number, "aspect": item.aspect.text, "docno": item.document.docno}
    rows = [{**row, "annotator": name, "criterion": "relevance", "value": 1} for name in ("Zoe", "gpt")]
    file = jsonl(tmp_path / "j.jsonl", [rows[0], {**rows[1], "machine": True}])
    run = IMPORT_JUDGMENTS.request(campaign=campaign, by=None, at=AT, files=[file], send=False)
    jobs.carry_out(run)
    run.refresh_from_db()
    assert (run.state, run.created) == ("done", 2), run.errors
    undone(run)
    assert state(made.collection) == before
    assert not Submission.objects.exists()


@pytest.mark.slow
def test_an_assignment_that_was_planned_is_to_do_again(tmp_path: Path) -> None:
    made = make_material(topics=1, documents=2)
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    judge = annotator(campaign, "ana")
    mine = judge.assignments.filter(state="pending").select_related("item__topic", "item__aspect", "item__document")[0]
    row = {"topic": mine.item.topic.number, "aspect": mine.item.aspect.text, "docno": mine.item.document.docno}
    file = jsonl(tmp_path / "j.jsonl", [{**row, "annotator": judge.name, "criterion": "relevance", "value": 1}])
    run = IMPORT_JUDGMENTS.request(campaign=campaign, by=None, at=AT, files=[file], send=False)
    jobs.carry_out(run)
    run.refresh_from_db()
    assert run.created == 1, run.errors
    undone(run)
    mine.refresh_from_db()
    assert (mine.state, mine.finished_at) == ("pending", None)
    assert not Judgment.objects.exists()
    assert Annotator.objects.filter(pk=judge.pk).exists()


@pytest.mark.slow
def test_what_people_judged_is_never_taken_back(tmp_path: Path) -> None:
    made = make_material(topics=1, documents=2)
    run = ImportRun.objects.create(collection=made.collection, kind="documents", state="done", requested_at=AT)
    made.collection.documents.update(imported_in=run)
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    give_labels(annotator(campaign, "ana"), [1])
    with pytest.raises(Refused, match=r"other work uses it \(items: \d+"):
        undone(run)
    assert Assignment.objects.filter(state="done").exists()


@pytest.mark.slow
def test_papers_with_proposals_until_they_are_items(collection: Collection) -> None:
    before = state(collection)
    run = ImportRun.objects.create(collection=collection, kind="papers", state="done", created=1, requested_at=AT)
    paper = PaperFactory(collection=collection, imported_in=run)
    make_extraction(paper, ExtractionSource.MACHINE, make_content())
    make_extraction(paper, ExtractionSource.IMPORTED, make_content())
    campaign = Campaign.objects.create(
        collection=collection, slug="c", name="C", kind="extraction", seed=1, created_at=AT, overlap=1
    )
    item = Item.objects.create(campaign=campaign, split=campaign.split, paper=paper)
    with pytest.raises(Refused, match=r"other work uses it \(items: 1\)"):
        undone(run)
    item.delete()
    campaign.delete()
    undone(run)
    assert state(collection) == before


@pytest.mark.slow
def test_mentions_until_questions_are_written_from_them(collection: Collection) -> None:
    run = ImportRun.objects.create(collection=collection, kind="mentions", state="done", created=1, requested_at=AT)
    document = DocumentFactory(collection=collection)
    before = state(collection)
    mention = make_mention({"1": document}, collection=collection)
    CitationMention.objects.filter(pk=mention.pk).update(imported_in=run)
    undone(run)
    assert state(collection) == before


@pytest.mark.slow
def test_page_api_and_command(collection: Collection, client: Client, tmp_path: Path) -> None:
    members = one_member_each(collection)
    client.force_login(members[Role.MANAGER].user)
    runs = [imported(collection, "documents", jsonl(tmp_path / f"{n}.jsonl", [DOCUMENTS[n]])) for n in range(3)]
    page = client.get(reverse("import_detail", args=["tea", runs[0].pk]))
    assert reverse("import_undo", args=["tea", runs[0].pk]) in page.text
    client.post(reverse("import_undo", args=["tea", runs[0].pk]))
    assert "Undone on" in client.get(reverse("import_detail", args=["tea", runs[0].pk])).text
    assert ">Undone<" in client.get(reverse("import_list", args=["tea"])).text
    assert client.post(reverse("api_import_undoing", args=["tea", runs[1].pk])).json()["undone_at"]
    call_command("undo_import", "tea", str(runs[2].pk))
    assert not Document.objects.exists()
    with pytest.raises(CommandError, match="not undone yet"):
        call_command("undo_import", "tea", str(runs[2].pk))
