"""The archive: what it refuses, and that no command writes into it."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, get_commands
from django.test import Client
from django.urls import reverse
from lxml import html

from accounts.job_kinds import kind_of
from accounts.refusals import Refused
from annotation.models import Campaign, CampaignState
from corpus.collections.audit import audit_of
from corpus.collections.collections import archive_collection
from corpus.collections.contents import unfinished_jobs
from corpus.models import ImportRun
from tests.access_world import World
from tests.corpus.collections.archiving import manager_of, rows_of
from tests.factories.accounts import AT, UserFactory
from tests.test_operations import COMMANDS

pytestmark = pytest.mark.django_db


class TestArchive:
    def test_refused_while_a_campaign_is_open_or_a_job_runs(self, world: World) -> None:
        Campaign.objects.filter(pk=world.campaign.pk).update(state=CampaignState.OPEN)
        ImportRun.objects.create(collection=world.collection, kind="documents", requested_at=AT)
        with pytest.raises(
            Refused, match=r"Close the campaign “.*” first\. .*The job “import of documents” is not finished"
        ):
            archive_collection(by=manager_of(world), at=AT, collection=world.collection)

    def test_what_is_open_is_named_with_its_page_on_both_pages(self, world: World, client: Client) -> None:
        client.force_login(manager_of(world))
        place = [world.collection.slug]
        Campaign.objects.filter(pk=world.campaign.pk).update(state=CampaignState.OPEN)
        still_open = world.collection.campaigns.filter(state=CampaignState.OPEN).order_by("name")
        for page in ("collection_delete", "collection_edit"):
            found = html.fromstring(client.get(reverse(page, args=place)).text)
            links = [
                (a.text_content(), a.get("href")) for a in found.xpath("//li[contains(., 'Close the campaign')]/a")
            ]
            pages = [reverse("campaign_detail", args=[*place, one.slug]) for one in still_open]
            assert links == [(f"Go to campaign “{one}”", page) for one, page in zip(still_open, pages, strict=True)]
            jobs_in_the_way = found.xpath("//li[contains(., 'is not finished. Wait for it')]/a/@href")
            assert jobs_in_the_way == [kind_of(job).address(job) for job in unfinished_jobs(world.collection)]
            assert jobs_in_the_way

    def test_nothing_is_written_by_page_api_or_command(self, archived: World, client: Client) -> None:
        slug = archived.collection.slug
        client.force_login(manager_of(archived))
        page = client.post(reverse("topic_create", args=[slug]), {"number": "9", "text": "Why?"})
        assert page.status_code == 409
        assert "is archived, so it can be read but not changed" in page.text
        sent = client.post(reverse("api_topics", args=[slug]), [{"number": "9", "text": "Why?"}], "application/json")
        assert sent.status_code == 409
        with pytest.raises(CommandError, match="is archived"):
            call_command("import_documents", slug, __file__)
        assert client.get(reverse("document_list", args=[slug])).status_code == 200

    def test_outsiders_do_not_learn_of_it(self, archived: World, client: Client) -> None:
        client.force_login(UserFactory())
        assert client.post(reverse("topic_create", args=[archived.collection.slug])).status_code == 404

    def test_listed_apart_and_reopened(self, archived: World, client: Client) -> None:
        client.force_login(manager_of(archived))
        assert "Archived collections (1)" in client.get(reverse("collection_list")).text
        client.post(reverse("collection_reopen", args=[archived.collection.slug]))
        assert "Archived collections" not in client.get(reverse("collection_list")).text
        verbs = audit_of(archived.collection).values_list("verb", flat=True)
        assert list(verbs[:2]) == ["reopen_collection", "archive_collection"]


READING = {"backup_collection", "collection_stats", "evaluate", "explain", "export", "export_run", "pool_report"}
READING |= {"costs", "gold_results", "machine_audit", "pay_sheet", "quality", "sample_size", "verify_release"}
ENDING = {"archive_collection", "restore_collection"}  # what an archive is for
OF_NO_COLLECTION = {"changepassword", "create_collection", "create_user", "erase_person", "export_person"}
OF_NO_COLLECTION |= {"first_code", "formats"}
SLUG, FILE = "tea", __file__
WRITING: dict[str, tuple[str, ...]] = {
    "add_annotators": (SLUG, "main", "outsider@example.org"),
    "add_member": (SLUG, "outsider@example.org", "viewer"),
    "adjudicate": (SLUG, "main", "--policy", "majority"),
    "adjudicate_papers": (SLUG, "undo", "contexts", "PAPER"),
    "anno_gpt": (SLUG, "decide", "1", "stop", "--reason", "Enough."),
    "annotate": (SLUG, "main", "--kind", "lexical"),
    "author_calls": (SLUG, "create", "authors", "--deadline-at", "2999-12-31"),
    "build_items": (SLUG, "main"),
    "build_pools": (SLUG,),
    "make_run": (SLUG, "ours", "--recipe", "bm25"),
    "prompts": (SLUG, "write", FILE, "--purpose", "questions"),
    "release": (SLUG, "v1"),
    "correct_machine_labels": (SLUG, "main", FILE, "--by", "manager@example.org"),
    "create_campaign": (SLUG, "Another"),
    "generate_questions": (SLUG,),
    "judge_unjudged": (SLUG, "--gold", "targets", "--run", "bm25", "--name", "More"),
    "import_documents": (SLUG, FILE),
    "invite_people": (SLUG, FILE, "--by", "MANAGER"),
    "import_judgments": (SLUG, "main", FILE),
    "import_known_answers": (SLUG, "main", FILE),
    "import_mentions": (SLUG, FILE),
    "import_papers": (SLUG, FILE),
    "import_pool": (SLUG, FILE),
    "import_qrels": (SLUG, FILE),
    "import_runs": (SLUG, FILE),
    "import_topics": (SLUG, FILE),
    "remove_items": (SLUG, "main"),
    "rename_collection": (SLUG, "teas"),
    "rewrites": (SLUG, "decide", "main", "1", "confirmed", "--by", "MANAGER"),
    "search_sheet": (SLUG, "read", FILE, "--name", "engine"),
    "set_paper_doi": (SLUG, "10.1/tea.1", "10.1000/182"),
    "undo_import": (SLUG, "IMPORT"),
    "update_campaign": (SLUG, "main", "--name", "Other"),
    "update_collection": (SLUG, "--title", "Other"),
}
OUR_APPS = ("accounts", "corpus", "annotation", "adjudication")


class TestCommands:
    @pytest.mark.slow
    def test_every_command_that_writes_is_refused(self, archived: World) -> None:
        """Those of operations: tests/test_operations.py."""
        named = {name for name, app in get_commands().items() if app in OUR_APPS}
        assert named == {*READING, *ENDING, *OF_NO_COLLECTION, *WRITING, *COMMANDS.values()}
        known = {
            "IMPORT": str(archived.import_run.pk),
            "PAPER": archived.paper.key,
            "MANAGER": manager_of(archived).email,
        }
        before = rows_of(archived.collection.pk)
        for name, arguments in WRITING.items():
            with pytest.raises(CommandError, match="is archived, so it can be read but not changed"):
                call_command(name, *(known.get(each, each) for each in arguments))
        assert rows_of(archived.collection.pk) == before

    def test_papers_too(self, archived: World) -> None:
        """The campaign of papers is adjudicated and compared by other actions than the one of grades."""
        papers = archived.own_paper.item.campaign
        for name, arguments in (("adjudicate", ("--policy", "majority")), ("agreement", ())):
            with pytest.raises(CommandError, match="is archived"):
                call_command(name, SLUG, papers.slug, *arguments)

    def test_exports_only_read(self, archived: World, tmp_path: Path) -> None:
        """Prefixes of ids are not remembered either: tests/adjudication/exports/test_beir_ids.py."""
        out = tmp_path / "documents.jsonl"
        before = rows_of(archived.collection.pk)
        call_command("export", SLUG, "--format", "documents", "--out", str(out))
        assert "D1" in out.read_text()
        assert rows_of(archived.collection.pk) == before
