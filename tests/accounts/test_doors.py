"""What is said knows the door it is said at."""

import ast
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from accounts.doors import COMMAND, NO_DOOR, DoorMiddleware, through, where
from accounts.refusals import Refused

PLACES = {"page": "page “Splits”", "rest": "POST /api/splits/", "command": "make_split tea dev-test"}


@pytest.mark.parametrize(
    ("path", "said"),
    [("/c/tea/", "Draw one (page “Splits”)"), ("/api/collections/tea/", "Draw one (POST /api/splits/)")],
)
def test_addresses_are_doors(path: str, said: str) -> None:
    def answer(_: HttpRequest) -> HttpResponse:
        return HttpResponse(where("Draw one", **PLACES))

    assert DoorMiddleware(answer)(RequestFactory().get(path)).content.decode() == said
    assert where("Draw one", **PLACES) == "Draw one", "who has gone through no door, such as a worker, is sent nowhere"


def test_a_door_closes_behind_a_refusal() -> None:
    with through(COMMAND):
        with pytest.raises(Refused, match="no door"), through(NO_DOOR):
            raise Refused(where("no door", **PLACES))
        assert where("Draw one", **PLACES) == "Draw one (manage.py make_split tea dev-test)"
        assert where("Draw one", page="page “Splits”") == "Draw one"


def commands_named() -> Iterator[str]:
    """The command lines that advice of all apps names; "1" stands for what is known only when it is given."""
    for app in ("accounts", "corpus", "annotation", "adjudication"):
        texts = (path.read_text() for path in (Path(settings.BASE_DIR) / app).rglob("*.py"))
        for text in (each for each in texts if "where(" in each):  # every process of tests imports this module
            for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
                if isinstance(call.func, ast.Name) and call.func.id == "where":
                    yield from (text_of(each.value) for each in call.keywords if each.arg == "command")


def text_of(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):  # "… {}".format(…)
        return text_of(node.func.value).replace("{}", "1")
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "1" for part in node.values)
    assert isinstance(node, ast.Constant), ast.dump(node)
    return str(node.value)


@pytest.mark.parametrize("line", sorted(set(commands_named())))
def test_a_command_that_is_named_can_be_typed(line: str) -> None:
    """With all that it requires, in its own words: capitals are for the reader to fill in."""
    name, *words = shlex.split(line)
    app: Any = get_commands()[name]
    parser = load_command_class(app, name).create_parser("manage.py", name)
    for action in parser._actions:
        action.choices = None if "1" in words else action.choices  # one of them, known only when it is given
    parser.parse_args(words)
