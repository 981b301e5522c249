"""Asks for the addresses of tests/access_table.py: where a line leads in a world, and what comes back for whom."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.models import TokenScope, User
from tests.access_table import KWARGS, Row
from tests.access_world import World


def session_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def addresses(resolver: URLResolver, namespace: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every pattern below the resolver with its full name, or its route where it has none."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from addresses(pattern, inner)
        else:
            yield namespace + (pattern.name or str(pattern.pattern)), pattern


ADDRESSES = dict(addresses(get_resolver()))


def path_of(line: Row, world: World, **override: Any) -> str:
    wanted = ADDRESSES[line.name].pattern.regex.groupindex
    special = line.where(world)
    special |= {key: value for key, value in override.items() if key in wanted}
    return reverse(line.name, kwargs={**{key: KWARGS[key](world) for key in wanted if key not in special}, **special})


CLIENT = Client()  # of everybody, by the session or the key: a client for each would load all middleware again


def ask(line: Row, world: World, session: str | None, path: str, key: str = "") -> HttpResponse:
    """The answer; whatever was written is taken back, so that the next role finds the world as it was."""
    CLIENT.cookies.clear()
    if session is not None:
        CLIENT.cookies[settings.SESSION_COOKIE_NAME] = session
    with transaction.atomic():
        answer = send(line, world, path, line.headers | ({"authorization": f"Bearer {key}"} if key else {}))
        transaction.set_rollback(True)
    return answer


def send(line: Row, world: World, path: str, headers: dict[str, str]) -> HttpResponse:
    if line.method in ("GET", "HEAD", "DELETE"):
        return CLIENT.generic(line.method, path, headers=headers)
    if line.json is not None:
        body = json.dumps(line.json(world))
        return CLIENT.generic(line.method, path, body, content_type="application/json", headers=headers)
    return CLIENT.post(path, line.data(world), headers=headers)


WRITES = re.compile(r"\s*(?:INSERT|UPDATE|DELETE|WITH.*?(?:INSERT|UPDATE|DELETE)\b)", re.DOTALL)


@contextmanager
def written() -> Iterator[list[str]]:
    """The statements inside the block that write."""
    found: list[str] = []

    def note(execute: Callable[..., Any], sql: Any, *arguments: Any) -> Any:
        if WRITES.match(str(sql)):
            found.append(str(sql))
        return execute(sql, *arguments)

    with connection.execute_wrapper(note):
        yield found


SCOPES = [scope.value for scope in TokenScope]  # the narrowest first


def scope_of(line: Row) -> str:
    """The narrowest scope of a token that this line of the API lets in."""
    return line.scope or ("read" if line.method == "GET" else "manage")


class Walk:
    """What roles get where, pages by their sessions and the API by their keys. What pages say is kept: several tests
    look at the same ones, and asking costs most."""

    def __init__(self, world: World, sessions: dict[str, str], keys: dict[tuple[str, str], str]) -> None:
        self.world, self.sessions, self.keys = world, sessions, keys
        self.pages: dict[tuple[int, str], str] = {}  # by line and role
        self.statuses: dict[tuple[str, str], int] = {}  # of GET, by path and role
        self.wrote: dict[tuple[int, str], list[str]] = {}  # statements, by line and role

    def ask(self, line: Row, role: str) -> HttpResponse:
        path = path_of(line, self.world)
        with written() as statements:
            answer = self.send(line, role, path)
        self.wrote[id(line), role] = statements
        if line.method == "GET":
            is_page = "text/html" in answer.headers["Content-Type"]
            self.pages[id(line), role] = answer.content.decode() if is_page else ""
            if not line.headers:
                self.statuses[path, role] = answer.status_code
        return answer

    def send(self, line: Row, role: str, path: str) -> HttpResponse:
        if line.name.startswith("api_"):
            return ask(line, self.world, None, path, self.keys.get((role, scope_of(line)), ""))
        return ask(line, self.world, self.sessions.get(role), path)

    def page(self, line: Row, role: str) -> str:
        """The text of a page; "" of a file."""
        if (id(line), role) not in self.pages:
            self.ask(line, role)
        return self.pages[id(line), role]

    def status(self, path: str, role: str) -> int:
        """What a role gets that opens an address."""
        if (path, role) not in self.statuses:
            CLIENT.cookies.clear()
            CLIENT.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[role]
            with transaction.atomic():
                self.statuses[path, role] = CLIENT.get(path).status_code
                transaction.set_rollback(True)
        return self.statuses[path, role]


def body_of(answer: HttpResponse) -> str:
    """The whole answer, read from its stream where it is one."""
    body = b"".join(answer) if answer.streaming else answer.content
    return body.decode(errors="replace")


def word_for(answer: HttpResponse, expected: str) -> str:
    """What came back, in the table's words; the number where no word fits what was expected."""
    to_login = answer.status_code == 302 and answer["Location"].startswith(reverse("account_login") + "?next=")
    if to_login or answer.status_code == 401:
        return "login"
    if expected == "form" and answer.status_code in (200, 422):
        return "form"
    if expected == "ok" and 200 <= answer.status_code < 300:
        return "ok"
    if expected == "gone" and answer.status_code in (302, 303):
        return "gone"
    return str(answer.status_code)
