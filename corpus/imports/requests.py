"""Requests for imports, which a worker carries out (corpus/imports/jobs), and an import undone."""

import hashlib
import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.db import transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.extensions import extensions
from accounts.files.storage import files as storage
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused
from corpus.collections.removals import append_only_rows_deletable
from corpus.collections.rules import check_can_delete, check_manager
from corpus.imports.importing import OFFERED, STORED, is_my_turn
from corpus.imports.limits import check_files_fit
from corpus.imports.undoing import check_can_undo, undo
from corpus.loading.sources import sources_of
from corpus.loading.topic_numbers import MATCH
from corpus.loading.uploads import UPLOADS, remove_uploads
from corpus.models import Collection, ImportRun
from engines.formats.archives import is_packed
from engines.formats.records import BrokenFile
from engines.formats.registry import AUTO, HEAD_BYTES, detect, format_names

MOST_FILES = 2_000
KEPT_AFTER_DRY_RUN = timedelta(days=7)  # uploads, so that the import can follow without sending them again


@transaction.atomic
def request_import(
    *,
    by: User | None,
    at: datetime,
    collection: Collection,
    kind: str,
    files: Sequence["File[Any] | Path"],
    format: str = AUTO,  # noqa: A002 - the name users know
    dry_run: bool = False,
    exclude: Iterable[str] = (),
    send: bool = True,
    **parameters: Any,
) -> ImportRun:
    """Ask for files to be read into the collection. Uploads are stored; paths are read from where they lie.

    `exclude` are docnos to leave out. `send=False` leaves the work to the caller, who holds the files.
    """
    check_manager(collection, by)
    check_format(kind, format)
    if not files:
        raise Refused("No file was given.")
    if len(files) > MOST_FILES:
        raise Refused(f"At most {MOST_FILES:,} files at once. Pack them into one archive (tar.gz, tar.xz or zip).")
    remove_forgotten_uploads(collection, at)
    if excluded := list(dict.fromkeys(exclude)):
        parameters["exclude"] = excluded
    stored = _store_files(collection, files, kind, format if "encoding" not in parameters else "")
    fields = {"kind": kind, "format": format, "dry_run": dry_run, "files": stored, "parameters": parameters}
    return _new_run(by, at, collection, send, fields)


@transaction.atomic
def request_import_after_dry_run(*, by: User, at: datetime, dry_run: ImportRun, match: str = "") -> ImportRun:
    """Import the files of a finished dry run, with its topics matched in this way where it offered that."""
    check_manager(dry_run.collection, by)
    found = _finished(dry_run)
    if match and match != found.parameters.get(OFFERED):
        raise Refused("This dry run did not offer to match topics in this way.")
    parameters = {name: value for name, value in found.parameters.items() if name not in (STORED, OFFERED)}
    parameters |= {MATCH: match} if match else {}
    fields = {"kind": found.kind, "format": found.format, "files": _files_of(found), "parameters": parameters}
    return _new_run(by, at, found.collection, True, fields)


@transaction.atomic
def request_dry_run_again(
    *,
    by: User,
    at: datetime,
    dry_run: ImportRun,
    format: str = AUTO,  # noqa: A002 - the name users know
    **parameters: Any,
) -> ImportRun:
    """Try the files of a finished dry run again, with other choices of how they are read."""
    check_manager(dry_run.collection, by)
    check_format(dry_run.kind, format)
    found = _finished(dry_run)
    chosen = (STORED, OFFERED, *found.importer.form.options())
    parameters = {name: value for name, value in found.parameters.items() if name not in chosen} | parameters
    fields = {"kind": found.kind, "format": format, "files": _files_of(found), "parameters": parameters}
    return _new_run(by, at, found.collection, True, fields | {"dry_run": True})


def _finished(dry_run: ImportRun) -> ImportRun:
    """The dry run, locked, which has ended and still holds its files. Errors: Conflict, Refused."""
    found = ImportRun.objects.select_for_update().get(pk=dry_run.pk)
    if not (found.dry_run and found.is_final):
        raise Conflict("Only a finished dry run can be followed by its import.")
    if not holds_files(found) or not all(source.exists() for source in sources_of(found)):
        raise Refused("The files of this dry run are no longer stored. Import them again.")
    return found


def _files_of(dry_run: ImportRun) -> list[dict[str, Any]]:
    """The files, which belong to the job that follows now and are removed with it; the dry run keeps their names."""
    files = dry_run.files
    dry_run.files = [{name: value for name, value in file.items() if name != "path"} for file in files]
    dry_run.save(update_fields=["files"])
    return files


