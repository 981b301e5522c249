"""A real PgBouncer in front of the test's PostgreSQL."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection

from config.embedded.servers import run_as, server_account
from tests.processes import free_port, wait_for

CONFIGURATION = """
[databases]
{name} = host={host} port={port} dbname={name} user={user}
[pgbouncer]
listen_addr = {listen_addr}
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
ignore_startup_parameters = {ignored}
default_pool_size = {size}
max_client_conn = 500
server_tls_sslmode = disable
"""


def program() -> str | None:
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin")


@contextlib.contextmanager
def pooled(size: int = 4, mode: str = "transaction", host: str = "127.0.0.1") -> Iterator[str]:
    """The DATABASE_URL through a PgBouncer that has `size` sessions for all; skips where there is none.

    So few that consecutive transactions of one client land in different sessions, in transaction mode. In session mode
    it lets pass what Litmus sets on its connections, without setting it.
    """
    if program() is None:
        reason = "no pgbouncer found: install it (Debian: apt install pgbouncer)"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    database = connection.settings_dict
    with tempfile.TemporaryDirectory(prefix="litmus-pgb-") as directory:
        place = Path(directory)
        values = {key: database[key.upper()] for key in ("name", "host", "port", "user")}
        listen, ignored = free_port(), "options" if mode == "session" else ""
        (place / "pgbouncer.ini").write_text(
            CONFIGURATION.format(**values, listen_addr=host, listen=listen, size=size, mode=mode, ignored=ignored)
        )
        # Like PostgreSQL it does not run as root, and has to reach the same directory of sockets.
        account = server_account(settings.DATA_DIR / "postgres")
        place.chmod(0o755)
        log = place / "log"
        with log.open("wb") as output:
            bouncer = subprocess.Popen(
                **run_as(account, [str(program()), str(place / "pgbouncer.ini")]),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_for(lambda: "process up" in log.read_text(), what="PgBouncer")
            yield f"postgres://{quote(database['USER'])}@{host}:{listen}/{quote(database['NAME'])}"
        finally:
            bouncer.terminate()
            bouncer.wait(60)
