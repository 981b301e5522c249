"""Embedded PostgreSQL and Redis, real servers in throw-away data directories: shared, stopped, refused, addressed."""

import contextlib
import os
import re
import signal
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import psutil
import psycopg
import pytest

from config import embedded
from config.embedded import postgres as postgres_module
from config.embedded import redis as redis_module
from config.embedded.places import EmbeddedError, make_directories, private_directory, socket_directory
from config.embedded.postgres import Postgres
from config.embedded.servers import stop
from tests.config.embedded_servers import (
    USER,
    enter,
    leave,
    place_of,
    postmaster,
    processes_of,
    remember,
    remembered,
    sql,
    watchers,
)
from tests.processes import CHECKOUT, wait_for

OTHER_POSTGRES = Path("/usr/lib/postgresql/15/bin")


@pytest.mark.services
def test_servers_start_keep_what_was_written_and_stop(data_dir):
    with embedded.running(data_dir):
        remember(data_dir)
        settings = dict(sql(data_dir, "SELECT name, setting FROM pg_settings"))
    assert processes_of(data_dir) == []
    with embedded.running(data_dir):
        assert remembered(data_dir) == (1, b"kept")
    assert settings["fsync"] == settings["synchronous_commit"] == settings["full_page_writes"] == "on"
    assert (settings["listen_addresses"], settings["server_encoding"]) == ("", "UTF8")
    assert settings["server_version_num"].startswith("18")


@pytest.mark.services
def test_every_database_has_pgvector_where_the_programs_bring_it(made):
    with embedded.running(made, ("postgres",)):
        if not sql(made, "SELECT name FROM pg_available_extensions WHERE name = 'vector'"):
            pytest.skip("this PostgreSQL has no pgvector")
        sql(made, "CREATE DATABASE another")
        for name in ("litmus", "another"):
            with psycopg.connect(**place_of(made) | {"dbname": name}) as connection:
                assert connection.execute("SELECT '[1,0]'::vector <=> '[0,1]'").fetchone() == (1.0,)


@pytest.mark.services
def test_nobody_else_may_enter_and_the_role_is_no_superuser(made):
    with embedded.running(made):
        for path in (made, made / "postgres", made / "redis", Postgres(made).socket.parent):
            assert stat.S_IMODE(path.stat().st_mode) == 0o700
        assert sql(made, "SELECT rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user") == [(False, True)]
        for process in processes_of(made):
            with contextlib.suppress(FileNotFoundError, psutil.NoSuchProcess):  # it has just ended
                assert process.net_connections("inet") == []


@pytest.mark.services
def test_two_processes_share_the_servers_and_the_last_one_stops_them(made, user):
    first = user()
    server = postmaster(made)
    second = user()
    assert postmaster(made) == server
    assert len(watchers(made)) == 1
    leave(first)
    assert sql(made, "SELECT 1") == [(1,)]
    leave(second)
    assert processes_of(made) == []


