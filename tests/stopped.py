"""Data directories whose servers are stopped, to be copied: made once for each process of a run of tests."""

import os
import subprocess
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from config import embedded
from config.backups import dump, load
from tests.databases import connected_to, copy_of_migrated


def copied(directory: Path, to: Path) -> Path:
    subprocess.run(["cp", "-a", str(directory), str(to)], check=True)
    return to


@pytest.fixture(scope="session")
def stopped_servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("template") / "data"
    with embedded.running(directory):
        pass
    return directory


@pytest.fixture(scope="session")
def stopped_with_tables(
    stopped_servers: Path,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """With the tables of this version and no rows: to migrate once more costs ten times as much.

    Not from the test database, which there is only where a test that was chosen uses it: without, the rows of the
    checkout's own would come along.
    """
    directory = copied(stopped_servers, tmp_path_factory.mktemp("tables") / "data")
    file = directory.parent / "tables.dump"
    with django_db_blocker.unblock():
        with copy_of_migrated(f"test_tables_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"):
            dump(file)
        where = embedded.postgres_settings(directory)
        with embedded.running(directory), connected_to(where.pop("NAME"), **where):
            load(file)
    return directory
