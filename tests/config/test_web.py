"""The web server's connections: one that ends after an answer says so in it, and not before the body was taken."""

import http.client
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.processes import PATIENCE, web_server

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
