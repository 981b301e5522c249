"""The help of the program `litmus`: each command of ours has a task, a line and an example for each of its steps."""

import re
import shlex
from argparse import Action, _SubParsersAction
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandError, CommandParser

from litmus_ir.verbs import TASKS, Verb, verbs
from litmus_ir.words import Parser, overview, unknown

APPS = ("accounts", "corpus", "annotation", "adjudication", "config")
OURS = sorted(name for name, app in get_commands().items() if app in APPS)
LINE = 75  # characters, so that a window of a hundred columns has it


def parser_of(name: str) -> CommandParser:
    app: Any = get_commands()[name]
    return load_command_class(app, name).create_parser("litmus", name)


def steps_of(parser: CommandParser) -> set[str]:
    return {step for action in parser._actions if isinstance(action, _SubParsersAction) for step in action.choices}


def test_each_command_of_ours_is_in_a_task_with_a_line():
    found = verbs()
    assert set(found) == {*OURS, "django", "completion"}
    assert [verb.name for verb in found.values() if verb.task not in TASKS] == []
    assert [verb.name for verb in found.values() if not 0 < len(verb.line) <= LINE] == []
    assert overview().count("\n") < 130


@pytest.mark.parametrize("name", OURS)
def test_its_examples_are_understood_and_each_step_has_one(name: str):
    parser, examples = parser_of(name), verbs()[name].examples
    assert examples
    for example in examples:
        first, *words = shlex.split(example)
        assert first == name
        try:
            parser.parse_args(words)
        except CommandError as error:
            pytest.fail(f"{example}: {error}")
    assert steps_of(parser) <= {word for example in examples for word in shlex.split(example)}


def actions_of(parser: CommandParser) -> Iterator[Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, _SubParsersAction):
            for step in action.choices.values():
                yield from actions_of(step)


@pytest.mark.parametrize("name", OURS)
def test_its_help_says_what_each_argument_is_or_which_words_it_takes(name: str):
    assert [action.dest for action in actions_of(parser_of(name)) if not action.help and not action.choices] == []


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are parsed as `litmus` has them parsed."""
    monkeypatch.setattr("django.core.management.base.CommandParser", Parser)


@pytest.mark.usefixtures("ours")
def test_help_begins_with_the_example_and_a_step_has_its_own():
    assert parser_of("export").format_help().startswith("Example:\n  litmus export demo --format qrels ")
    assert "--pythonpath" not in parser_of("export").format_help()
    [steps] = [action.choices for action in parser_of("prompts")._actions if isinstance(action, _SubParsersAction)]
    assert steps["show"].format_help().startswith("Example:\n  litmus prompts demo show strict\n\n")


@pytest.mark.usefixtures("ours")
@pytest.mark.parametrize(
    ("command", "words", "meant"),
    [
        ("export", ["demo", "--format", "qrel"], "qrels"),
        ("export", ["demo", "--format", "qrels", "--campain", "x"], "--campaign"),
        ("prompts", ["demo", "shwo", "x"], "show"),
    ],
)
def test_what_may_have_been_meant_is_named(command: str, words: list[str], meant: str):
    with pytest.raises(CommandError, match=f"Did you mean {meant}"):
        parser_of(command).parse_args(words)


@pytest.mark.usefixtures("ours")
def test_only_the_program_says_its_version():
    """`--version 1` of a release printed that of Litmus, and the release was not made."""
    with pytest.raises(CommandError, match="unrecognized arguments: --version 1"):
        parser_of("release").parse_args(["demo", "first", "--version", "1"])


@pytest.mark.parametrize(
    ("word", "meant"),
    [("exprot", "export"), ("import-document", "import_documents"), ("topics", "import_topics"), ("xyzzy", "")],
)
def test_an_unknown_command_suggests_the_nearest(word: str, meant: str):
    said = unknown(word)
    assert f"there is no command {word}." in said
    assert (f"Did you mean {meant}" in said) if meant else ("mean" not in said)


def test_a_verb_is_read_as_it_is_said():
    assert verbs()["delete_split"] == Verb("delete_split", "Prepare", "Delete a split", ("delete_split demo dev-test",))


def test_each_command_of_ours_has_json():
    assert [name for name in OURS if "--json" not in parser_of(name).format_help()] == []


@pytest.mark.usefixtures("ours")
def test_no_help_names_a_column_of_the_database():
    """`change_cutoffs --help` asked for “slug pk”, where it had been “slug run”."""
    assert [name for name in OURS if re.search(r"\bpk\b", parser_of(name).format_help())] == []
