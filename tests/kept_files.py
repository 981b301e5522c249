"""The server for browsers of tests: static files from memory, joined and kept by the browser as in production."""

import mimetypes
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from axe_playwright_python.sync_playwright import Axe
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.handlers.wsgi import get_path_info
from pytest_django.live_server_helper import LiveServer

from config.staticfiles import SHEET, joined

AXE = "axe-core.js"  # no file of ours: pages of tests take it from here, as it is large to be sent by Playwright

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class KeptFilesHandler(StaticFilesHandler):
    """Each static file is looked for and read once: a page asks for some thirty, and there are hundreds of pages.

    A style sheet comes with its parts (config/staticfiles.py), and the browser may keep all for the life of its
    context, as WhiteNoise allows with the hashed names of production.
    """

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        path = get_path_info(environ)
        if not self._should_handle(path):
            return self.application(environ, start_response)
        name = self.file_path(path)
        if name != AXE and name not in sources():
            return super().__call__(environ, start_response)  # not found
        body = text_of(name)
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        headers = [("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "max-age=3600")]
        start_response("200 OK", headers)
        return [body]


@cache
def sources() -> dict[str, tuple[Any, str]]:
    """The storage of each static file and its path there, by the name that pages ask for."""
    found: dict[str, tuple[Any, str]] = {}
    for finder in get_finders():
        for path, storage in finder.list([]):
            found.setdefault(path, (storage, path))
    return found


@cache
def text_of(name: str) -> bytes:
    """What is served under the name."""
    if name == AXE:
        return Axe().axe_script.encode()
    if SHEET.fullmatch(name):
        return joined(name, sources()).encode()
    storage, path = sources()[name]
    with storage.open(path) as file:
        return file.read()


def started() -> LiveServer:
    """A server on a free port of this machine."""
    server = LiveServer("localhost", start=False)
    server.thread.static_handler = KeptFilesHandler
    server.start()
    return server
