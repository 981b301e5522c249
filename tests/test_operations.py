"""A verb that is declared once does the same by page, by REST and by command: takes the same fields, refuses the same,
records the same. Who may do it is in tests/access_table.py.

Every operation has an example; a field without a value in its example, or a value without a field, fails.
"""

import importlib
import io
import json
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator
from pytest_django import DjangoDbBlocker

from accounts.models import AuditEvent
from accounts.operations import Operation
from corpus.models import Collection, Role
from tests.access_walk import ADDRESSES
from tests.factories.accounts import MembershipFactory, UserFactory
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
    assert EXAMPLES.keys() == VERBS.keys()
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
        assert set(taken) == fields | (dry if fields else set())
        assert all("description" in each or "$ref" in each for each in taken.values()), taken
    if name in COMMANDS:
        command = load_command_class(get_commands()[COMMANDS[name]], COMMANDS[name])
        parser = command.create_parser("manage.py", COMMANDS[name])
        options = {action.dest: action for action in parser._actions}
        assert set(options) >= fields | dry | set(verb.place.arguments)
        assert all(options[each].help for each in fields)
        assert parser.description == verb.about


Done = tuple[bool, list[tuple[str, Any]]]  # whether it was done, and what was recorded: verbs with their data


class Doors:
    """One world, in which a verb is done by each door and taken back."""

    def __init__(self, name: str) -> None:
        self.name, self.verb, self.example = name, VERBS[name], EXAMPLES[name]
        self.where = dict(self.example.make())
        self.refusals: list[str] = []
        self.client = Client()
        if "slug" in self.where:
            collection = Collection.objects.get(slug=self.where["slug"])
            self.client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        else:  # of the installation
            self.client.force_login(UserFactory(is_staff=True))

    def doors(self) -> Iterator[Callable[[Mapping[str, Any]], bool]]:
        if self.name in PAGES:
            yield self.by_page
        if self.name in METHODS:
            yield self.by_rest
        if self.name in COMMANDS:
            yield self.by_command

    def take_back(self, door: Callable[[Mapping[str, Any]], bool], given: Mapping[str, Any]) -> Done:
        with override_settings(**self.example.settings), transaction.atomic():
            before = AuditEvent.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
            is_done = door(given)
            events = AuditEvent.objects.filter(pk__gt=before).order_by("pk").values_list("verb", "data")
            found = is_done and bool(events), list(events)
            transaction.set_rollback(True)
        return found

    def address(self, name: str) -> str:
        wanted = ADDRESSES[name].pattern.regex.groupindex
        return reverse(name, kwargs={each: self.where[each] for each in self.where if each in wanted or each == "slug"})

    def by_page(self, given: Mapping[str, Any]) -> bool:
        """A page that only leads back has a message for who sees the next one; it has recorded nothing.

        One that shows a secret once answers itself.
        """
        found = self.verb.place.command(**{name: self.where[name] for name in self.verb.place.arguments})
        data = dict(self.verb.fill(found, given).data.lists())
        answer = self.client.post(self.address(PAGES[self.name]), data)
        assert answer.status_code in (200, 302, 422), answer.content
        return answer.status_code != 422

    def by_rest(self, given: Mapping[str, Any]) -> bool:
        address, method = METHODS[self.name]
        send = getattr(self.client, method)
        answer = send(self.address(address), json.dumps(given), content_type="application/json")
        assert answer.status_code in (200, 201, 202, 204, 400, 409, 422), answer.content
        if answer.status_code >= 400:
            self.refusals.append(answer.text)
        return bool(answer.status_code < 300)

    def by_command(self, given: Mapping[str, Any]) -> bool:
        words = [str(self.where[name]) for name in self.verb.place.arguments]
        for name in self.verb.named:
            words.append(str(given[name]))
        for name, value in given.items():
            if name in self.verb.named or value in ([], None):
                continue
            flag = f"--{name.replace('_', '-')}"
            if isinstance(value, bool):
                initial = self.verb.form.base_fields[name].initial
                words += [flag] * value if not initial else [flag if value else flag.replace("--", "--no-", 1)]
                continue
            said = self.example.words.get(name, value) if value == self.example.given.get(name) else value
            if isinstance(said, dict):
                said = [f"{key}={each}" for key, each in said.items()]
            words += [flag, *map(str, said if isinstance(said, list) else [said])]
        try:
            call_command(COMMANDS[self.name], *words, stdout=io.StringIO(), stderr=io.StringIO())
        except CommandError as error:
            self.refusals.append(str(error))
            return False
        return True


@pytest.fixture(scope="module", params=VERBS)
def doors(module_db: None, request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker) -> Iterator[Doors]:
    """The doors of a verb in its world, which is made once: what a test does in it is taken back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield Doors(request.param)
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_a_verb_records_the_same_at_each_door(doors: Doors) -> None:
    name = doors.name
    found = {door.__name__: doors.take_back(door, EXAMPLES[name].given) for door in doors.doors()}
    assert found
    assert {is_done for is_done, _ in found.values()} == {True}, (found, doors.refusals)
    recorded = [events for _, events in found.values()]
    assert recorded[0][0][0] == (EXAMPLES[name].audits or name)
    assert all(events[0] == recorded[0][0] for events in recorded), found


@pytest.mark.django_db
def test_a_verb_refuses_the_same_at_each_door(doors: Doors) -> None:
    """And records nothing."""
    for field, value in doors.example.wrong.items():
        given = {**doors.example.given, field: value}
        found = {door.__name__: doors.take_back(door, given) for door in doors.doors()}
        assert all(done == (False, []) for done in found.values()), (field, found)
