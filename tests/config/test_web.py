"""The web server's connections: one that ends after an answer says so in it, and not before the body was taken."""

import http.client
import signal
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection

from accounts.sql import execute
from tests.processes import PATIENCE, wait_for, web_process, web_server

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
UPLOAD = b"x" * 20_000_000  # more than two sockets hold: who sends it notices when nobody reads it


def test_an_upload_refused_before_it_is_read_ends_its_connection_and_says_so(tmp_path: Path) -> None:
    """A client that first sends everything and then reads gets the answer, not a broken connection."""
    with (
        web_server(tmp_path / "web.log") as address,
        closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)) as connection,
    ):
        connection.request("GET", "/healthz")
        first = connection.getresponse()
        assert (first.status, first.read(), first.will_close) == (200, b'{"status": "ok"}', False)
        connection.request("POST", "/api/v1/collections/tea/imports/documents/", body=UPLOAD)
        refused = connection.getresponse()
        refused.read()
        assert (refused.status, refused.getheader("Connection")) == (404, "close")
        connection.request("POST", "/api/v1/collections/tea/imports/documents/", body=iter([UPLOAD]))  # in chunks
        refused = connection.getresponse()
        # Django would take it for empty, and what it holds for left out.
        assert (refused.status, "Content-Length" in refused.read().decode()) == (400, True)
        assert refused.getheader("Connection") == "close"
        connection.close()
        connection.request("GET", "/healthz")  # by a new connection, as http.client opens one where it was asked to
        assert connection.getresponse().status == 200
        connection.close()
        # A proxy on the same machine may hand on what a stranger sends: links, those in mails too, would lead there.
        connection.request("GET", "/api/collections/", headers={"SCRIPT_NAME": "/api"})
        assert connection.getresponse().status == 401  # and not that of another address


def test_a_web_server_that_is_to_end_says_so_first_and_then_finishes_its_requests(tmp_path: Path) -> None:
    """A balancer takes it away meanwhile: what is asked until then is answered."""

    def ready() -> int:
        return status(f"{address}/readyz")

    with (
        web_process(tmp_path / "web.log", LITMUS_WEB_NOTICE_SECONDS="3") as (address, server),
        psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as holder,
        closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)) as slow,
    ):
        wait_for(lambda: ready() == 200, what="the web server")
        holder.execute("LOCK TABLE accounts_user IN ACCESS EXCLUSIVE MODE")
        slow.request("GET", "/")
        wait_for(waits_for_a_lock, what="a request that takes long")
        server.process.send_signal(signal.SIGTERM)
        wait_for(lambda: ready() == 503, what="word for the balancer")
        assert status(f"{address}/healthz") == 200
        wait_for(lambda: ready() == 0, what="the end of the notice")
        holder.rollback()
        assert slow.getresponse().status in (200, 302)
        assert server.process.wait(PATIENCE) == 0


def status(url: str) -> int:
    """0: nobody listens."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return 0


def waits_for_a_lock() -> bool:
    return bool(execute("SELECT 1 FROM pg_locks WHERE relation = 'accounts_user'::regclass AND NOT granted"))
