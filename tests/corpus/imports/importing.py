"""Short ways to import in a test, in this process, by the same job as everywhere."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from accounts import jobs
from accounts.models import User
from corpus.imports.requests import request_import
from corpus.models import Collection, ImportRun
from tests.factories.accounts import AT


def jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """Write the rows as JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def import_files(
    collection: Collection,
    *files: Path,
    kind: str = "documents",
    by: User | None = None,
    **options: Any,
) -> ImportRun:
    """Import the files and return the finished job."""
    run = request_import(by=by, at=AT, collection=collection, kind=kind, files=files, send=False, **options)
    jobs.carry_out(run)
    run.refresh_from_db()
    return run


def counts(run: ImportRun) -> tuple[int, int, int, int]:
    """Created, updated, unchanged, skipped."""
    return run.created, run.updated, run.unchanged, run.skipped
