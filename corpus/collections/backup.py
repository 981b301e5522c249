"""One collection as a zip file, table by table, and back into the Litmus that it was deleted from.

Rows keep their ids (PostgreSQL never gives a deleted row's id out again), so all references hold. The file has the
e-mail addresses and labels of everybody: it is for the collection's managers.
"""

import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import IO, Any

import psycopg
from django.core.exceptions import ObjectDoesNotExist, SuspiciousFileOperation
from django.core.files.base import File
from django.db import DataError, IntegrityError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Field, GeneratedField
from django.http import StreamingHttpResponse
from django.utils import timezone

from accounts.audit import record_event
from accounts.extensions import extensions
from accounts.files.storage import files
from accounts.models import FINAL_STATES, Invitation, User
from accounts.refusals import Refused
from corpus.collections.contents import APPS, ContentTable, contents
from corpus.models import Collection, CollectionRemoval, Paper
from engines.formats.zip_stream import PIECE, zipped

# What reading or storing a file raises that was cut, changed or made by something else.
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, KeyError, TypeError, ValueError, AttributeError),
    *(DataError, IntegrityError, psycopg.DataError, psycopg.IntegrityError),
    *(ObjectDoesNotExist, SuspiciousFileOperation),
)


def backup_pieces(collection: Collection) -> Iterator[bytes]:
    """The zip file in pieces: a manifest, each table as CSV, stored files. Nothing is held whole."""
    return zipped(_archive_files(collection))


def backup_response(collection: Collection) -> StreamingHttpResponse:
    """The zip file as a download."""
    response = StreamingHttpResponse(backup_pieces(collection), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{collection.slug}-backup.zip"'
    return response


def restore_backup(stream: IO[bytes]) -> Collection:
    """Bring a deleted collection back from its file, all of it or nothing, as an archived one.

    Errors: Refused for a damaged file, one of another Litmus or version, and where the collection exists.
    """
    with closing(_opened(stream)) as archive:
        manifest = _manifest_of(archive)
        try:
            _check_manifest(manifest)
            return _restored(archive, manifest)
        except DAMAGED as error:
            first = str(error).partition("\n")[0]
            raise Refused(f"The backup is damaged ({first}). Nothing was restored.") from error


def _restored(archive: zipfile.ZipFile, manifest: dict[str, Any]) -> Collection:
    stored: list[str] = []
    try:
        with transaction.atomic():
            collection = _restore_rows(archive, manifest)
            for name in sorted(archive.namelist()):
                place = name.removeprefix("files/")
                if place != name and not files.exists(place):
                    stored.append(place)  # before it is whole: of one that breaks off something is there
                    with archive.open(name) as member:
                        files.save(place, File(member))
    except BaseException:  # also Ctrl-C: no file stays without its collection; raised again
        for name in stored:
            files.delete(name)
        raise
    return collection


def _restore_rows(archive: zipfile.ZipFile, manifest: dict[str, Any]) -> Collection:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    names = set(archive.namelist())
    for content in reversed(contents()):
        if (name := _table_name(content)) in names:
            with archive.open(name) as member:
                _copy_in(content, member)
        if content.model is Collection:
            Invitation.objects.bulk_create(Invitation(**values) for values in manifest["invitations"])
    collection = Collection.objects.get(pk=manifest["collection"]["id"])
    record_event(by=None, at=timezone.now(), verb="restore_collection", target=collection, scope=collection)
    return collection


def _manifest(collection: Collection) -> dict[str, Any]:
    people = User.objects.filter(memberships__collection=collection)
    return {
        "litmus": "collection backup",
        "collection": {"id": collection.pk, "slug": collection.slug, "title": collection.title},
        "migrations": _migrations(),
        "members": {str(pk): email for pk, email in people.values_list("pk", "email")},
        "invitations": [
            {key: value if value is None or isinstance(value, int) else str(value) for key, value in row.items()}
            for row in Invitation.objects.filter(invited_role__collection=collection).values()
        ],
    }


def _migrations() -> dict[str, str]:
    """The newest migration of each app: tables of another version do not fit."""
    applied = MigrationRecorder(connection).applied_migrations()
    return {app: max(name for label, name in applied if label == app) for app in APPS}


def _archive_files(collection: Collection) -> Iterator[tuple[str, Iterable[bytes]]]:
    yield "manifest.json", [json.dumps(_manifest(collection), indent=1, ensure_ascii=False).encode()]
    for content in reversed(contents()):
        if content.of(collection.pk).exists():
            yield _table_name(content), _copy_out(content, collection)
    for name in _stored_files(collection):
        if files.exists(name):
            yield f"files/{name}", files.pieces(name)


def _stored_files(collection: Collection) -> Iterator[str]:
    """Names in the storage: the files of papers, and those of apps above (AppConfig.backup_files)."""
    papers = Paper.objects.filter(collection=collection).exclude(file="")
    yield from papers.values_list("file", flat=True).iterator()
    for names_of in extensions("backup_files").values():
        yield from names_of(collection)


def _table_name(content: ContentTable) -> str:
    return f"tables/{content.name}.csv"


def _fields(content: ContentTable) -> "list[Field[Any, Any]]":
    """All columns but those that PostgreSQL computes."""
    return [each for each in content.model._meta.local_concrete_fields if not isinstance(each, GeneratedField)]


def _copy_out(content: ContentTable, collection: Collection) -> Iterator[bytes]:
    rows = content.of(collection.pk).order_by("pk").values_list(*(field.attname for field in _fields(content)))
    statement, parameters = rows.query.sql_with_params()
    inside = statement % tuple(int(value) for value in parameters)  # COPY takes none; this is the collection's id
    with connection.cursor() as cursor, cursor.copy(f"COPY ({inside}) TO STDOUT WITH (FORMAT csv)") as copy:
        for chunk in copy:
            yield bytes(chunk)


def _copy_in(content: ContentTable, member: IO[bytes]) -> None:
    columns = ", ".join(f'"{field.column}"' for field in _fields(content))
    table = content.model._meta.db_table
    with connection.cursor() as cursor, cursor.copy(f'COPY "{table}" ({columns}) FROM STDIN WITH (FORMAT csv)') as copy:
        while chunk := member.read(PIECE):
            copy.write(chunk)


def _opened(stream: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(stream)
    except zipfile.BadZipFile as error:
        raise Refused("This is not a backup of a collection: it is not a zip file.") from error


def _manifest_of(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(archive.read("manifest.json"))
    except (KeyError, ValueError) as error:
        raise Refused("This is not a backup of a collection: its manifest is missing.") from error
    return manifest


def _check_manifest(manifest: dict[str, Any]) -> None:
    known = manifest["collection"]
    if Collection.objects.filter(pk=known["id"]).exists():
        raise Refused(f"The collection {known['slug']} exists. Only a deleted one can be restored.")
    if CollectionRemoval.objects.filter(collection_id=known["id"]).exclude(state__in=FINAL_STATES).exists():
        raise Refused(f"The collection {known['slug']} is still being deleted. Restore it once that has ended.")
    if manifest["migrations"] != _migrations():
        raise Refused(
            "The backup was made by another version of Litmus, whose tables differ. Restore it with that version."
        )
    here = dict(User.objects.filter(pk__in=map(int, manifest["members"])).values_list("pk", "email"))
    if missing := [email for pk, email in manifest["members"].items() if int(pk) not in here]:
        raise Refused(f"The backup is from another installation: {', '.join(missing[:3])} have no accounts here.")
