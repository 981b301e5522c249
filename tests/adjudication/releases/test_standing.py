"""What a release is made of is not deleted, by whatever way, and the reason is said in words."""

from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.models import Value
from django.db.models.functions import Concat
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.refusals import as_refusal
from adjudication.evaluation.requests import delete_qrels
from adjudication.models import ImportedQrels, Release
from adjudication.releases.sources import last_ids, sources
from annotation.models import Assignment, AssignmentState
from corpus.models import Change, PoolEntry, Role
from corpus.pools.requests import remove_from_pool
from corpus.topics.aspects import delete_aspect
from corpus.topics.versions import keep_versions
from tests.access_world import AT, World, make_world
from tests.adjudication.releases.releasing import freeze
from tests.factories.adjudication import Built

pytestmark = pytest.mark.django_db

# Rows that a change of something else deletes and writes again: the release has its own copy of them. Or rows that
# belong to one that is guarded, and go with it alone.
WRITTEN_AGAIN = {
    "adjudication.verdict": "each count of votes writes them; what stood before is in the release",
    "annotation.judgment": "a label changed is deleted and written; each of its submissions stays",
    "annotation.unparsedanswer": "gone once somebody has said what it means",
    "annotation.machinereply": "errors are asked again",
    "annotation.replyvalue": "what an unreadable reply states is decided, and may be changed",
    "annotation.prompttrial": "no release has trials of prompts; rows that are only added",
    "annotation.trialanswer": "part of such a trial; what had no answer is asked again",
    "annotation.runcriterion": "written with its run, and part of it",
    "annotation.extraction": "those that no person made are made again; revisions of people stay by their own trigger",
    "adjudication.agreementresult": "written by its run",
    "adjudication.evaluationscores": "written by their evaluation",
    "adjudication.importedqrelstopic": "read from the file of their judged set",
    "adjudication.splittopic": "part of a split",
    "adjudication.datastatement": "one row that is only changed",
    "adjudication.payrate": "one row that is only changed",
    "adjudication.machinecorrection": "rows that are only changed, when they are undone; their verdicts are released",
    "adjudication.machineaudit": "drawn once and never deleted; a release has those that are judged",
    "adjudication.audititem": "part of an audit",
    "annotation.machinerun_members": "chosen when a committee is requested, and never changed",
    "annotation.queueordering": "managers choose another; a release says what the judged items are a sample of",
    "annotation.knownanswer": "managers correct and remove them; a release has shares",
    "annotation.background": "one row a person, which they change or take back; releases have it in groups",
    "annotation.consent": "rows that are only changed, by who withdraws",
    "annotation.consenttext": "versions are only added",
    "corpus.fulltext": "part of a document, which is guarded",
    "corpus.poolsource": "pools built again say which method brings a document",
    "corpus.ranking": "a run imported again under its name replaces its lists",
    "corpus.partranking": "the same for lists of aspects and sub-queries",
    "corpus.aspectnode": "places of aspects, written whole with each change of a tree",
    "corpus.subqueryaspect": "part of a sub-query",
    "corpus.target": "those of the file that a topic was imported from",
    "corpus.citation": "part of a citing paper and a document",
    "corpus.citationmention": "found again in the text of its paper",
    "corpus.mentionreference": "part of a mention",
    "corpus.generatedquestion": "read again from its reply",
    "corpus.generationreply": "part of a question run",
    "corpus.aspectremark": "part of a review, which readers change",
    "corpus.topicreview": "readers change it",
    "corpus.replacedrecord": "what an undo brings back; part of an import",
    "annotation.submission": "append-only by its own trigger",
    "annotation.rewrite": "append-only by its own trigger",
    "annotation.foundtarget": "append-only by its own trigger",
    "annotation.extractionrevision": "append-only by its own trigger",
    "annotation.rewritereview": "part of a rewrite",
    "annotation.assignmentrun": "a job that no file shows",
    "annotation.itembuild": "a job that no file shows",
    "corpus.indexing": "a job that no file shows",
    "corpus.poolrun": "a job that no file shows",
    "corpus.runmaking": "a job that no file shows",
    "corpus.paidanswer": "a cache of answers of services",
    "corpus.authorletter": "letters to authors, which no file shows",
    "corpus.authormailing": "letters to authors, which no file shows",
    "corpus.authorinvitation": "letters to authors, which no file shows",
    "corpus.authoranswer": "an answer that became a topic is that topic, which is guarded",
    "corpus.authorquestion": "part of a topic, which is guarded",
    "corpus.webhook": "addresses of programs, which no file shows",
    "corpus.webhookdelivery": "messages to programs, which no file shows",
    "adjudication.voteacceptance": "a job that no file shows; the verdicts that it accepted are released",
    "corpus.questioncall": "letters to authors, which no file shows",
}
GUARDS = "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'release_stands'"


