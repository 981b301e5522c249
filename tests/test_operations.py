"""A verb that is declared once does the same by page, by REST and by command: takes the same fields, refuses the same
in the same words, records the same, says and shows the same of it, and only foresees where it is asked to. So the tests
of a room try its verbs by one door. Who may do it is in tests/access_table.py.

Every operation has an example; a field without a value in its example, or a value without a field, fails.
"""

import importlib
import io
import json
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.contrib.messages import ERROR, get_messages
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator
from pytest_django import DjangoDbBlocker

from accounts.models import AuditEvent
from accounts.operations import Operation
from accounts.rest_fields import Spelled
from corpus.models import Collection, Role
from tests.access_walk import ADDRESSES
from tests.factories.accounts import AT, MembershipFactory, UserFactory
from tests.operation_examples import EXAMPLES

APPS = ("accounts", "corpus", "annotation", "adjudication")
WRITING = ("post", "put", "patch", "delete")


def declared() -> Iterator[Operation]:
    """Every operation of a module named operations."""
    for app in APPS:
        for module in pkgutil.walk_packages(importlib.import_module(app).__path__, f"{app}."):
            if module.name.endswith(".operations") and module.name != "accounts.operations":
                values = vars(importlib.import_module(module.name)).values()
                yield from (each for each in values if isinstance(each, Operation))


VERBS = {each.action.__name__: each for each in declared()}
PAGES = {line.callback.verb.action.__name__: name for name, line in ADDRESSES.items() if hasattr(line.callback, "verb")}
METHODS = {
    answer.verb.action.__name__: (name, method)
    for name, line in ADDRESSES.items()
    for method in WRITING
    if hasattr(answer := getattr(getattr(line.callback, "cls", None), method, None), "verb")
}
COMMANDS = {
    command.verb.action.__name__: name
    for name, app in get_commands().items()
    if app in APPS and hasattr(command := load_command_class(app, name), "verb")
}
each_verb = pytest.mark.parametrize("name", VERBS)


def test_each_verb_has_an_example_and_two_doors() -> None:
    """Its declaration says whether REST and a command have it."""
    assert EXAMPLES.keys() == VERBS.keys()
    assert {name for name, verb in VERBS.items() if verb.rest.name} == METHODS.keys()
    assert {name for name, verb in VERBS.items() if verb.called} <= COMMANDS.keys()
    for name in VERBS:
        assert (name in PAGES) + (name in METHODS) + (name in COMMANDS) >= 2 or name in PAGES, name


@pytest.fixture(scope="module")
def described() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """By verb: what the API's description says of its method, and the fields that it takes."""
    generator = SchemaGenerator()
    schema: Any = generator.get_schema(public=True)
    found = {}
    for path, _, method, view in generator.endpoints:
        if verb := getattr(getattr(view.cls, method.lower(), None), "verb", None):
            words = schema["paths"][path.replace("{pk}", "{id}")][method.lower()]
            content = words.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            known = content.get("$ref", "").rpartition("/")[2]
            found[verb.action.__name__] = words, schema["components"]["schemas"].get(known, {}).get("properties", {})
    return found


@each_verb
def test_the_fields_of_a_verb_are_the_same_at_its_doors_and_described(name: str, described: Any) -> None:
    verb = VERBS[name]
    fields = set(verb.form.base_fields)
    assert set(EXAMPLES[name].given) == fields
    dry = {"dry_run"} if verb.has_dry_run else set()
    if name in METHODS:
        words, taken = described[name]
        assert words["description"].startswith(f"{verb.about}\n\nScope of the token: ")
        assert set(taken) == fields | dry
        assert all("description" in each or "$ref" in each for each in taken.values()), taken
    if name in COMMANDS:
        command = load_command_class(get_commands()[COMMANDS[name]], COMMANDS[name])
        parser = command.create_parser("manage.py", COMMANDS[name])
        options = {action.dest: action for action in parser._actions}
        assert set(options) >= fields | dry | set(verb.place.arguments)
        assert all(options[each].help for each in fields)
        assert parser.description == verb.about


