"""A verb takes the same, under the same names, on its page, over REST and on the command line.

The verbs are in tests/doors_table.py, but those that are declared once (accounts/operations.py): see
tests/test_operations.py. A field that a door lacks stands in the table with the reason; an entry that no longer holds
fails too. A list has its name in the singular on the command line, where it is given once for each value.
"""

from argparse import SUPPRESS
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class
from rest_framework import serializers

from accounts.operations import Operation
from tests.doors import Asked, Parsed, Read, Sent, Verb
from tests.doors_table import VERBS

# What every command has, and what says where: the collection, the campaign, the thing that is changed.
FRAME = {"help", "as_json", "version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color"}
FRAME |= {"skip_checks"}
COLLECTION = ("slug",)  # the first argument of commands


def fields_of_page(verb: Verb) -> set[str]:
    names = {name for form in verb.page for name in form.base_fields}
    return {verb.other.get(name, name) for name in names} | set(verb.buttons)


def fields_of_rest(verb: Verb) -> set[str]:
    assert verb.rest
    names = verb.rest.names if isinstance(verb.rest, Asked) else _fields(verb.rest())
    return {verb.other.get(name, name) for name in names}


def _fields(shape: Any) -> Iterator[str]:
    for name, each in shape.fields.items():
        if each.read_only:
            continue
        yield name
        if isinstance(each, serializers.Serializer):
            yield from _fields(each)


def options_of(command: str) -> list[Any]:
    """Of the command or its step; former options, which are hidden, are none."""
    name, _, step = command.partition(" ")
    app: Any = get_commands()[name]
    actions: list[Any] = load_command_class(app, name).create_parser("manage.py", name)._actions
    if step:
        steps = next(action for action in actions if action.dest == "step")
        actions = steps.choices[step]._actions
    return [action for action in actions if action.help != SUPPRESS]


def fields_of_command(verb: Verb, known: Iterable[str]) -> set[str]:
    """By the names of its options; a singular that is a plural elsewhere is that field."""
    plural = {one.removesuffix("s"): one for one in known if one.endswith("s")}
    found = set()
    for action in options_of(verb.command):
        word = (action.option_strings[0].lstrip("-") if action.option_strings else action.dest).replace("-", "_")
        if action.dest not in FRAME and action.dest not in (*verb.here, *COLLECTION):
            word = verb.other.get(action.dest, verb.other.get(word, word))
            found.add(word if word in known else plural.get(word, word))
    return found


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_verb_takes_the_same_at_each_door(verb: Verb) -> None:
    doors = {"page": fields_of_page(verb)} if verb.page else {}
    doors |= {"rest": fields_of_rest(verb)} if verb.rest else {}
    doors = {door: names - set(verb.here) for door, names in doors.items()}
    if verb.command:
        doors["command"] = fields_of_command(verb, set().union(*doors.values()))
    assert len(doors) > 1
    every = set[str]().union(*doors.values())
    missing = {door: sorted(every - names) for door, names in doors.items()}
    assert missing == {door: sorted(verb.lacking.get(door, {})) for door in doors}


def defaults_of(verb: Verb) -> Iterator[tuple[str, str, str]]:
    """(field, door, what it begins with), where it begins with something that is no switch."""
    forms = [form for form in verb.page if not isinstance(form, Sent | Read | Parsed)]
    found = [(name, "page", field.initial) for form in forms for name, field in form.base_fields.items()]
    if verb.rest and not isinstance(verb.rest, Asked):
        found += [(name, "rest", field.default) for name, field in verb.rest().fields.items()]
    if verb.command:
        found += [(action.dest, "command", action.default) for action in options_of(verb.command)]
    for name, door, value in found:
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
            yield verb.other.get(name, name), door, value if isinstance(value, str) else f"{value:g}"


OTHER_DEFAULTS = {
    ("build_pools", "depth"): "0 stands for the usual one, which is 100 for searches: that is what the page begins with"
}


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_verb_begins_with_the_same_at_each_door(verb: Verb) -> None:
    """Questions were asked about 50 mentions by page, and about all of them, up to 20,000, by REST and command."""
    begins: dict[str, dict[str, set[str]]] = {}
    for name, door, value in defaults_of(verb):  # a page of several forms may begin with several
        begins.setdefault(name, {}).setdefault(door, set()).add(value)
    differing = {name for name, doors in begins.items() if not set.intersection(*doors.values())}
    assert differing == {name for command, name in OTHER_DEFAULTS if command == verb.name}


# Commands of these apps that are compared nowhere above and follow from no operation, and why.
ELSEWHERE = {
    "evaluate": "its options are the fields of the operation, and how figures are printed",
    "judge_unjudged": "of an evaluation that it names by gold and runs; page and REST are one operation",
    "verify_release": "reads a folder, which only the command line has",
    "pay_sheet": "stores nothing; page, REST and command are compared in tests/adjudication/following/test_pay.py",
    "quality": "stores nothing; page, REST and command are compared in tests/adjudication/following/test_quality.py",
    "machine_audit": "stores nothing; tests/adjudication/machine_audits/test_report.py compares page, REST and command",
    "gold_results": "stores nothing; page, REST and command are compared in tests/annotation/gold/test_results.py",
    "correct_machine_labels": "many by a file; page and REST are one operation for each label",
    "costs": "stores nothing; page, REST and command are compared in tests/adjudication/following/test_costs.py",
    "sample_size": "stores nothing; the page asks in points what the command takes as shares",
}


def is_declared_once(command: Any) -> bool:
    """Whether it follows from an operation, with the other doors."""
    return type(command).__module__ == Operation.__module__


def test_no_command_of_judging_and_deciding_is_forgotten() -> None:
    compared = {verb.command.partition(" ")[0] for verb in VERBS}
    apps: dict[str, Any] = {name: app for name, app in get_commands().items() if app in ("annotation", "adjudication")}
    commands = {name for name, app in apps.items() if not is_declared_once(load_command_class(app, name))}
    assert commands - compared == ELSEWHERE.keys()
