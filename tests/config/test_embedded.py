"""Embedded PostgreSQL and Redis: real servers in throw-away data directories."""

import contextlib
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from config import embedded
from config.embedded import postgres as postgres_module
from config.embedded import redis as redis_module
from config.embedded import unprivileged
from config.embedded.places import EmbeddedError, Places, private_directory
from config.embedded.postgres import Postgres
from config.embedded.redis import Redis
from tests.processes import CHECKOUT, wait_for

OTHER_POSTGRES = Path("/usr/lib/postgresql/15/bin")

USER = """
import sys
from pathlib import Path
from config import embedded
with embedded.running(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data directory that does not exist yet, at a short path."""
    with tempfile.TemporaryDirectory(prefix="lit-") as directory:
        yield Path(directory).resolve() / "data"


@pytest.fixture(scope="session")
def stopped_servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("template") / "data"
    with embedded.running(directory):
        pass
    return directory


@pytest.fixture
def made(data_dir: Path, stopped_servers: Path) -> Path:
    """A data directory that was used before, which starts faster."""
    subprocess.run(["cp", "-a", str(stopped_servers), str(data_dir)], check=True)
    return data_dir


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


def leave(process: subprocess.Popen) -> None:
    """Let a user end in order (it may be dead already)."""
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    process.wait(60)