@dataclass(frozen=True)
class Answer:
    """What a door answers: `words` are for people, of what was done or why not, `shown` is for programs."""

    is_done: bool
    words: str | None = None
    shown: Any = None


@dataclass(frozen=True)
class Done:
    """What came of it, and what was recorded: verbs with their data."""

    answer: Answer
    events: list[tuple[str, Any]]


Door = Callable[[Mapping[str, Any]], Answer]
VARYING = {"id", "message", "seconds", "secret", "timestamp", "former_until"}  # of a row, and of the moment
SECONDS = re.compile(r"[0-9.]+ s\b")


def settled(shown: Any) -> Any:
    """Without what differs each time that it is done."""
    if isinstance(shown, str):
        return SECONDS.sub("…", shown)
    if isinstance(shown, list):
        return [settled(each) for each in shown]
    if isinstance(shown, dict):
        return {name: settled(each) for name, each in shown.items() if name not in VARYING and not name.endswith("_at")}
    return shown


class Doors:
    """One world, in which a verb is done by each door and taken back."""

    def __init__(self, name: str) -> None:
        self.name, self.verb, self.example = name, VERBS[name], EXAMPLES[name]
        self.where = dict(self.example.make())
        self.client = Client()
        if "slug" in self.where:
            collection = Collection.objects.get(slug=self.where["slug"])
            self.client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        else:  # of the installation
            self.client.force_login(UserFactory(is_staff=True))

    def doors(self) -> dict[str, Door]:
        found = {"page": (self.by_page, PAGES), "rest": (self.by_rest, METHODS), "command": (self.by_command, COMMANDS)}
        return {name: door for name, (door, verbs) in found.items() if self.name in verbs}

    def done(self, given: Mapping[str, Any], *without: str) -> dict[str, Done]:
        """By each door but some."""
        return {name: self.take_back(door, given) for name, door in self.doors().items() if name not in without}

    def take_back(self, door: Door, given: Mapping[str, Any]) -> Done:
        with override_settings(**self.example.settings), transaction.atomic():
            before = AuditEvent.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
            answer = door(given)
            events = AuditEvent.objects.filter(pk__gt=before).order_by("pk").values_list("verb", "data")
            found = Done(answer, list(events))
            transaction.set_rollback(True)
        return found

    def address(self, name: str) -> str:
        wanted = ADDRESSES[name].pattern.regex.groupindex
        return reverse(name, kwargs={each: self.where[each] for each in self.where if each in wanted or each == "slug"})

    def by_page(self, given: Mapping[str, Any]) -> Answer:
        """Its words are those on the next page; a secret that is shown once, in the answer itself, has none."""
        fields, data = self.verb.form.base_fields, {}
        for name, value in given.items():
            typed = fields[name].text_of(value) if isinstance(fields[name], Spelled) and value else value
            if typed is not None and typed is not False:
                data[name] = "on" if typed is True else typed
        answer = self.client.post(self.address(PAGES[self.name]), data)
        assert answer.status_code in (200, 302, 409, 422), answer.content
        said = list(get_messages(answer.wsgi_request))
        self.client.cookies.pop(settings.MESSAGES_COOKIE_NAME, None)
        if answer.status_code >= 400:
            return Answer(False, unescape(answer.text))
        is_done = all(each.level < ERROR for each in said)
        return Answer(is_done, " ".join(map(str, said)) if answer.status_code == 302 else None)

    def by_rest(self, given: Mapping[str, Any]) -> Answer:
        address, method = METHODS[self.name]
        send = getattr(self.client, method)
        answer = send(self.address(address), json.dumps(given), content_type="application/json")
        assert answer.status_code in (200, 201, 202, 204, 400, 409, 422), answer.content
        shown = answer.json() if answer.content else None
        is_done = answer.status_code < 300
        return Answer(is_done, None if is_done else shown["detail"], shown)

    def by_command(self, given: Mapping[str, Any]) -> Answer:
        words = [str(self.where[name]) for name in self.verb.place.arguments]
        for name in self.verb.named:
            words.append(str(given[name]))
        for name, value in given.items():
            if name in self.verb.named or value in ([], None):
                continue
            flag = f"--{name.replace('_', '-')}"
            if isinstance(value, bool):
                initial = getattr(self.verb.form.base_fields.get(name), "initial", None)
                words += [flag] * value if not initial else [flag if value else flag.replace("--", "--no-", 1)]
                continue
            said = self.example.words.get(name, value) if value == self.example.given.get(name) else value
            if isinstance(said, dict):
                said = [f"{key}={each}" for key, each in said.items()]
            words += [flag, *map(str, said if isinstance(said, list) else [said])]
        shown, said = io.StringIO(), io.StringIO()
        try:
            call_command(COMMANDS[self.name], *words, "--json", stdout=shown, stderr=said)
        except CommandError as error:
            return Answer(False, str(error))
        return Answer(True, said.getvalue().strip(), json.loads(shown.getvalue()))


