"""Data directories with separate embedded servers, and processes that use them."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.config.embedded_servers import USER, leave
from tests.processes import CHECKOUT
from tests.stopped import copied


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data directory that does not exist yet, at a short path."""
    with tempfile.TemporaryDirectory(prefix="lit-") as directory:
        yield Path(directory).resolve() / "data"


@pytest.fixture
def made(data_dir: Path, stopped_servers: Path) -> Path:
    """A data directory that was used before, which starts faster."""
    return copied(stopped_servers, data_dir)


@pytest.fixture
def made_with_tables(data_dir: Path, stopped_with_tables: Path) -> Path:
    return copied(stopped_with_tables, data_dir)


@pytest.fixture
def user(made: Path) -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts a process that uses the servers until its input is closed, and returns when it has them."""
    started: list[subprocess.Popen] = []

    def start(directory: Path = made) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-c", USER, str(directory)],
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        started.append(process)
        assert process.stdout.readline() == b"held\n"
        return process

    yield start
    for process in started:
        leave(process)
        process.stdout.close()