def undo_import(*, by: User | None, at: datetime, run: ImportRun) -> ImportRun:
    """Delete what the import created and put back what it wrote over, all of it or nothing.

    Errors: Refused with what depends on it; Conflict while another import of the collection runs.
    """
    check_manager(run.collection, by)
    check_can_delete(run, run.collection)
    with append_only_rows_deletable():
        found = ImportRun.objects.select_for_update(of=("self",)).select_related("collection").get(pk=run.pk)
        if not is_my_turn(found):
            raise Conflict("Another import of this collection is running. Try again when it has ended.")
        check_can_undo(found)
        rows = undo(found)
        found.undone_at, found.undone_by = at, by
        found.save(update_fields=["undone_at", "undone_by"])
        record_event(by=by, at=at, verb="undo_import", target=found, scope=found.collection, kind=found.kind, rows=rows)
    return found


def holds_files(dry_run: ImportRun) -> bool:
    """Whether the files are still the dry run's own, so that its import can follow."""
    return bool(dry_run.files) and all("path" in file for file in dry_run.files)


def check_format(kind: str, format: str) -> None:  # noqa: A002
    """Refuse formats that nothing reads."""
    names = format_names(kind)
    if format not in names:
        raise Refused(
            f"Unknown format “{format}”. Choose one of {', '.join(names)}; the simplest to convert to is jsonl."
        )


def remove_forgotten_uploads(collection: Collection, at: datetime) -> None:
    """Delete the files of dry runs that nobody followed up for a week."""
    forgotten = collection.import_runs.filter(
        dry_run=True, state__in=FINAL_STATES, requested_at__lt=at - KEPT_AFTER_DRY_RUN
    )
    for run in forgotten.exclude(files=[]):
        remove_uploads(run)


def _new_run(by: User | None, at: datetime, collection: Collection, send: bool, fields: dict[str, Any]) -> ImportRun:
    fields |= {"collection": collection, "total": sum(file["size"] for file in fields["files"])}
    run = jobs.new_job(ImportRun, by=by, at=at, send=send, **fields)
    record_event(
        by=by,
        at=at,
        verb="request_import",
        target=run,
        scope=collection,
        kind=run.kind,
        dry_run=run.dry_run,
        files=[file["name"] for file in run.files][:100],
    )
    return run


def _store_files(
    collection: Collection, files: Sequence["File[Any] | Path"], kind: str, chosen: str
) -> list[dict[str, Any]]:
    folder = f"{UPLOADS}/{uuid.uuid4().hex}"
    try:
        stored = [
            _named_file(file) if isinstance(file, Path) else _store_upload(file, f"{folder}/{number}", kind, chosen)
            for number, file in enumerate(files)
        ]
        check_files_fit(collection, sum(file["size"] for file in stored))
    except BaseException:  # also Ctrl-C: no upload stays behind without its job; raised again
        storage.remove_folder(folder)
        raise
    return stored


def _named_file(path: Path) -> dict[str, Any]:
    """A file or folder of the command line's user."""
    path = path.resolve()
    if not path.exists():
        raise Refused(f"There is no file {path}.")
    if path.is_dir():
        size = sum(entry.stat().st_size for entry in path.rglob("*") if entry.is_file())
        return {"name": path.name, "path": str(path), "size": size, "sha256": ""}
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.") from error
    return {"name": path.name, "path": str(path), "size": path.stat().st_size, "sha256": digest}


def _store_upload(upload: "File[Any]", path: str, kind: str, chosen: str) -> dict[str, Any]:
    """Look at the beginning of the upload, then store it under a name that we make."""
    name = "".join(char if char.isprintable() else "?" for char in upload.name or "")[-200:] or "unnamed"
    digest, size, head = hashlib.sha256(), 0, b""
    for chunk in upload.chunks():
        digest.update(chunk)
        size += len(chunk)
        head = head or chunk[:HEAD_BYTES]
    checks = extensions("importers")[kind].checks if chosen else "nothing"  # the reader sees it in its encoding
    if checks != "nothing":
        _check_head(head, name, kind, must_fit=chosen == AUTO and checks == "format")
    storage.save(path, upload)
    return {"name": name, "path": path, "size": size, "sha256": digest.hexdigest()}


def _check_head(head: bytes, name: str, kind: str, *, must_fit: bool) -> None:
    """Refuse at once what no reader could read: empty files, pictures, programs. The reader checks the rest."""
    if is_packed(head):
        return
    try:
        detect(head, name, kind)
    except BrokenFile as broken:
        if b"\0" in head:
            raise Refused(f"{name} {broken.reason}.") from broken
        if must_fit:
            raise Refused(f"{broken}.") from broken
