"""The small invented files of the tutorials, as `litmus example` writes them and as pages download them."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from config.demo.sheets import pdf_of

FILES = Path(__file__).resolve().parent / "examples"
NAMES = ("litsearch", "doris-mae", "acm-cr")  # each is a folder there
THEN = (1980, 1, 1, 0, 0, 0)  # the same archive at any time


def example_files(name: str) -> Iterator[tuple[Path, bytes]]:
    """Each file of an example by its path; a paper that is kept as text (.txt) becomes a PDF."""
    folder = FILES / name
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        path = file.relative_to(folder)
        if path.suffix == ".txt" and path.parent.name == "papers":
            yield path.with_suffix(".pdf"), pdf_of(file.read_text(encoding="utf-8"))
        else:
            yield path, file.read_bytes()


def write_files(name: str, folder: Path) -> list[str]:
    """Write them into a folder that is empty; their paths in it."""
    made = []
    for path, content in example_files(name):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(content)
        made.append(str(path))
    return sorted(made)


def archive_files(name: str) -> bytes:
    """A ZIP file with all of them in one folder."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in example_files(name):
            about = zipfile.ZipInfo(f"{name}/{path.as_posix()}", THEN)
            about.external_attr = 0o644 << 16
            archive.writestr(about, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