def guarded_tables() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(GUARDS)
        return {table for (table,) in cursor.fetchall()}


def test_each_table_that_a_release_reads_is_guarded_or_says_why_not() -> None:
    guarded, known = guarded_tables(), {each.name: each.model._meta.db_table for each in sources()}
    assert guarded <= set(known.values())
    assert {name for name, table in known.items() if table not in guarded} == set(WRITTEN_AGAIN)


@pytest.fixture
def world(_free_address: None) -> World:
    found = make_world()
    Assignment.objects.filter(pk=found.assignment.pk).update(state=AssignmentState.DONE, finished_at=AT)
    keep_versions(list(found.collection.topics.all()), by=None, at=AT, change=Change.EDITED)
    call_command("make_sub_queries", found.collection.slug, "--size", "1")
    Release.objects.filter(pk=found.release.pk).update(
        last_ids=last_ids(found.collection.pk),
        summary={"campaigns": list(found.collection.campaigns.values_list("slug", flat=True))},
        frozen_at=AT,
        place="releases/1.1",
        manifest_sha256="0" * 64,
        anonymous_sha256="0" * 64,
    )
    return found


def guarded_rows(world: World) -> Iterator[tuple[str, int]]:
    for each in sources():
        table = each.model._meta.db_table
        rows = each.of(world.collection.pk).order_by("pk")
        if table == "annotation_assignment":
            rows = rows.filter(state="done")
        if table in guarded_tables():
            yield table, rows.values_list("pk", flat=True).first() or 0


def test_the_database_refuses_each_in_words(world: World) -> None:
    empty = []
    for table, pk in guarded_rows(world):
        if not pk:
            empty.append(table)
            continue
        with pytest.raises(IntegrityError) as raised, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table} WHERE id = %s", [pk])
        assert "Release v1 stands on this" in str(as_refusal(raised.value)), (table, raised.value)
    assert not empty
    Release.objects.filter(pk=world.release.pk).update(state="failed")  # after its files were written
    with transaction.atomic():
        world.split.delete()


class TestWays:
    """Pages, actions and commands say the reason of the database, and leave everything as it was."""

    @pytest.mark.slow
    def test_actions(self, built: Built) -> None:
        topic = built.collection.topics.get(number="12")
        entry = topic.pool.create(document=built.collection.documents.get(docno="doc-a"))
        node = topic.nodes.create(aspect=topic.aspects.create(text="Nobody judged this."), position=1)
        qrels = ImportedQrels.objects.create(collection=built.collection, name="elsewhere", created_at=AT)
        freeze(built, force="A document was pooled late.")
        now = {"by": built.people["manager"], "at": timezone.now()}
        for what, delete in (
            ("pool entry", lambda: remove_from_pool(entry=entry, **now)),
            ("imported judged set", lambda: delete_qrels(qrels=qrels, **now)),
            ("aspect", lambda: delete_aspect(node=node, **now)),
        ):
            with pytest.raises(IntegrityError) as raised, transaction.atomic():
                delete()
            assert f"Release v1 stands on this {what}" in str(as_refusal(raised.value))
        with pytest.raises(CommandError, match="Release v1 stands on this pool entry"):
            call_command("build_pools", built.collection.slug, "--methods", "bm25")  # which would drop it
        assert PoolEntry.objects.filter(pk=entry.pk).exists()
        later = ImportedQrels.objects.create(collection=built.collection, name="later", created_at=AT)
        delete_qrels(qrels=later, **now)  # came after the release

    def test_pages_and_commands(self, world: World, client: Client) -> None:
        slug = world.collection.slug
        client.force_login(world.members[Role.MANAGER].user)
        for name, more, what in (
            ("split_delete", [world.split.name], "split"),
            ("sub_query_delete", [], "sub-query"),
        ):
            page = client.post(reverse(name, args=[slug, *more]), {"size": 1}, follow=True)
            assert f"Release v1 stands on this {what}" in page.content.decode()
        assert world.collection.splits.exists()
        world.collection.sub_queries.update(number=Concat("number", Value("x")))  # which the rule no longer makes
        with pytest.raises(CommandError, match="Release v1 stands on this sub-query"):
            call_command("make_sub_queries", slug, "--size", "1")
