"""Which field of a file becomes the text: said before anything is written; chosen on the page, by REST, by command."""

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.models import JobState
from corpus.models import Collection, ImportRun, Role
from tests.corpus.imports.importing import import_files
from tests.factories.accounts import CollectionFactory, MembershipFactory
from tests.shared import shared_path

pytestmark = pytest.mark.django_db

OWLS = b"""<topics><topic number="1"><query>owl hearing</query><question>How do owls hear?</question>
<narrative>Ears count.</narrative><background>Dark.</background></topic></topics>"""
NO_TEXT = b"<topics><topic number='1'><disease>melanoma</disease><gene>BRAF</gene></topic></topics>"
SAID = (
    "The text of a topic is its question. Its title is its query."
    " If another field should be the text, choose it with “Text from”: query, background, narrative."
)


@pytest.fixture
def collection() -> Collection:
    return CollectionFactory(slug="tea")


@pytest.fixture
def manager(client: Client, collection: Collection) -> Client:
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    return client


def stored(collection: Collection) -> list[tuple[str, str, str, str]]:
    return list(collection.topics.values_list("number", "title", "text", "narrative"))


def run_now(collection: Collection) -> ImportRun:
    run = collection.import_runs.latest("pk")
    jobs.carry_out(run)
    run.refresh_from_db()
    return run


def send(client: Client, content: bytes, **data: str) -> None:
    sent = {"uploads": SimpleUploadedFile("a.xml", content), "format": "auto", **data}
    assert client.post(reverse("import_create", args=["tea", "topics"]), sent).status_code == 302


def test_a_dry_run_says_which_field_is_the_text_and_offers_the_others(manager: Client, collection: Collection) -> None:
    send(manager, OWLS, dry_run="on")
    dry = run_now(collection)
    assert SAID in dry.remarks
    assert ["text", "How do owls hear?"] in dry.samples[0]["fields"]
    assert ["narrative", "Ears count."] in dry.samples[0]["fields"]
    page = manager.get(reverse("import_detail", args=["tea", dry.pk])).text
    for name in ("question", "query", "narrative", "background"):
        assert f'<option value="{name}">' in page
    manager.post(reverse("import_again", args=["tea", dry.pk]), {"text_from": "background"})
    again = run_now(collection)
    assert (again.dry_run, again.remarks[1][:40]) == (True, "The text of a topic is its background. I")
    manager.post(reverse("import_again", args=["tea", again.pk]), {"text_from": "query"})
    third = run_now(collection)
    assert stored(collection) == []
    manager.post(reverse("import_follow", args=["tea", third.pk]))
    run_now(collection)
    assert stored(collection) == [("1", "", "owl hearing", "Ears count.")]
    assert collection.topics.get().extra == {"question": "How do owls hear?", "background": "Dark."}


def test_the_choice_of_a_dry_run_stays_where_nobody_changes_it(manager: Client, collection: Collection) -> None:
    send(manager, OWLS, dry_run="on", text_from="narrative")
    dry = run_now(collection)
    manager.post(reverse("import_follow", args=["tea", dry.pk]))
    run_now(collection)
    assert stored(collection) == [("1", "owl hearing", "Ears count.", "")]


def test_a_file_without_a_known_text_is_refused_with_what_helps(manager: Client, collection: Collection) -> None:
    send(manager, NO_TEXT, dry_run="on")
    dry = run_now(collection)
    assert dry.state == JobState.FAILED
    assert "it has disease, gene: choose the one that becomes the text with “Text from”" in dry.reason
    page = manager.get(reverse("import_detail", args=["tea", dry.pk])).text
    assert '<option value="gene">' in page
    manager.post(reverse("import_again", args=["tea", dry.pk]), {"text_from": "disease"})
    again = run_now(collection)
    manager.post(reverse("import_follow", args=["tea", again.pk]))
    run_now(collection)
    assert stored(collection) == [("1", "", "melanoma", "")]


def test_the_text_is_chosen_by_rest_and_by_command(manager: Client, collection: Collection, tmp_path: Path) -> None:
    sent = {"kind": "topics", "files": SimpleUploadedFile("a.xml", OWLS), "text_from": "query"}
    assert manager.post(reverse("api_imports", args=["tea"]), sent).status_code == 202
    run_now(collection)
    assert stored(collection) == [("1", "", "owl hearing", "Ears count.")]
    path = tmp_path / "b.xml"
    path.write_bytes(NO_TEXT.replace(b"'1'", b"'2'"))
    with pytest.raises(CommandError, match="choose the one that becomes the text"):
        call_command("import_topics", "tea", str(path))
    call_command("import_topics", "tea", str(path), text_from="disease, gene")
    assert stored(collection)[1:] == [("2", "", "melanoma\nBRAF", "")]


def test_a_format_whose_texts_have_no_names_says_so(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "queries.txt"
    path.write_text("Query: 1\n\nT\n\nAspects:\n\n" + "=" * 50 + "\n")
    run = import_files(collection, path, kind="topics", text_from="query")
    assert run.state == JobState.FAILED
    assert "DORIS-MAE have no choice of “Text from”" in run.reason


@pytest.mark.shared
def test_other_fields_are_kept_and_counted(collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    path = shared_path("data", "real-inputs", "topics-unknown-tags.txt")
    call_command("import_topics", "tea", str(path), as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["created"] == 2
    assert (
        "The text of a topic is its title. It is kept as the title as well."
        " If another field should be the text, import the file again and choose it with --text-from: querytime."
    ) in found["remarks"]
    assert "Other fields, kept with the records that have them: querytime (1), docid (1)." in found["remarks"]
    assert list(collection.topics.values_list("number", "extra")) == [
        ("MB001", {"querytime": "Tue Feb 08 12:30:27 +0000 2011"}),
        ("002", {"docid": "abc123"}),
    ]