def processes_of(directory: Path) -> list[psutil.Process]:
    """Watchers and servers of a data directory, known by their command line."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd", "status"]):
        line = " ".join(process.info["cmdline"] or [])
        ours = str(directory) in line or str(directory) in (process.info["cwd"] or "")
        if ours and process.info["status"] != psutil.STATUS_ZOMBIE and "-c" not in (process.info["cmdline"] or [])[:2]:
            found.append(process)
    return found


def watchers(directory: Path) -> list[psutil.Process]:
    return [process for process in processes_of(directory) if "config.embedded" in process.info["cmdline"]]


def kill(*processes: psutil.Process | subprocess.Popen) -> None:
    """kill -9 all of them, then wait until none runs (a zombie does not)."""
    for process in processes:
        process.kill()
    for process in processes:
        if isinstance(process, subprocess.Popen):
            process.wait()
        else:
            wait_for(lambda found=process: not is_alive(found), 20, f"the end of {process}")


def is_alive(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def enter(directory: Path) -> None:
    with embedded.running(directory, ("postgres",)):
        pass


def place_of(directory: Path) -> dict[str, str]:
    where = embedded.postgres_settings(directory)
    return {"host": where["HOST"], "port": where["PORT"], "user": where["USER"], "dbname": where["NAME"]}


def sql(directory: Path, statement: str) -> list[tuple]:
    with psycopg.connect(**place_of(directory), autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def remember(directory: Path) -> None:
    """One committed row and one Redis key."""
    sql(directory, "CREATE TABLE IF NOT EXISTS note (text text)")
    sql(directory, "INSERT INTO note VALUES ('kept')")
    with redis.from_url(embedded.redis_url(directory)) as client:
        client.set("note", "kept")


def remembered(directory: Path) -> tuple[int, bytes]:
    with redis.from_url(embedded.redis_url(directory)) as client:
        return sql(directory, "SELECT count(*) FROM note WHERE text = 'kept'")[0][0], client.get("note")


def postmaster(directory: Path) -> psutil.Process:
    process = Postgres(Places(directory)).running()
    assert process is not None
    return process


# --- starting, sharing, stopping -------------------------------------------------------------------------------------


@pytest.mark.services
def test_servers_start_keep_what_was_written_and_stop(data_dir):
    with embedded.running(data_dir):
        remember(data_dir)
        settings = dict(sql(data_dir, "SELECT name, setting FROM pg_settings"))
    assert processes_of(data_dir) == []
    with embedded.running(data_dir):
        assert remembered(data_dir) == (1, b"kept")
    assert settings["fsync"] == settings["synchronous_commit"] == settings["full_page_writes"] == "on"
    assert (settings["listen_addresses"], settings["jit"], settings["server_encoding"]) == ("", "off", "UTF8")
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
        for path in (made, made / "postgres", made / "redis", Postgres(Places(made)).socket.parent):
            assert stat.S_IMODE(path.stat().st_mode) == 0o700
        assert sql(made, "SELECT rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user") == [(False, True)]
        tcp = [c for p in processes_of(made) for c in p.net_connections("inet")]
        assert tcp == []


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


# --- kill -9 ---------------------------------------------------------------------------------------------------------


@pytest.mark.services
def test_servers_stop_after_their_only_user_was_killed(made, user):
    process = user()
    remember(made)
    kill(process)
    wait_for(lambda: not processes_of(made), 30, "the end of the servers")
    user()
    assert remembered(made) == (1, b"kept")


@pytest.mark.services
def test_orphaned_servers_are_adopted(made, user):
    process = user()
    remember(made)
    servers = [postmaster(made), Redis(Places(made)).running()]
    kill(*watchers(made), process)
    assert all(map(is_alive, servers))
    with embedded.running(made):
        assert [postmaster(made), Redis(Places(made)).running()] == servers
        assert remembered(made) == (1, b"kept")
    assert processes_of(made) == []


@pytest.mark.services
def test_the_last_user_stops_servers_whose_watchers_were_killed(made):
    with embedded.running(made):
        kill(*watchers(made))
        remember(made)
    assert processes_of(made) == []


@pytest.mark.services
def test_everything_killed_and_nothing_committed_is_lost(made, user):
    process = user()
    remember(made)
    kill(*watchers(made), process, Redis(Places(made)).running(), postmaster(made))
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
    kill(*watchers(made), process, Redis(Places(made)).running(), postmaster(made))
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
        assert remembered(made) == (1, b"kept")
    end.join()
    assert "pre-existing shared memory block" in (made / "logs" / "postgres.log").read_text()


@pytest.mark.services
def test_processes_that_stay_are_named(made, lingering):
    server = Postgres(Places(made), obstacle_timeout=1.5)
    server.begin()
    with pytest.raises(EmbeddedError, match=rf"still use its memory.*\b{lingering.pid}\b.*End them with `kill"):
        server.wait_ready()
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
        Redis(Places(made)).running().kill()

        def back() -> bool:
            embedded.restore(made)  # as `up` does all the time
            with contextlib.suppress(psycopg.Error, redis.RedisError, OSError):
                return remembered(made) == (1, b"kept")
            return False

        wait_for(back, 60, "the return of the servers")
        assert postmaster(made) != killed


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
def test_a_deleted_madeectory_stops_its_servers(made, user):
    user()
    shutil.rmtree(made)
    wait_for(lambda: not processes_of(made), 60, "the end of the servers")


# --- refusals --------------------------------------------------------------------------------------------------------


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
    places = Places(data_dir)
    places.make()
    with pytest.raises(EmbeddedError, match=r"nearly full.*LITMUS_DATA_DIR"):
        Postgres(places).prepare()
    assert not (data_dir / "postgres").exists()


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
        Places(tmp_path / "file" / "data").make()


def test_a_prepared_trap_in_tmp_is_refused(tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    with pytest.raises(EmbeddedError, match="not a private directory"):
        private_directory(tmp_path / "link", must_own=True)


def test_without_programs_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    for module in (postgres_module, redis_module):
        monkeypatch.setattr(module, "wheel_directory", lambda package: None)
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
        places = Places(data_dir)
        places.make()
        server = Postgres(places)
        server.begin()
        server.wait_ready()
        assert sql(data_dir, "SHOW server_version_num")[0][0].startswith("15")
        server.ask_to_stop(server.process)
        server.wait_stopped(server.process)
    with pytest.raises(EmbeddedError, match="written by PostgreSQL 15"), embedded.running(data_dir, ("postgres",)):
        pass


# --- root ------------------------------------------------------------------------------------------------------------


@pytest.mark.services
@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_as_root_the_servers_run_as_another_user_below_a_home_that_only_root_may_enter(data_dir):
    home = data_dir.parent
    home.chmod(0o700)
    with embedded.running(data_dir):
        assert postmaster(data_dir).uids().effective != 0
        assert Redis(Places(data_dir)).running().uids().effective != 0
        assert sql(data_dir, "SELECT 1") == [(1,)]
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


@pytest.mark.services
@pytest.mark.skipif(os.geteuid() != 0, reason="every other test already runs as a plain user")
def test_a_plain_user(data_dir):
    """`nobody` in a directory of their own, with a Python that they may run."""
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
    nobody = unprivileged.Account(65534, 65534, "nobody")
    data_dir.mkdir(mode=0o700)
    os.chown(data_dir, nobody.uid, nobody.gid)
    data_dir.parent.chmod(0o700)
    monkeypatch.setattr(warnings, "filters", [("ignore", None, DeprecationWarning, None, 0)])  # of fork
    unprivileged.check_reach(nobody, data_dir)
    monkeypatch.setattr(unprivileged, "_permitted_search", lambda libc: 0)
    with pytest.raises(EmbeddedError, match=f"may not enter {data_dir.parent}.*chmod o[+]x"):
        unprivileged.check_reach(nobody, data_dir)


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/srv/litmus", "/srv/" + "x" * 200, "/srv/with blank", "/srv/comma,comma", "/srv/é"])
def test_addresses_are_known_before_anything_runs_and_fit_a_socket(path):
    sockets = [
        Path(embedded.postgres_settings(Path(path))["HOST"]) / ".s.PGSQL.5432",
        Path(embedded.redis_url(Path(path)).removeprefix("unix://").partition("?")[0]),
    ]
    for socket in sockets:
        assert len(os.fsencode(socket)) <= 103
        assert re.fullmatch(r"[A-Za-z0-9/._+-]+", str(socket))
    assert not Path(path).exists()


def test_the_secret_is_made_once_for_its_owner_alone(data_dir):
    secret = embedded.secret_key(data_dir)
    assert len(secret) >= 50
    assert embedded.secret_key(data_dir) == secret
    assert stat.S_IMODE((data_dir / "secret-key").stat().st_mode) == 0o600


def test_the_secret_must_be_given_with_an_outside_database(data_dir):
    with pytest.raises(EmbeddedError, match="LITMUS_SECRET_KEY is not set"):
        embedded.secret_key(data_dir, required=True)
    assert not data_dir.exists()


def test_the_watcher_ignores_the_keyboard(made, user):
    user()
    for watcher in watchers(made):
        watcher.send_signal(signal.SIGINT)
    assert sql(made, "SELECT 1") == [(1,)]
    assert len(watchers(made)) == 1
