"""The whole database into one file and back, through PostgreSQL's own programs."""

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction

from accounts.sql import execute
from config.embedded.postgres import postgres_programs

VECTORS = "corpus_documentvector"  # see corpus/searching/jobs/vectors.py


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


def load(file: Path) -> None:
    """Fill an empty database from a file of `dump`; all or nothing.

    Errors: BackupFailed when the database holds tables: nothing is ever overwritten.
    """
    if not file.exists():
        raise BackupFailed(f"{file} does not exist.")
    if connection.introspection.table_names():
        raise BackupFailed(
            "The database is not empty, and nothing is overwritten. Restore into a new one: set LITMUS_DATA_DIR to a "
            "directory that does not exist yet (or DATABASE_URL to an empty database)."
        )
    options = ("--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error")
    with tempfile.NamedTemporaryFile("w", suffix=".list") as entries:
        entries.write(_restorable(_run("pg_restore", "--list", str(file), connects=False)))
        entries.flush()
        _run("pg_restore", *options, f"--use-list={entries.name}", str(file))


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
    database = connection.settings_dict
    embedded = postgres_programs() / name if "postgres" in settings.EMBEDDED_SERVERS else ""
    program = shutil.which(embedded) or shutil.which(name)
    if program is None:
        raise BackupFailed(f"{name} is not on the PATH. Install PostgreSQL's client programs.")
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
