"""The Caddyfile of docker-compose.yml, run by Caddy itself before a small web server."""

import gzip
import http.client
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.processes import CHECKOUT, free_port, wait_for

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(shutil.which("caddy") is None, reason="there is no Caddy here (Debian: apt install caddy)"),
]
TEXT = b"body { color: red } " * 200


class Litmus(BaseHTTPRequestHandler):
    """Answers what it was asked by: the headers that Litmus looks at."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/css" if self.path.startswith("/static/") else "text/html")
        for name in ("Host", "X-Forwarded-Proto", "X-Forwarded-For"):
            self.send_header(f"Seen-{name}", self.headers.get(name, ""))
        self.end_headers()
        self.wfile.write(TEXT)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, ThreadingHTTPServer]]:
    """The port of Caddy's TLS, with a certificate of its own making, and the server behind it."""
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Litmus)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    port, home = free_port(), str(tmp_path_factory.mktemp("caddy"))
    environment = {
        "LITMUS_SITE_URL": "https://localhost",
        "LITMUS_HTTP_PORT": str(free_port()),
        "LITMUS_HTTPS_PORT": str(port),
        "LITMUS_UPSTREAM": f"127.0.0.1:{upstream.server_port}",
        "HOME": home,
        "XDG_DATA_HOME": home,
        "XDG_CONFIG_HOME": home,
        "PATH": home,  # without programs that would make this machine trust the certificate
    }
    command = [str(shutil.which("caddy")), "run", "--adapter", "caddyfile", "--config", "Caddyfile"]
    with (Path(home) / "log").open("wb") as log:
        caddy = subprocess.Popen(command, cwd=CHECKOUT, env=environment, stdout=log, stderr=log)
    try:
        wait_for(lambda: answers(port), what="Caddy")
        yield port, upstream
    finally:
        caddy.terminate()
        caddy.wait()
        upstream.shutdown()
        upstream.server_close()


def ask(port: int, path: str) -> tuple[http.client.HTTPResponse, bytes]:
    unchecked = ssl._create_unverified_context()
    connection = http.client.HTTPSConnection("localhost", port, context=unchecked, timeout=30)
    headers = {
        "Accept-Encoding": "gzip",
        "X-Forwarded-For": "192.0.2.1",
        "X-Forwarded-Proto": "http",
        "Host": "localhost",
    }
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    try:
        return answer, answer.read()
    finally:
        connection.close()


def answers(port: int) -> bool:
    try:
        return ask(port, "/")[0].status == 200
    except OSError:
        return False


def test_it_ends_tls_and_says_who_asks_and_how(proxy: tuple[int, ThreadingHTTPServer]) -> None:
    answer, _ = ask(proxy[0], "/")
    assert answer.headers["Seen-Host"] == "localhost"
    assert answer.headers["Seen-X-Forwarded-Proto"] == "https"  # not what the client claims
    assert answer.headers["Seen-X-Forwarded-For"] in ("127.0.0.1", "::1")


def test_it_compresses_static_files_and_no_page(proxy: tuple[int, ThreadingHTTPServer]) -> None:
    style, packed = ask(proxy[0], "/static/css/base.css")
    assert style.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed) == TEXT
    page, text = ask(proxy[0], "/accounts/login/")
    assert (page.headers["Content-Encoding"], text) == (None, TEXT)


def test_without_the_web_server_it_says_what_to_look_at(proxy: tuple[int, ThreadingHTTPServer]) -> None:
    proxy[1].shutdown()
    proxy[1].server_close()
    answer, text = ask(proxy[0], "/")
    assert (answer.status, answer.headers["Retry-After"]) == (503, "30")
    assert b"Litmus is starting, or has stopped." in text
