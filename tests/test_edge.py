"""The edge: texts that cannot be stored are 400 at every address, in path, query and body, for pages and the API."""

import json
import re
from itertools import cycle
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings as django_settings
from django.core.exceptions import BadRequest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.test.client import encode_multipart
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from accounts.edge import check_json
from annotation.models import Submission
from config.wsgi import application
from corpus.models import ImportRun, Role
from tests.access_table import ROLES, TABLE, Row
from tests.access_walk import path_of, session_of
from tests.access_world import World, make_world
from tests.factories.accounts import UserFactory
from tests.literals import Literals, german_is_marked

REFUSED = ["\0", "\x01", "\b", "\x0c", "\x1f", "\x7f"]
MULTIPART = "multipart/form-data; boundary=x"


@pytest.fixture(scope="module")
def shared_world(module_db: None) -> World:
    return make_world()


@pytest.fixture
def world(shared_world: World, db: None) -> World:
    return shared_world


@pytest.fixture
def manager(world: World, client: Client) -> Client:
    """Signed in as the manager; an exception that no middleware answers is a 500, as it would be in production."""
    client.force_login(world.members[Role.MANAGER].user)
    client.raise_request_exception = False
    return client


def lines(*methods: str) -> list[Row]:
    return [line for line in TABLE if line.method in methods]


def faults(answers: dict[str, HttpResponse]) -> dict[str, int]:
    return {name: answer.status_code for name, answer in answers.items() if answer.status_code != 400}


@pytest.mark.slow
def test_every_address_refuses_them_in_its_query(manager: Client, world: World) -> None:
    answers = {line.name: manager.get(path_of(line, world) + "?q=a%00b&%01=") for line in lines("GET")}
    assert len(answers) > 100
    assert not faults(answers)


@pytest.mark.slow
def test_addresses_refuse_them_in_their_path(manager: Client, world: World) -> None:
    """One of each beginning: they are refused before any address is looked up."""
    paths = {"/".join(path.split("/", 3)[:3]): path for path in (path_of(line, world) for line in lines("GET"))}
    answers = {path: manager.get(path + "%00/") for path in paths.values()}
    assert len(answers) > 10
    answers["number"] = manager.get("/api/collections/tea/topics/%00/")
    answers["docno"] = manager.get("/c/tea/documents/a%00b/")
    assert not faults(answers)


@pytest.mark.slow
def test_every_form_of_a_page_refuses_them(manager: Client, world: World) -> None:
    """By turns as a form and as JSON: which of them it is, is asked in one place for all."""
    bodies = cycle([{"data": {"any": "a\0b"}}, {"data": {"any": [{"a\0b": 1}]}, "content_type": "application/json"}])
    pages = [line for line in lines("POST") if not line.name.startswith("api_")]
    answers = {line.name: manager.post(path_of(line, world), **next(bodies)) for line in pages}
    assert len(answers) > 80
    assert not faults(answers)


@pytest.mark.slow
def test_every_operation_of_the_api_refuses_them(manager: Client, world: World) -> None:
    staff = UserFactory(is_staff=True)
    body = json.dumps({"any": [{"deep": "a\0b"}]})
    answers = {}
    for line in lines("POST", "PATCH", "DELETE"):
        if line.name.startswith("api_") and line.json is not None:  # who may do it, so that the body is read
            may = [role for role in ("manager", "annotator") if line.expected[ROLES.index(role)] not in ("403", "404")]
            manager.force_login(world.members[may[0]].user if may else staff)
            path = path_of(line, world)
            answers[line.name] = manager.generic(line.method, path, body, content_type="application/json")
    assert len(answers) > 10
    there = {name: answer for name, answer in answers.items() if answer.status_code != 404}  # 404: nothing takes it
    assert len(there) > len(answers) / 2
    assert not faults(there)
    assert "control character (U+0000)" in answers["api_documents"].json()["detail"]


# What an address may fall over that expects something else, and what is refused before any address reads it.
WRONG_KINDS = {
    "a form": (encode_multipart("x", {"any": "b"}), "multipart/form-data; boundary=x"),
    "a list": (b"[]", "application/json"),
}
REFUSED_AT_ONCE = {
    "a text": (b'"x"', "application/json"),
    "half of it": (b'{"a": ', "application/json"),
    "plain text": (b"hello", "text/plain"),
    "nothing": (b"", ""),
}


def reads_a_form_only(line: Row) -> bool:
    """Whether any other body is an empty form to it, which tests/test_access.py sends it for each role."""
    return line.json is None and line.data is Row.data


@pytest.mark.slow
def test_no_address_falls_over_a_body_of_the_wrong_kind(world: World) -> None:
    """Each of those that an address reads itself, and by turns one of the others; one of all where it reads none."""
    roles = {role: session_of(world.members[role].user) for role in (Role.MANAGER, Role.ANNOTATOR)}
    faults, client = [], Client(raise_request_exception=False)
    others, all_kinds = cycle(REFUSED_AT_ONCE.items()), cycle((WRONG_KINDS | REFUSED_AT_ONCE).items())
    for line in lines("POST", "PATCH"):
        client.cookies.clear()
        client.cookies[django_settings.SESSION_COOKIE_NAME] = roles[
            Role.ANNOTATOR if line.expected[2] not in ("403", "404") else Role.MANAGER
        ]
        kinds = [next(all_kinds)] if reads_a_form_only(line) else [*WRONG_KINDS.items(), next(others)]
        path = path_of(line, world)
        for kind, (body, content_type) in kinds:
            with transaction.atomic():
                answer = client.generic(line.method, path, body, content_type=content_type)
                transaction.set_rollback(True)
            if answer.status_code >= 500:
                faults.append((line.name, kind, answer.status_code))
    assert not faults


