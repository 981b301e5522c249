"""manage.py: which commands start servers, and how it fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.env import BadEnvironment
from config.outside import check_redis
from tests.processes import CHECKOUT


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("help",), ("up", "--help"), ("migrate", "--help")])
def test_commands_that_need_no_servers_start_none(tmp_path: Path, arguments):
    """So does `check`: see test_settings.py."""
    done = manage(*arguments, LITMUS_DATA_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "postgres").exists()


def test_a_bad_variable_is_reported_in_one_line(tmp_path: Path):
    done = manage("check", LITMUS_DATA_DIR=str(tmp_path), LITMUS_DEBUG="perhaps")
    assert done.returncode == 1
    assert done.stderr == "LITMUS_DEBUG='perhaps': use one of 1, true, yes, on, 0, false, no, off.\n"


@pytest.mark.slow
def test_a_data_directory_that_cannot_be_used_is_reported_without_a_traceback(tmp_path: Path):
    (tmp_path / "file").write_text("")
    done = manage("migrate", LITMUS_DATA_DIR=str(tmp_path / "file" / "data"))
    assert done.returncode == 1
    assert "cannot be created" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_reader_that_has_read_enough_is_no_error(tmp_path: Path):
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LITMUS_DATA_DIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "manage.py", "help"],
        cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
        assert (process.wait(), errors) == (141, "")


OUTSIDE = {"LITMUS_SECRET_KEY": "x" * 40, "DATABASE_URL": "postgres://me:hidden@127.0.0.1:1/litmus"}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["migrate", "up"])
def test_a_database_that_cannot_be_reached_is_reported_at_once(tmp_path: Path, command):
    port = ["--port", "0"] if command == "up" else []
    done = manage(command, *port, LITMUS_DATA_DIR=str(tmp_path), **OUTSIDE)
    assert done.returncode == 1
    assert "DATABASE_URL: PostgreSQL cannot be reached there: " in done.stderr
    assert "refused" in done.stderr
    assert not {"Traceback", "hidden"} & set(done.stderr.replace(":", " ").split())
    assert list(tmp_path.glob("redis*")) == []


def test_a_redis_that_cannot_be_reached_is_reported_before_anything_starts(settings):
    settings.OUTSIDE_REDIS_URL = "redis://127.0.0.1:1/0"
    with pytest.raises(BadEnvironment, match="REDIS_URL: Redis cannot be reached there"):
        check_redis()
    settings.OUTSIDE_REDIS_URL = None
    check_redis()


@pytest.mark.services
def test_a_command_that_needs_a_database_has_one(made: Path):
    log = made / "logs" / "postgres.log"
    before = log.stat().st_size
    done = manage("inspectdb", LITMUS_DATA_DIR=str(made))
    assert done.returncode == 0, done.stderr
    assert "from django.db import models" in done.stdout
    assert "class " not in done.stdout  # one that works on any tables or on none: it had them not made first
    assert "ready to accept connections" in log.read_text()[before:]
    assert not (made / "postgres" / "postmaster.pid").exists()
