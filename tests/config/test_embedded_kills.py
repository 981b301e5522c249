"""Embedded servers whose processes are killed, and under other users: nothing is lost, nobody else gets in."""

import contextlib
import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from config import embedded
from config.embedded import postgres, servers
from config.embedded.places import EmbeddedError
from config.embedded.postgres import Postgres
from config.embedded.redis import Redis
from tests.config.embedded_servers import (
    USER,
    is_alive,
    kill,
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


@pytest.mark.services
def test_servers_stop_after_their_only_user_was_killed(made, user):
    process = user()
    remember(made)
    kill(process)
    wait_for(lambda: not processes_of(made), what="the end of the servers")
    user()
    assert remembered(made) == (1, b"kept")


@pytest.mark.services
def test_orphaned_servers_are_adopted(made, user):
    process = user()
    remember(made)
    servers = [postmaster(made), Redis(made).running()]
    kill(*watchers(made), process)
    assert all(map(is_alive, servers))
    with embedded.running(made):
        assert [postmaster(made), Redis(made).running()] == servers
        assert remembered(made) == (1, b"kept")
    assert processes_of(made) == []


@pytest.mark.services
def test_the_last_user_stops_servers_whose_watchers_were_killed(made):
    with embedded.running(made):
        kill(*watchers(made))
        remember(made)
    assert processes_of(made) == []


@pytest.mark.services
def test_a_number_that_a_killed_watcher_left_harms_no_other_process(made):
    with subprocess.Popen(["sleep", "600"]) as other:
        with embedded.running(made):
            kill(*watchers(made))
            (made / "locks" / "watcher").write_text(str(other.pid))
        assert other.poll() is None
        other.kill()
    assert processes_of(made) == []


@pytest.mark.services
def test_everything_killed_and_nothing_committed_is_lost(made, user):
    process = user()
    remember(made)
    kill(*watchers(made), process, Redis(made).running(), postmaster(made))
    with embedded.running(made):
        assert remembered(made) == (1, b"kept")
        remember(made)
        assert remembered(made) == (2, b"kept")


@pytest.fixture
def lingering(made, user) -> Iterator[psutil.Process]:
    """A backend that outlives its killed server, with the server's memory: stopped, so that it cannot notice."""
    process = user()
    remember(made)
    connection = psycopg.connect(**place_of(made))
    backend = psutil.Process(connection.info.backend_pid)
    backend.suspend()
    kill(*watchers(made), process, Redis(made).running(), postmaster(made))
    assert is_alive(backend)
    yield backend
    if is_alive(backend):
        backend.kill()
    connection.close()


@pytest.mark.services
def test_a_start_waits_until_the_processes_of_a_killed_server_are_gone(made, lingering):
    end = threading.Timer(2, lingering.kill)
    end.start()
    with embedded.running(made):
        assert not is_alive(lingering)
        assert remembered(made) == (1, b"kept")
    end.join()


@pytest.mark.services
def test_processes_that_stay_are_named(made, lingering, monkeypatch):
    monkeypatch.setattr(postgres, "REMAINS_SECONDS", 1.5)
    with pytest.raises(EmbeddedError, match=rf"still use its memory.*\b{lingering.pid}\b.*End them with `kill"):
        Postgres(made).bring_up()
    lingering.kill()


@pytest.mark.services
def test_a_server_that_is_just_stopping_is_followed_by_another(made, user):
    process = user()
    remember(made)
    stopping = postmaster(made)
    kill(*watchers(made), process)
    stopping.send_signal(signal.SIGINT)
    with embedded.running(made):
        assert remembered(made) == (1, b"kept")
        assert postmaster(made) != stopping


@pytest.mark.services
def test_killed_servers_come_back_while_they_are_used(made):
    with embedded.running(made):
        remember(made)
        killed = postmaster(made)
        killed.kill()
        Redis(made).running().kill()

        def back() -> bool:
            embedded.restore(made)  # as `up` does all the time
            with contextlib.suppress(psycopg.Error, redis.RedisError, OSError):
                return remembered(made) == (1, b"kept")
            return False

        wait_for(back, what="the return of the servers")
        assert postmaster(made) != killed


@pytest.mark.services
def test_a_server_that_dies_just_after_it_was_seen_alive_is_named_among_those_that_came_back(made, monkeypatch):
    with embedded.running(made):
        server, look = Postgres(made), Postgres.running

        def look_once(self: Postgres) -> psutil.Process:
            monkeypatch.undo()
            found = look(self)
            found.kill()
            found.wait(60)
            return found

        Redis(made).running().kill()
        monkeypatch.setattr(Postgres, "running", look_once)
        assert embedded.restore(made) == ["postgres", "redis"]
        assert server.is_ready()
        assert embedded.restore(made) == []


@pytest.mark.services
def test_a_stale_process_number_that_now_belongs_to_somebody_else(made):
    with embedded.running(made):
        remember(made)
        pid_file = made / "postgres" / "postmaster.pid"
        lines = pid_file.read_text()
        owner = pid_file.stat()
    pid_file.write_text(re.sub(r"^\d+", str(os.getpid()), lines))
    os.chown(pid_file, owner.st_uid, owner.st_gid)
    with embedded.running(made):
        assert remembered(made) == (1, b"kept")


@pytest.mark.services
def test_servers_are_known_by_where_they_work(made, user):
    """Which is all that tells of them once the directory is deleted."""
    user()
    assert Postgres(made).processes()[0] == postmaster(made)
    assert Redis(made).processes() == [Redis(made).running()]


@pytest.mark.services
def test_a_deleted_data_directory_stops_its_servers(made, user):
    user()
    shutil.rmtree(made)
    wait_for(lambda: not processes_of(made), what="the end of the servers")


@pytest.mark.services
@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_as_root_the_servers_run_as_another_user_below_a_home_that_only_root_may_enter(data_dir):
    home = data_dir.parent
    home.chmod(0o700)
    with embedded.running(data_dir):
        assert postmaster(data_dir).uids().effective != 0
        assert Redis(data_dir).running().uids().effective != 0
        assert sql(data_dir, "SELECT 1") == [(1,)]
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


@pytest.mark.services
@pytest.mark.skipif(os.geteuid() != 0, reason="every other test already runs as a plain user")
def test_a_plain_user(data_dir):
    """`nobody` in a separate directory, with a Python that they may run."""
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    python = f"/usr/bin/python3.{sys.version_info.minor}"
    command = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "env",
        "-i",
        "HOME=/",
        "PATH=/usr/bin:/bin",
    ]
    command += [f"PYTHONPATH={packages}:{CHECKOUT}", python, "-c"]
    if subprocess.run([*command, "import psutil, psycopg"], capture_output=True, cwd="/", check=False).returncode != 0:
        pytest.skip(f"nobody cannot run {python} with the packages of this environment")
    data_dir.parent.chmod(0o755)
    data_dir.mkdir(mode=0o700)
    os.chown(data_dir, 65534, 65534)
    user = subprocess.Popen(
        [*command, USER, str(data_dir)], cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert user.stdout.readline() == b"held\n"
    assert {process.uids().effective for process in processes_of(data_dir)} == {65534}
    leave(user)
    user.stdout.close()
    assert processes_of(data_dir) == []


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="only root on Linux hands on the right")
def test_as_root_a_closed_home_is_reached_by_one_right_and_reported_without_it(data_dir, monkeypatch):
    nobody = pwd.getpwuid(65534)
    data_dir.mkdir(mode=0o700)
    os.chown(data_dir, nobody.pw_uid, nobody.pw_gid)
    data_dir.parent.chmod(0o700)
    servers.check_reach(nobody, Path("/bin/sh"), data_dir)
    monkeypatch.setattr(servers, "right_to_search", lambda: "")
    with pytest.raises(EmbeddedError, match=f"may not enter {data_dir.parent}.*chmod o[+]x"):
        servers.check_reach(nobody, Path("/bin/sh"), data_dir)