def test_fields_of_an_upload_refuse_them_and_names_of_files_lose_them(
    manager: Client, world: World, settings, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path
    address = reverse("api_imports", args=["tea"])

    def send(**fields: str) -> HttpResponse:
        file = SimpleUploadedFile("a\0\x07b.jsonl", b'{"id": "D9", "title": "Tea"}\n')
        return manager.post(address, {"kind": "documents", "files": file, **fields})

    refused = send(format="a\0")
    assert refused.status_code == 400
    assert "The form contains a control character" in refused.json()["detail"]
    assert send().status_code == 202
    assert ImportRun.objects.latest("pk").files[0]["name"] == "ab.jsonl"


def test_a_form_is_refused_in_the_language_of_who_sent_it(manager: Client, world: World) -> None:
    address = reverse("account_profile")
    answer = manager.post(address, {"name": "a\x02b"}, headers={"Accept-Language": "de"})
    assert answer.status_code == 400
    assert "Das Formular enthält ein Steuerzeichen (U+0002), das nicht gespeichert werden kann." in answer.text
    with german_is_marked():
        answer = manager.post(address, {"name": "a\x02b"}, headers={"Accept-Language": "de"})
    assert Literals(answer.text, set()).found == []


@pytest.mark.parametrize("found", REFUSED)
def test_each_of_them_is_named(manager: Client, found: str) -> None:
    answer = manager.get("/collections/?q=" + quote(found))
    assert answer.status_code == 400
    assert f"contains a control character (U+{ord(found):04X})" in answer.text
    assert 'class="masthead"' in answer.text
    assert "Content-Security-Policy" in answer.headers


def test_line_ends_and_other_letters_pass(manager: Client) -> None:
    assert manager.get("/collections/", {"q": "a\tb\r\n\x85ü\u2028😀"}).status_code == 200
    assert manager.get("/collections/a%0Ab/").status_code == 400


@pytest.mark.parametrize(("charset", "status"), [("hex", 400), ("utf-16", 400), ("utf-7", 400), ("UTF-8", 200)])
def test_other_encodings_are_refused(charset: str, status: int) -> None:
    """By the application that gunicorn serves: Django fails on `hex` before any of its handlers."""
    kind = f'application/json; charset="{charset}"'
    environ = RequestFactory().get("/healthz?q=%2BAAA-").environ | {"CONTENT_TYPE": kind}
    answered: list[str] = []
    for signal in (request_started, request_finished):  # as Django's own client does: the connection is the test run's
        signal.disconnect(close_old_connections)
    try:
        application(environ, lambda status, headers, *_: answered.append(status))
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)
    assert answered[0].startswith(str(status))


@pytest.mark.parametrize("part", ["name*=hex''abc", "filename*=hex''abc", "filename*=utf-16''%00%d8"])
def test_hostile_names_of_parts_are_no_500(manager: Client, part: str) -> None:
    body = f'--x\r\nContent-Disposition: form-data; name="files"; {part}\r\n\r\nabc\r\n--x--\r\n'
    for address in (reverse("import_create", args=["tea", "documents"]), reverse("api_imports", args=["tea"])):
        assert manager.generic("POST", address, body, content_type=MULTIPART).status_code < 500


@pytest.mark.parametrize(
    "name", [django_settings.SESSION_COOKIE_NAME, django_settings.CSRF_COOKIE_NAME, "litmus_theme", "messages"]
)
def test_cookies_that_hold_them_count_as_none(world: World, name: str) -> None:
    client = Client(raise_request_exception=False, headers={"cookie": f'{name}="' + r"\000" * 32 + '"'})
    assert client.get("/accounts/login/").status_code == 200
    assert client.get("/collections/").status_code == 302


def test_a_labelling_script_reads_why(world: World, client: Client) -> None:
    client.force_login(world.members[Role.ANNOTATOR].user)
    address = reverse("submission_create", args=["tea", "main"])
    answer = client.post(address, r'{"submissions": [{"note": "a\u0000b"}]}', content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
    assert "U+0000" in answer.json()["detail"]
    assert not Submission.objects.exists()


VALUES = st.recursive(
    st.none() | st.integers() | st.text(st.characters(codec=None), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec=None), max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_a_json_body_is_refused_exactly_if_a_text_in_it_cannot_be_stored(value: object) -> None:
    refusal = ""
    try:
        check_json(json.dumps(value).encode())
    except BadRequest as error:
        refusal = str(error)
    assert bool(refusal) == bool(re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]", "".join(_strings(value))))


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _strings(part)]
    if isinstance(value, list):
        return [text for part in value for text in [*_strings(part), " "]]
    return [value, " "] if isinstance(value, str) else []


@given(st.text(st.sampled_from('\\bfu00d8a"1'), max_size=30))
def test_backslashes_that_escape_nothing_pass(text: str) -> None:
    check_json(json.dumps({"formula": text}).encode())
