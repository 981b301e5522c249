"""`litmus example`: files for the roads of the tutorials (tests/test_printed_commands.py walks them)."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config.management.commands.example import FILES, NAMES


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
