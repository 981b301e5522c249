"""Embedded servers in tests: their processes, what they keep, and their ends."""

import contextlib
import subprocess
from pathlib import Path

import psutil
import psycopg
import redis

from config import embedded
from config.embedded.postgres import Postgres
from tests.processes import wait_for

USER = """
import sys
from pathlib import Path
from config import embedded
with embedded.running(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


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
            wait_for(lambda found=process: not is_alive(found), what=f"the end of {process}")


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
    process = Postgres(directory).running()
    assert process is not None
    return process