@pytest.fixture(scope="module", params=VERBS)
def doors(module_db: None, request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker) -> Iterator[Doors]:
    """The doors of a verb in its world, which is made once: what a test does in it is taken back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield Doors(request.param)
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_a_verb_records_says_and_shows_the_same_at_each_door(doors: Doors, described: Any) -> None:
    """A command that does a job at once has more to say of it."""
    name = doors.name
    found = doors.done(EXAMPLES[name].given)
    assert {door for door, each in found.items() if not each.answer.is_done} == set(), found
    recorded = [each.events for each in found.values()]
    assert recorded[0][0][0] == (EXAMPLES[name].audits or name)
    assert all(events[0] == recorded[0][0] for events in recorded), found
    if "command" in found and not doors.verb.finished:
        command = found["command"].answer
        if "page" in found and (words := found["page"].answer.words) is not None:
            assert settled(words) == settled(command.words)
        if "rest" in found and found["rest"].answer.shown is not None:
            assert settled(found["rest"].answer.shown) == settled(command.shown)
    if doors.verb.has_dry_run:
        for door, each in doors.done({**doors.example.given, "dry_run": True}, "page").items():
            assert (each.answer.is_done, each.events) == (True, []), door
            assert settled(each.answer.shown) == settled(found[door].answer.shown)


@pytest.mark.django_db
def test_a_verb_refuses_the_same_at_each_door(doors: Doors) -> None:
    """In the same words, where it is the action or the form that refuses; it records nothing. REST names the field."""
    for field, value in doors.example.wrong.items():
        found = doors.done({**doors.example.given, field: value})
        assert not any(each.answer.is_done or each.events for each in found.values()), (field, found)
        answers = {door: each.answer for door, each in found.items()}
        if "rest" in answers:
            reason = answers.pop("rest")
            if reason.shown.get("errors"):
                assert {name.partition(".")[0] for name in reason.shown["errors"]} == {field}
            else:
                words = reason.words.splitlines()[0]  # how findings are mended, below it, differs by door
                assert {door: each.words for door, each in answers.items() if words not in each.words} == {}


IN_THE_ARCHIVE = {"archive_collection", "reopen_collection", "request_removal", "withdraw_consent"}


@pytest.mark.django_db
def test_a_verb_changes_no_archived_collection(doors: Doors) -> None:
    """By its action, which is asked by the command where there is one: pages and REST are refused before it."""
    if "slug" not in doors.where or doors.name in IN_THE_ARCHIVE:
        return
    Collection.objects.filter(slug=doors.where["slug"]).update(archived_at=AT)
    door = list(doors.doors().values())[-1]
    done = doors.take_back(door, doors.example.given)
    assert (done.answer.is_done, done.events) == (False, [])
    assert "is archived, so it can be read but not changed" in (done.answer.words or "")
