"""`litmus example` and its download: files for the tutorials (tests/test_printed_commands.py walks them)."""

import io
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from config.example_files import FILES, NAMES
from tests.factories.accounts import UserFactory


def test_each_folder_of_files_is_an_example():
    assert {path.name for path in FILES.iterdir()} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_writes_a_new_folder_and_never_into_one_that_is_there(name: str, tmp_path: Path):
    folder = tmp_path / "new" / name
    call_command("example", name, str(folder))
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 100_000
    (folder / "mine.txt").write_text("kept")
    with pytest.raises(CommandError, match="already"):
        call_command("example", name, str(folder))
    assert (folder / "mine.txt").read_text() == "kept"


def test_papers_become_pdf_files(tmp_path: Path):
    call_command("example", "acm-cr", str(tmp_path / "cr"))
    assert {path.suffix for path in (tmp_path / "cr" / "papers").iterdir()} == {".pdf"}
    assert (tmp_path / "cr" / "papers" / "bells.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_pages_download_the_same_files(name: str, tmp_path: Path, client):
    call_command("example", name, str(tmp_path / name))
    client.force_login(UserFactory())
    answer = client.get(reverse("example_download", args=[name]))
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        found = {path: archive.read(path) for path in archive.namelist()}
    written = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
    assert found == {str(path.relative_to(tmp_path)): path.read_bytes() for path in written}
    assert client.get(reverse("example_download", args=["nothing"])).status_code == 404
