"""Behind a proxy that serves Litmus below its own path, next to other things on the same host."""

import http.client
import re
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from http.cookiejar import CookieJar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.urls import get_script_prefix, reverse, set_script_prefix

from accounts.mail import whole_address
from accounts.middleware import page_above
from tests.factories.labelling import Built, build_work
from tests.processes import CHECKOUT, child_environment, web_server

AT = "/litmus"
PASSWORD = "brew-more-tea-9"
ADDRESS = re.compile(r'''\b(?:href|src|action|hx-get|hx-post)="(/[^"]*)"|"(/(?!/)[^"\s]*/)"''')


class Proxy(BaseHTTPRequestHandler):
    """Hands on what is below AT, as nginx does with a slash behind the address of `proxy_pass` (cut) and without."""

    protocol_version = "HTTP/1.0"
    behind, cut = "", False
    outside: list[str] = []
    cookies: list[str] = []

    def hand_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.path.startswith(AT + "/"):
            self.outside.append(self.path)
            self.send_error(404)
            return
        with closing(http.client.HTTPConnection(self.behind, timeout=60)) as server:
            path = self.path.removeprefix(AT) if self.cut else self.path
            server.request(self.command, path, body or None, dict(self.headers.items()))
            answer = server.getresponse()
            text = answer.read()
        self.cookies += answer.headers.get_all("Set-Cookie") or []
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "server", "date", "transfer-encoding"):
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self) -> None:
        self.hand_on()

    def do_POST(self) -> None:
        self.hand_on()

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Host and port of a real web server with its collected files."""
    place = tmp_path_factory.mktemp("web")
    said = {"LITMUS_SITE_URL": f"http://127.0.0.1{AT}", "LITMUS_STATIC_ROOT": str(place / "static")}
    collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "-v0"]
    subprocess.run(collect, cwd=CHECKOUT, env=child_environment(**said), check=True)
    with web_server(place / "web.log", **said) as address:
        yield address.removeprefix("http://")
    assert "Traceback" not in (place / "web.log").read_text()


@pytest.fixture(params=[True, False], ids=["path cut off", "path handed on"])
def proxy(request: pytest.FixtureRequest, server: str) -> Iterator[ThreadingHTTPServer]:
    """In front of it; `outside` are the paths asked for that are not below AT."""
    handler = type("Own", (Proxy,), {"behind": server, "cut": request.param, "outside": [], "cookies": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as proxy:
        proxy.daemon_threads = True
        threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield proxy
        proxy.shutdown()


class Browser:
    """Follows links and sends forms as a person does, with cookies by their paths."""

    def __init__(self) -> None:
        self.jar = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def ask(self, address: str, form: dict[str, str] | None = None) -> tuple[str, str]:
        """The address at which it ends and the text there."""
        data = urllib.parse.urlencode(form).encode() if form else None
        with self.opener.open(address, data, timeout=60) as answer:
            return answer.url, answer.read().decode(errors="replace")  # icons are no text


def addresses_in(page: str) -> set[str]:
    return {"".join(found) for found in ADDRESS.findall(page)}


@pytest.mark.services
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_people_sign_in_and_work_below_a_path(proxy: ThreadingHTTPServer) -> None:
    built = build_work(items=3)
    ana = built.people["ana"]
    ana.set_password(PASSWORD)
    ana.save()
    pages = walk(Browser(), f"http://127.0.0.1:{proxy.server_port}{AT}", built)
    assert proxy.RequestHandlerClass.outside == []
    cookies = proxy.RequestHandlerClass.cookies
    assert any("messages" in cookie for cookie in cookies)
    assert [cookie for cookie in cookies if f"Path={AT}/;" not in cookie + ";"] == []
    outside = {link for page in pages.values() for link in addresses_in(page) if not link.startswith(f"{AT}/")}
    assert outside == set()


def walk(ana: Browser, address: str, built: Built) -> dict[str, str]:
    """Health, signing in, the pages of an annotator with their static files, signing out. The texts of the pages."""
    assert ana.ask(f"{address}/healthz")[1] == '{"status": "ok"}'
    assert '"database": "ok"' in ana.ask(f"{address}/readyz")[1]
    where, page = ana.ask(f"{address}/")
    assert where == f"{address}/accounts/login/?next={AT}/"
    where, home = ana.ask(where, {"login": built.people["ana"].email, "password": PASSWORD, **csrf(page)})
    assert where == f"{address}/"
    assert {cookie.path for cookie in ana.jar} == {f"{AT}/"}
    label = f"{address}/c/{built.collection.slug}/campaigns/{built.campaign.slug}/label/"
    pages = {"login": page, "home": home, "label": ana.ask(label)[1], "find": ana.ask(f"{address}/find/?q=tea")[1]}
    host = address.removesuffix(AT)
    for file in {link for text in pages.values() for link in addresses_in(text) if "/static/" in link}:
        assert ana.ask(host + file)[0] == host + file
    assert "addEventListener" in ana.ask(f"{address}/label-worker.js")[1]
    where, _ = ana.ask(f"{address}/accounts/theme/", {"theme": "dark", **csrf(home)})
    assert where == f"{address}/"
    where, _ = ana.ask(f"{address}/accounts/logout/", csrf(home))
    assert where == f"{address}/accounts/login/"
    return pages


def csrf(page: str) -> dict[str, str]:
    return {"csrfmiddlewaretoken": re.findall(r'csrfmiddlewaretoken" value="([^"]+)"', page)[0]}


@pytest.fixture
def below(settings) -> Iterator[None]:
    settings.SITE_URL, before = f"https://example.org{AT}", get_script_prefix()
    set_script_prefix(AT + "/")
    yield
    set_script_prefix(before)


def test_links_in_mails_have_the_path_once(below: None) -> None:
    assert whole_address(reverse("account_profile")) == "https://example.org/litmus/accounts/profile/"
    assert page_above("/c/tea/nowhere/") == "/litmus/c/tea/"


def test_no_page_and_no_script_names_an_address_by_itself() -> None:
    """They come from `reverse`, which knows the path."""
    found = [
        f"{path.relative_to(CHECKOUT)}: {line.strip()}"
        for folder, form in (("templates", "*.html"), ("static/js", "*.js"))
        for path in (CHECKOUT / folder).rglob(form)
        for line in path.read_text().splitlines()
        if re.search(
            r"""(href|src|action|hx-\w+)="/|(fetch|assign|location\.replace)\(["'`]/|location = ["'`]/""", line
        )
    ]
    assert found == []
