"""What an import of papers has read, kept while it waits for its turn to store it: reading may have taken hours."""

import json
from collections import Counter
from dataclasses import asdict, fields
from typing import Any

from django.core.files.base import ContentFile, File

from accounts.files.storage import files
from annotation.papers.paper_reading import PaperFile, Reader, Sheet
from corpus.loading.counts import ImportCounts
from corpus.loading.uploads import kept_folder
from engines.formats.paper_files import PlaceInOrder

PAPERS, REST = "papers", "rest.json"  # the second is written last, and says that both are whole


def keep(reader: Reader) -> None:
    """Write down what was read, for the next attempt of the import."""
    folder = kept_folder(reader.run)
    files.save(f"{folder}/{PAPERS}", File(reader.spool.file))
    rest = {
        "papers": reader.spool.count,
        "bytes": reader.odometer.file_bytes,
        "order": [asdict(row) for row in reader.order],
        "sheets": [[sheet.file.name, sheet.notes] for sheet in reader.sheets],
        "state": reader.state,
        "counts": {each.name: getattr(reader.counts, each.name) for each in fields(reader.counts)},
    }
    files.save(f"{folder}/{REST}", ContentFile(json.dumps(rest).encode()))


def take_up(reader: Reader) -> bool:
    """Let the reader know what was kept; False where nothing was."""
    folder = kept_folder(reader.run)
    if not files.exists(f"{folder}/{REST}"):
        return False
    rest = json.loads(b"".join(files.pieces(f"{folder}/{REST}")))
    for piece in files.pieces(f"{folder}/{PAPERS}"):
        reader.spool.file.write(piece)
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
