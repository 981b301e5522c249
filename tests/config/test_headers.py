"""What browsers keep, pages that are compressed, and answers to HEAD.

Those as the server gets them: the test client would take their bodies away itself.
"""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.test import Client, RequestFactory

from config.headers import HeadMiddleware
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


def body_of(response: Any) -> bytes:
    return b"".join(response)


@pytest.mark.parametrize("address", ["/accounts/login/", "/static/css/base.css", "/nothing/"])
@pytest.mark.usefixtures("somebody")
def test_head_has_the_headers_of_get_and_no_body(address: str) -> None:
    handler, ask = WSGIHandler(), RequestFactory()
    wanted, found = handler.get_response(ask.get(address)), handler.get_response(ask.head(address))
    page = body_of(wanted)
    assert (found.status_code, body_of(found)) == (wanted.status_code, b"")
    assert found.headers["Content-Type"] == wanted.headers["Content-Type"]
    assert found.headers["Content-Length"] == str(len(page)) != "0"


@pytest.mark.usefixtures("somebody")
def test_what_rules_a_page_is_said_by_the_page_and_not_by_each_of_its_files(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "own.css").write_text("a { color: red }")
    handler, ask = WSGIHandler(), RequestFactory()
    page, sheet = (handler.get_response(ask.get(each)) for each in ("/accounts/login/", "/static/own.css"))
    assert (sheet.status_code, body_of(sheet)) == (200, b"a { color: red }")
    assert page.headers["Permissions-Policy"].startswith("camera=()")
    assert not {"Permissions-Policy", "Access-Control-Allow-Origin"} & {*sheet.headers}
    assert sheet.headers["X-Content-Type-Options"] == "nosniff"
    sheet.close()


def test_head_makes_nothing_of_a_file() -> None:
    made: list[bytes] = []

    def rows() -> Iterator[bytes]:
        made.append(b"row")
        yield made[-1]

    def export(request: HttpRequest) -> HttpResponseBase:
        return StreamingHttpResponse(rows(), headers={"Content-Disposition": "attachment"})

    answer = HeadMiddleware(export)  # type: ignore[arg-type]
    found = answer(RequestFactory().head("/"))
    assert (body_of(found), made, found.headers["Content-Disposition"]) == (b"", [], "attachment")
    assert (body_of(answer(RequestFactory().get("/"))), made) == (b"row", [b"row"])


def test_signing_out_lets_the_browser_forget_pages_and_no_labels(client: Client) -> None:
    client.force_login(UserFactory())
    assert "Clear-Site-Data" not in client.get("/accounts/logout/").headers
    answer = client.post("/accounts/logout/")
    assert (answer.status_code, answer["Clear-Site-Data"]) == (302, '"cache"')


@pytest.mark.usefixtures("somebody")
def test_pages_are_compressed_with_random_bytes_and_files_are_not(client: Client) -> None:
    pages = {len(client.get("/accounts/login/", headers={"accept-encoding": "gzip"}).content) for _ in range(20)}
    assert len(pages) > 1
    page = client.get("/accounts/login/", headers={"accept-encoding": "gzip"})
    assert (page["Content-Encoding"], "Accept-Encoding" in page["Vary"]) == ("gzip", True)
    assert b"Sign in" in gzip.decompress(page.content)
    for other in ("/label-worker.js", "/healthz"):
        assert "Content-Encoding" not in client.get(other, headers={"accept-encoding": "gzip"}).headers
