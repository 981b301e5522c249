"""What an import of papers has read, kept while it waits for its turn to store it: reading may have taken hours."""

import json
import shutil
from collections import Counter
from dataclasses import asdict, fields
from typing import Any

from annotation.papers.paper_reading import PaperFile, Reader, Sheet
from corpus.loading.counts import ImportCounts
from corpus.loading.uploads import kept_directory
from engines.formats.paper_files import PlaceInOrder

PAPERS, REST = "papers", "rest.json"  # the second is written last, and says that both are whole


def keep(reader: Reader) -> None:
    """Write down what was read, for the next attempt of the import."""
    directory = kept_directory(reader.run)
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (directory / PAPERS).open("wb") as file:
        reader.spool.file.seek(0)
        shutil.copyfileobj(reader.spool.file, file)
    rest = {
        "papers": reader.spool.count,
        "bytes": reader.odometer.file_bytes,
        "order": [asdict(row) for row in reader.order],
        "sheets": [[sheet.file.name, sheet.notes] for sheet in reader.sheets],
        "state": reader.state,
        "counts": {each.name: getattr(reader.counts, each.name) for each in fields(reader.counts)},
    }
    part = directory / f"{REST}.part"
    part.write_text(json.dumps(rest), encoding="utf-8")
    part.rename(directory / REST)


def take_up(reader: Reader) -> bool:
    """Let the reader know what was kept; False where nothing was."""
    directory = kept_directory(reader.run)
    if not (directory / REST).exists():
        return False
    rest = json.loads((directory / REST).read_text(encoding="utf-8"))
    with (directory / PAPERS).open("rb") as file:
        shutil.copyfileobj(file, reader.spool.file)
    reader.spool.count = rest["papers"]
    reader.odometer.file_bytes = rest["bytes"]
    reader.order = [PlaceInOrder(**row) for row in rest["order"]]
    reader.sheets = [Sheet(PaperFile(name), notes) for name, notes in rest["sheets"]]
    reader.state = tuple(rest["state"]) if rest["state"] else None
    _restore(reader.counts, rest["counts"])
    return True


def _restore(counts: ImportCounts, kept: dict[str, Any]) -> None:
    for name, value in kept.items():
        setattr(counts, name, Counter(value) if isinstance(getattr(counts, name), Counter) else value)
