"""The whole database into one file and back, through PostgreSQL's own programs."""

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import suppress
from itertools import chain
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction

from accounts.sql import execute
from config.embedded import EmbeddedError
from config.embedded.postgres import postgres_programs
from config.tables import OURS, Names, unknown_migration

# Where systems keep the programs of several versions of PostgreSQL.
PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin")
VECTORS = "corpus_documentvector"  # see corpus/searching/vectors.py


class BackupFailed(CommandError):
    """The message says why, mostly in the words of pg_dump or pg_restore."""


def dump(file: Path) -> int:
    """Write the database to a new file, complete or not at all; its size in bytes. Work may go on meanwhile."""
    if file.exists():
        raise BackupFailed(f"{file} exists. Choose another name, or remove it first.")
    unfinished = file.with_name(file.name + ".unfinished")
    try:
        _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={unfinished}")
        unfinished.rename(file)
    except OSError as error:
        raise BackupFailed(f"{file} cannot be written: {error.strerror}.") from None
    finally:
        unfinished.unlink(missing_ok=True)
    return file.stat().st_size


def check(file: Path) -> None:
    """Whether this version can take the backup in; it is asked before any server is started.

    Errors: BackupFailed for a file that is no backup of Litmus, or one of another version.
    """
    if not file.exists():
        raise BackupFailed(f"{file} does not exist.")
    try:
        applied = _migrations_in(file)
        _run("pg_restore", "--file=/dev/null", str(file), connects=False)  # to its end: it may be damaged anywhere
    except BackupFailed as failed:
        raise BackupFailed(f"{file} is damaged or not a backup. Nothing was changed. {failed}") from failed
    if not any(app in OURS for app, _ in applied):
        raise BackupFailed(f"{file} is not a backup of Litmus. Nothing was changed.")
    if strange := unknown_migration(applied):
        raise BackupFailed(
            f"{file} was made by another version of Litmus (it has {strange}, which this version does not know). "
            "Nothing was changed. Restore it with the version that made it."
        )


def _migrations_in(file: Path) -> Names:
    """(app, name) of each migration that the backup knows."""
    text = _run("pg_restore", "--data-only", "--table=django_migrations", "--file=-", str(file), connects=False)
    rows = (line.split("\t") for line in text.splitlines())
    return {(row[1], row[2]) for row in rows if len(row) == 4}


def load(file: Path) -> None:
    """Fill an empty database from a file of `dump` that was checked; all or nothing.

    Errors: BackupFailed when the database holds tables: nothing is ever overwritten.
    """
    if connection.introspection.table_names():
        raise BackupFailed(
            "The database is not empty, and nothing is overwritten. Restore into a new one: set LITMUS_DATA_DIR to a "
            "directory that does not exist yet (or DATABASE_URL to an empty database)."
        )
    options = ("--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error")
    listed = _run("pg_restore", "--list", str(file), connects=False)
    _check_age(listed)
    with tempfile.NamedTemporaryFile("w", suffix=".list") as entries:
        entries.write(_restorable(listed))
        entries.flush()
        _run("pg_restore", *options, f"--use-list={entries.name}", str(file))


def _check_age(listed: str) -> None:
    """Errors: BackupFailed where a newer PostgreSQL wrote the file than would read it: none does."""
    written_by = re.search(r"Dumped by pg_dump version: (\d+)", listed)
    if written_by and int(written_by[1]) > (server := _server_major()):
        raise BackupFailed(
            f"The backup was written by PostgreSQL {written_by[1]}, and the server is PostgreSQL {server}, which"
            f" cannot restore it. Restore it into PostgreSQL {written_by[1]} or newer. Nothing was changed."
        )


def _restorable(entries: str) -> str:
    """The entries of a dump without the extension of vectors, which this database has or not, and only its owner may
    touch; without it also without their table, which is made again from the documents.
    """
    with suppress(DatabaseError), transaction.atomic():
        execute("CREATE EXTENSION IF NOT EXISTS vector")
    ((has_vectors,),) = execute("SELECT to_regtype('vector') IS NOT NULL")
    left_out = ("EXTENSION - vector", "EXTENSION vector") + (() if has_vectors else (VECTORS,))
    return "".join(line for line in entries.splitlines(keepends=True) if not any(word in line for word in left_out))


def _run(name: str, *arguments: str, connects: bool = True) -> str:
    """What the program printed. Errors: BackupFailed."""
    program = _program(name, server=_server_major() if connects else 0)
    database = connection.settings_dict
    where = {"PGHOST": database["HOST"], "PGPORT": database["PORT"], "PGUSER": database["USER"]}
    where["PGPASSWORD"] = database["PASSWORD"]
    environment = os.environ | {name: str(value) for name, value in where.items() if value}
    done = subprocess.run(  # noqa: S603 - our own command
        [program, *arguments, *([f"--dbname={database['NAME']}"] if connects else [])],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise BackupFailed(f"{name} failed: {done.stderr.strip()}")
    return done.stdout


def _server_major() -> int:
    return int(execute("SHOW server_version_num")[0][0]) // 10_000


def _program(name: str, server: int) -> str:
    """The program of the embedded PostgreSQL, or one for a server of this major version (0: any): it must not be older.

    Errors: BackupFailed with what there is.
    """
    if "postgres" in settings.EMBEDDED_SERVERS:
        return str(postgres_programs() / name)
    found = _installed(name)
    fitting = [major for major in found if major >= server]
    if fitting:
        return found[min(fitting) if server else max(fitting)]
    there = f"only {name} of PostgreSQL {max(found)} was found" if found else f"no {name} was found"
    version, package = (f" {server} or newer", f"postgresql-client-{server}") if server else ("", "postgresql-client")
    raise BackupFailed(
        f"{name} of PostgreSQL{version} is needed, but {there}. Install PostgreSQL's client programs (Debian: "
        f"apt install {package}), or run {name} on the machine of the database."
    )


def _installed(name: str) -> dict[int, str]:
    """The path of the program by its major version: on the PATH, of the wheel, or where systems keep several."""
    places = [Path(shutil.which(name) or "/").parent, *chain(*(Path("/").glob(place[1:]) for place in PLACES))]
    with suppress(EmbeddedError):
        places.append(postgres_programs())
    found: dict[int, str] = {}
    for path in (str(place / name) for place in places if (place / name).is_file()):
        version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603
        if match := re.search(r"\) (\d+)", version):
            found.setdefault(int(match[1]), path)
    return found
