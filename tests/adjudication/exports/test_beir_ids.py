"""BEIR of collections whose queries and documents share ids, as DORIS-MAE's do: prefixes, offered and remembered."""

import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from adjudication.models import ExportPrefixes
from corpus.models import Collection, Role, Target, Topic
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.factories.adjudication import Built, build_campaign
from tests.factories.corpus import DocumentFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def built() -> Built:
    """Query 90 over documents 90 and 91, judged and voted."""
    triples = [("90", "It brews tea.", "90"), ("90", "It brews tea.", "91")]
    built = build_campaign([[2, 2], [1, 1]], people=("ana", "ben"), triples=triples)
    call_command("adjudicate", "tea", "main")
    return built


def ids(archive: bytes) -> tuple[list[str], list[str], list[list[str]]]:
    """Ids of the corpus, of the queries, and the rows of the qrels."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        corpus, queries = (
            [json.loads(line)["_id"] for line in files.read(name).splitlines()]
            for name in ("corpus.jsonl", "queries.jsonl")
        )
        return corpus, queries, [row.split("\t") for row in files.read("qrels/test.tsv").decode().split("\n")[1:-1]]


PREFIXED = (["d90", "d91"], ["q90"], [["q90", "d90", "2"], ["q90", "d91", "1"]])


def test_the_command_takes_prefixes_and_remembers_them(built, tmp_path) -> None:
    out = tmp_path / "tea.zip"
    asked = ("export", "tea", "--format", "beir", "--out", str(out))
    with pytest.raises(CommandError, match=r"id is the query's own: 90\. Add --query-prefix q"):
        call_command(*asked)
    for bad in ("a b", "x" * 21, 'q"'):
        with pytest.raises(CommandError, match="cannot begin an id"):
            call_command(*asked, "--query-prefix", bad)
    with pytest.raises(CommandError, match="one of these: beir, question-beir"):
        call_command("export", "tea", "--format", "qrels", "--query-prefix", "q")
    assert not ExportPrefixes.objects.exists()
    call_command(*asked, "--query-prefix", "q", "--document-prefix", "d")
    assert ids(out.read_bytes()) == PREFIXED
    call_command(*asked, "--json")
    assert ids(out.read_bytes()) == PREFIXED
    call_command(*asked, "--document-prefix", "")  # one of them is enough, the other stays
    assert ids(out.read_bytes())[:2] == (["90", "91"], ["q90"])


def test_of_an_archived_collection_they_are_used_once(built, client, tmp_path) -> None:
    out = tmp_path / "tea.zip"
    Collection.objects.update(archived_at=AT)
    call_command(
        "export", "tea", "--format", "beir", "--out", str(out), "--query-prefix", "q", "--document-prefix", "d"
    )
    assert ids(out.read_bytes()) == PREFIXED
    client.force_login(built.people["manager"])
    file = reverse("export_download", args=["tea", "beir"])
    sent = client.get(file, {"query_prefix": "q", "document_prefix": "d"})
    assert ids(b"".join(sent.streaming_content)) == PREFIXED
    assert not ExportPrefixes.objects.exists()


@pytest.mark.slow
def test_the_page_offers_them_and_keeps_what_a_manager_took(built, client) -> None:
    page, file = reverse("export_list", args=["tea"]), reverse("export_download", args=["tea", "beir"])
    viewer = MembershipFactory(collection=built.collection, role=Role.VIEWER).user
    client.force_login(viewer)
    assert 'name="query_prefix"' in client.get(page).content.decode()
    sent = client.get(file, {"query_prefix": "q", "document_prefix": "d"})
    assert ids(b"".join(sent.streaming_content)) == PREFIXED
    assert client.get(file).status_code == 422  # what a viewer takes is not everybody's
    client.force_login(built.people["manager"])
    b"".join(client.get(file, {"query_prefix": "q", "document_prefix": "d"}).streaming_content)
    shown = client.get(page).content.decode()
    assert "Ids begin with “q” (queries) and “d” (documents)." in shown
    client.force_login(viewer)
    assert ids(b"".join(client.get(file).streaming_content)) == PREFIXED
    assert client.get(reverse("export_download", args=["tea", "qrels"])).status_code == 200  # others have their own


def test_the_api_takes_and_remembers_them(built, client) -> None:
    client.force_login(built.people["manager"])
    address = "/api/collections/tea/exports/beir/"
    assert client.get(address).status_code == 422
    sent = client.get(address, {"query_prefix": "q", "document_prefix": "d"})
    assert ids(b"".join(sent.streaming_content)) == PREFIXED
    assert ids(b"".join(client.get(address).streaming_content)) == PREFIXED


def test_scores_over_judged_aspects_name_the_same_ids_in_their_comment(built) -> None:
    from adjudication.exporting.options import make_options
    from adjudication.exports.files import open_export

    options = make_options(built.collection, "beir", aspects="judged", query_prefix="q", document_prefix="d")
    with zipfile.ZipFile(io.BytesIO(b"".join(open_export(options).pieces))) as files:
        comment = files.read("comment.tsv").decode().splitlines()
        manifest = json.loads(files.read("manifest.json"))
    assert [line.split("\t")[0] + line.split("\t")[2] for line in comment[1:]] == ["q90d90", "q90d91"]
    assert [topic["topic"] for topic in manifest["aspects"]["topics"]] == ["q90"]


def test_a_question_set_is_checked_too(tmp_path) -> None:
    """Without the check, BEIR would silently drop the very document that is the target."""
    collection = CollectionFactory(slug="tea")
    document = DocumentFactory(collection=collection, docno="7")
    rated = {"kind": "question", "source": "author", "extra": {"specificity": 1, "quality": 2}}
    topic = Topic.objects.create(collection=collection, number="7", text="Which tea?", **rated)
    Target.objects.create(topic=topic, document=document)
    out = tmp_path / "set.zip"
    asked = ("export", "tea", "--format", "question-beir", "--out", str(out))
    with pytest.raises(CommandError, match="the query's own: 7"):
        call_command(*asked)
    call_command(*asked, "--query-prefix", "q")
    assert ids(out.read_bytes()) == (["7"], ["q7"], [["q7", "7", "1"]])
