"""Backup and restore between two real data directories."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from config import embedded
from config.backups import BackupFailed, _check_age, _program, check, dump
from config.embedded.postgres import MAJOR
from tests.processes import CHECKOUT
from tests.stopped import copied

SAVE = """
from django.contrib.auth import get_user_model
from django.core.management import call_command
get_user_model().objects.create(email="ada@example.org", name="Ada Ünal")
from corpus.searching.vectors import has_pgvector
from django.db import connection
if has_pgvector():
    connection.cursor().execute("INSERT INTO corpus_documentvector VALUES (1, 'model', 2, '[1,2,3]')")
call_command("backup", {file!r})
connection.cursor().execute("INSERT INTO django_migrations (app, name, applied) VALUES ('corpus', '9999_later', now())")
call_command("backup", {file!r} + ".later")
connection.cursor().execute("DELETE FROM django_migrations")
call_command("backup", {file!r} + ".empty")
"""
pytestmark = pytest.mark.services


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lit-") as directory:
        yield Path(directory).resolve()


def manage(data_dir: Path, *arguments: str, feed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"], "LITMUS_DATA_DIR": str(data_dir), "PYTHONIOENCODING": "utf-8"},
        input=feed,
        capture_output=True,
        text=True,
        check=False,
    )


@contextmanager
def superuser(data_dir: Path) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    with embedded.running(data_dir, ("postgres",)):
        where = embedded.postgres_settings(data_dir)
        place = {"host": where["HOST"], "port": where["PORT"], "dbname": where["NAME"], "user": "postgres"}
        with psycopg.connect(**place, autocommit=True) as connection:
            yield connection


@pytest.fixture(scope="module")
def dumped(stopped_with_tables: Path) -> Iterator[Path]:
    """A backup of a database with a person and, where PostgreSQL has pgvector, a vector."""
    with tempfile.TemporaryDirectory(prefix="lit-") as directory:
        place = Path(directory).resolve()
        copied(stopped_with_tables, place / "old")
        saved = manage(place / "old", "shell", "--no-imports", feed=SAVE.format(file=str(place / "litmus.dump")))
        assert saved.returncode == 0, saved.stderr
        assert sorted(path.name for path in place.iterdir()) == [
            "litmus.dump",
            "litmus.dump.empty",
            "litmus.dump.later",
            "old",
        ]
        yield place / "litmus.dump"


def test_a_backup_fills_an_empty_database_and_no_other(dumped, made):
    restored = manage(made, "restore", str(dumped))
    assert restored.returncode == 0, restored.stderr
    assert what_is_in(made) == [("ada@example.org", "Ada Ünal", has_vectors(dumped))]
    again = manage(made, "restore", str(dumped))
    assert again.returncode == 1
    assert "The database is not empty" in again.stderr


def test_a_backup_comes_back_without_its_vectors_where_there_is_no_pgvector(dumped, made):
    """As in a data directory of an earlier version, or in a PostgreSQL that has none."""
    with superuser(made) as connection:
        connection.execute("DROP EXTENSION IF EXISTS vector")
        restored = manage(made, "restore", str(dumped))
    assert restored.returncode == 0, restored.stderr
    assert what_is_in(made) == [("ada@example.org", "Ada Ünal", False)]


def test_a_backup_of_another_version_is_refused_before_anything_is_made(dumped, place):
    done = manage(place / "new", "restore", f"{dumped}.later")
    assert done.returncode == 1
    assert "corpus.9999_later, which this version does not know). Nothing was changed." in done.stderr
    assert not {"postgres", "redis", "logs"} & {path.name for path in (place / "new").glob("*")}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("litmus.dump.empty", "is not a backup of Litmus"),
        ("old/logs/postgres.log", "does not appear to be a valid"),
        ("nowhere", "does not exist"),
    ],
)
def test_what_is_no_backup_is_refused(dumped, name, reason):
    with pytest.raises(BackupFailed, match=reason):
        check(dumped.parent / name)


def test_a_backup_that_is_damaged_anywhere_is_refused_before_anything_is_made(place):
    """Rows in its last third are read by nothing but the restoring, which had made and filled a directory by then."""
    data = bytearray((CHECKOUT / "tests/config/dumps/0.1.0.dump").read_bytes())
    data[int(len(data) * 0.7)] ^= 255
    (place / "bad.dump").write_bytes(data)
    with pytest.raises(BackupFailed, match=r"is damaged or not a backup\. Nothing was changed\. pg_restore failed"):
        check(place / "bad.dump")


@pytest.mark.django_db
def test_a_backup_of_a_newer_postgres_is_refused_with_both_versions():
    _check_age(f"; Dumped by pg_dump version: {MAJOR}.1")
    with pytest.raises(BackupFailed, match=f"written by PostgreSQL 99, and the server is PostgreSQL {MAJOR}, which"):
        _check_age("; Dumped by pg_dump version: 99.1 (Debian)")


def test_the_programs_are_those_of_the_servers_version(settings):
    """Debian's first pg_dump is often older than the server of the installation."""
    settings.EMBEDDED_SERVERS = ()
    version = subprocess.run([_program("pg_dump", MAJOR), "--version"], capture_output=True, text=True, check=True)
    assert f" {MAJOR}." in version.stdout
    with pytest.raises(BackupFailed, match="pg_dump of PostgreSQL 99 or newer is needed, but only pg_dump of"):
        _program("pg_dump", 99)
    with pytest.raises(BackupFailed, match=r"pg_nothing of PostgreSQL is needed, but no pg_nothing was found"):
        _program("pg_nothing", 0)


def has_vectors(backup: Path) -> bool:
    return b"corpus_documentvector" in backup.read_bytes()


def what_is_in(data_dir: Path) -> list[tuple[Any, ...]]:
    """Each person, and whether there is a table of vectors."""
    with superuser(data_dir) as connection:
        return connection.execute(
            "SELECT email, name, to_regclass('corpus_documentvector') IS NOT NULL FROM accounts_user"
        ).fetchall()


def test_no_file_is_overwritten(place):
    (place / "there").write_text("mine")
    with pytest.raises(BackupFailed, match="exists"):
        dump(place / "there")
    assert (place / "there").read_text() == "mine"


@pytest.mark.django_db
def test_a_place_that_cannot_be_written_is_reported(place):
    with pytest.raises(BackupFailed, match="pg_dump failed"):
        dump(place / "no such directory" / "litmus.dump")