@pytest.mark.services
def test_processes_that_start_at_the_same_moment_start_one_server(data_dir):
    command = [sys.executable, "-c", USER, str(data_dir)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    users = [subprocess.Popen(command, cwd=CHECKOUT, **pipes) for _ in range(4)]
    assert [process.stdout.readline() for process in users] == [b"held\n"] * 4
    assert len(watchers(data_dir)) == 1
    for process in users:
        leave(process)
        process.stdout.close()
    assert processes_of(data_dir) == []


@pytest.mark.services
def test_a_forked_child_does_not_let_go_for_its_parent(made):
    running = embedded.running(made)
    with running:
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            child = os.fork()
        if child == 0:
            running.__exit__(None, None, None)
            os._exit(0)
        os.waitpid(child, 0)
        server = postmaster(made)
        with contextlib.suppress(psutil.TimeoutExpired):
            server.wait(1)
        assert server.is_running()


@pytest.mark.services
def test_two_data_directories_at_once_one_with_blanks_and_a_long_path(made):
    other = made.parent / "a path with blanks, ümläuts" / ("long-" * 20) / "data"
    other.parent.mkdir(parents=True)
    with embedded.running(made), embedded.running(other):
        remember(other)
        assert remembered(other) == (1, b"kept")
        assert sql(made, "SELECT to_regclass('note')") == [(None,)]
        assert postmaster(made) != postmaster(other)
    assert processes_of(made.parent) == []


def test_data_of_another_major_version_is_refused_and_left_alone(data_dir):
    (data_dir / "postgres").mkdir(parents=True)
    (data_dir / "postgres" / "PG_VERSION").write_text("17\n")
    with pytest.raises(EmbeddedError, match=r"written by PostgreSQL 17.*manage.py backup"):
        enter(data_dir)
    assert [path.name for path in (data_dir / "postgres").iterdir()] == ["PG_VERSION"]
    assert processes_of(data_dir) == []


def test_files_that_are_no_database_are_refused(data_dir):
    (data_dir / "postgres").mkdir(parents=True)
    (data_dir / "postgres" / "base").write_text("")
    with pytest.raises(EmbeddedError, match="PG_VERSION is missing"), embedded.running(data_dir, ("postgres",)):
        pass


def test_a_full_disk_is_noticed_before_anything_is_written(data_dir, monkeypatch):
    monkeypatch.setattr(postgres_module, "FREE_BYTES_NEEDED", 10**18)
    make_directories(data_dir)
    with pytest.raises(EmbeddedError, match=r"nearly full.*LITMUS_DATA_DIR"):
        Postgres(data_dir).prepare()
    assert not (data_dir / "postgres").exists()


@pytest.mark.slow
def test_an_interrupted_first_start_begins_again(data_dir):
    (data_dir / "postgres.new").mkdir(parents=True)
    (data_dir / "postgres.new" / "PG_VERSION").write_text("18\n")
    with embedded.running(data_dir, ("postgres",)):
        assert sql(data_dir, "SELECT 1") == [(1,)]
    assert not (data_dir / "postgres.new").exists()


def test_a_server_that_cannot_start_says_why(made):
    with embedded.running(made, ("postgres",)):
        pass
    (made / "postgres" / "postgresql.conf").write_text("shared_buffers = 'a lot'\n")
    (made / "postgres" / "postgresql.conf").chmod(0o644)
    with pytest.raises(EmbeddedError, match=r"(?s)ended while starting.*a lot"):
        enter(made)
    assert processes_of(made) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_the_directory_of_somebody_else_is_refused(data_dir):
    data_dir.mkdir(mode=0o700)
    data_dir.parent.chmod(0o755)
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        child = os.fork()
    if child == 0:
        os.setuid(65534)
        try:
            private_directory(data_dir)
        except EmbeddedError as error:
            os._exit(0 if "belongs to user id 0" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_path_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EmbeddedError, match="LITMUS_DATA_DIR"):
        make_directories(tmp_path / "file" / "data")


def test_a_prepared_trap_in_tmp_is_refused(tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    with pytest.raises(EmbeddedError, match="not a private directory"):
        private_directory(tmp_path / "link", must_own=True)


def test_without_programs_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("importlib.util.find_spec", lambda package: None)
    with pytest.raises(EmbeddedError, match=r"apt install redis-server.*Docker Compose"):
        redis_module.redis_program.__wrapped__()
    if not Path("/usr/lib/postgresql/18").exists() and not Path("/opt/homebrew").exists():
        with pytest.raises(EmbeddedError, match=r"apt install postgresql.*Docker Compose"):
            postgres_module.postgres_programs.__wrapped__()


@pytest.mark.services
@pytest.mark.skipif(not OTHER_POSTGRES.exists(), reason="needs a second PostgreSQL, of version 15, on this machine")
def test_a_postgresql_of_the_system_serves_too_and_its_data_are_refused_by_another(data_dir, monkeypatch):
    with monkeypatch.context() as system:
        system.setattr(postgres_module, "postgres_programs", lambda: OTHER_POSTGRES)
        system.setattr(postgres_module, "postgres_major", lambda: 15)
        make_directories(data_dir)
        server = Postgres(data_dir)
        wait_for(server.bring_up, what="PostgreSQL 15")
        assert sql(data_dir, "SHOW server_version_num")[0][0].startswith("15")
        stop([server])
    with pytest.raises(EmbeddedError, match="written by PostgreSQL 15"), embedded.running(data_dir, ("postgres",)):
        pass


@pytest.mark.parametrize(
    "path", ["/srv/litmus", "/srv/" + "x" * 72, "/srv/" + "x" * 200, "/srv/with blank", "/srv/comma,comma", "/srv/é"]
)
def test_addresses_are_known_before_anything_runs_and_fit_a_socket(path):
    sockets = [
        Path(embedded.postgres_settings(Path(path))["HOST"]) / ".s.PGSQL.5432",
        Path(embedded.redis_url(Path(path)).removeprefix("unix://").partition("?")[0]),
    ]
    for socket in sockets:
        assert len(os.fsencode(socket)) <= 103
        assert re.fullmatch(r"[A-Za-z0-9/._+-]+", str(socket))
    assert not Path(path).exists()


@pytest.mark.slow
def test_the_watcher_ignores_the_keyboard(made, user):
    user()
    for watcher in watchers(made):
        watcher.send_signal(signal.SIGINT)
    assert sql(made, "SELECT 1") == [(1,)]
    assert len(watchers(made)) == 1


@pytest.mark.services
def test_sockets_in_tmp_go_with_the_last_user(tmp_path: Path):
    data = tmp_path / "with a blank"
    with embedded.running(data, ["redis"]):
        sockets = socket_directory(data)
        assert sockets.parent.parent == Path("/tmp")
        assert sockets.is_dir()
    assert not sockets.exists()
    with embedded.running(data, ["redis"]):
        assert sockets.is_dir()
