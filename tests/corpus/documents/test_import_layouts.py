"""Documents in the layouts that people have, through the whole import: what is recognised is said, nothing is lost."""

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.models import JobState
from corpus.models import Collection, Role
from tests.corpus.documents.tea_documents import stored
from tests.corpus.imports.importing import counts, import_files
from tests.factories.accounts import MembershipFactory
from tests.shared import shared_path

TABLE = "Nr;Titel;Worte;Gelesen\n7;Grüner Tee;Blätter für Tee;ja\n8;Kräutertee;;nein\n"
CHOSEN = "docno = Nr; title = Titel; abstract = Worte"


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "docnos", "others"),
    [
        ("record.ris", ["xample-2020-owls-dark-6af90537"], "type_of_reference (1)"),
        ("records.csv", ["r1", "r2"], "included (2)"),
    ],
)
def test_the_real_inputs(collection: Collection, name: str, docnos: list[str], others: str) -> None:
    run = import_files(collection, shared_path("data", "real-inputs", name))
    assert (run.state, counts(run), run.errors) == (JobState.DONE, (len(docnos), 0, 0, 0), [])
    assert sorted(stored(collection)) == docnos
    assert run.remarks[-1] == f"Other fields, kept with the records that have them: {others}."


def test_a_table_in_latin_1_with_chosen_columns(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "tee.csv"
    path.write_bytes(TABLE.encode("latin-1"))
    run = import_files(collection, path, columns=CHOSEN)
    assert counts(run) == (2, 0, 0, 0)
    assert (stored(collection)["7"]["title"], stored(collection)["7"]["abstract"]) == ("Grüner Tee", "Blätter für Tee")
    assert stored(collection)["8"]["extra"] == {"Gelesen": "nein"}
    assert run.remarks == [
        "tee.csv: columns: docno from “Nr”, title from “Titel”, abstract from “Worte”.",
        "tee.csv: read as Table in Windows-1252 (Latin-1).",
        "Other fields, kept with the records that have them: Gelesen (2).",
    ]


def test_an_encoding_that_is_not_recognised_can_be_chosen(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "tee.csv"
    path.write_bytes("id,title\n1,Чай\n".encode("koi8-r"))
    import_files(collection, path)
    assert stored(collection)["1"]["title"] != "Чай"
    run = import_files(collection, path, encoding="koi8-r")
    assert (counts(run), stored(collection)["1"]["title"]) == ((0, 1, 0, 0), "Чай")
    assert "tee.csv: read as Table in KOI8-R (Cyrillic)." in run.remarks


def test_the_form_takes_encoding_and_columns(client: Client, collection: Collection, settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    upload = SimpleUploadedFile("tee.csv", TABLE.encode("utf-16-le"))
    data = {"uploads": upload, "dry_run": "on", "encoding": "utf-16", "columns": CHOSEN}
    answer = client.post(reverse("import_create", args=["tea", "documents"]), data)
    assert answer.status_code == 302
    run = collection.import_runs.get()
    assert (run.parameters["encoding"], run.parameters["columns"]) == ("utf-16", CHOSEN)
    jobs.carry_out(run)
    page = client.get(answer.headers["Location"]).text
    assert "read as Table in UTF-16" in page
    assert "other field: Gelesen" in page
    assert not stored(collection)


def test_a_dry_run_shows_three_records_as_they_will_be_stored(
    collection: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,title,included\n" + "".join(f"{n},Tea {n},{n % 2}\n" for n in range(5)))
    call_command("import_documents", "tea", str(path), dry_run=True, as_json=True)
    printed = capsys.readouterr()
    samples = json.loads(printed.out)["samples"]
    assert [sample["line"] for sample in samples] == [2, 3, 4]
    assert samples[0]["fields"] == [["docno", "0"], ["title", "Tea 0"], ["other field: included", "0"]]
    assert "As it would be stored: the record of a.csv, line 2" in printed.err
    assert not stored(collection)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.ris", "TY  - JOUR\nAU  - Xample, Ada\nER  - \n", "the only record was refused"),
        ("a.tsv", "id\ttitle\n", "holds no documents"),
        ("a.bib", "@misc{x, title = {T}}\n", "none of its entries is an article or a conference paper"),
        ("a.csv", TABLE, "no column is known as a title or a text"),
    ],
)
def test_a_file_without_a_record_that_comes_in_is_an_error(
    collection: Collection, tmp_path: Path, name: str, content: str, reason: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(CommandError, match=reason) as refused:
        call_command("import_documents", "tea", str(path))
    assert refused.value.returncode == 1


def test_columns_are_refused_where_a_format_has_none(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "a.bib"
    path.write_text("@article{x, title = {T}}\n")
    run = import_files(collection, path, columns=CHOSEN)
    assert run.state == JobState.FAILED
    assert "files of BibTeX have no choice of “Columns of a table”; leave it empty" in run.reason


def test_a_dry_run_is_tried_again_with_other_columns(
    client: Client, collection: Collection, settings, tmp_path
) -> None:
    """What was recognised is confirmed or changed before anything is written, without sending the files again."""
    settings.MEDIA_ROOT = tmp_path
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    upload = SimpleUploadedFile("tee.csv", TABLE.encode("latin-1"))
    client.post(
        reverse("import_create", args=["tea", "documents"]), {"uploads": upload, "dry_run": "on", "exclude": "9"}
    )
    first = collection.import_runs.get()
    jobs.carry_out(first)
    page = client.get(reverse("import_detail", args=["tea", first.pk])).text
    assert "no column is known as a title or a text (the columns are Nr, Titel, Worte, Gelesen)" in page
    again = reverse("import_again", args=["tea", first.pk])
    assert "No year is from 9 to 8" in client.post(again, {"year_from": "9", "year_to": "8"}, follow=True).text
    answer = client.post(again, {"columns": CHOSEN, "exclude": "7"})
    second = collection.import_runs.latest("pk")
    assert answer.headers["Location"] == reverse("import_detail", args=["tea", second.pk])
    assert second.dry_run
    assert second.parameters == {"columns": CHOSEN, "exclude": ["7"]}
    jobs.carry_out(second)
    page = client.get(answer.headers["Location"]).text
    assert "docno from “Nr”" in page
    assert CHOSEN in page  # the form is filled in as the dry run was
    client.post(reverse("import_follow", args=["tea", second.pk]))
    jobs.carry_out(collection.import_runs.latest("pk"))
    assert list(stored(collection)) == ["8"]
    assert "no longer stored" in client.post(again, {}, follow=True).text
