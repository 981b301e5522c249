"""What the program `litmus` can do: read from the texts of the commands, so that its help loads none of them."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from litmus_ir.place import APP

TASKS = ("Start", "Bring in", "Prepare", "Judge", "Agree and decide", "Evaluate", "Publish", "Look after")
# From an empty folder to a release: these come first in their task, in this order.
ROAD = (
    "up", "create_user", "create_collection", "invite_people", "import_documents", "import_topics", "import_runs",
    "build_pools", "create_campaign", "add_annotators", "assign", "open_campaign", "agreement", "adjudicate",
    "evaluate", "export", "release",
)  # fmt: skip
PLACES = ("*/*/commands.py", "*/*/commands/*.py", "*/*/operations*.py")
OWN_FILES = "*/management/commands/*.py"  # each holds one command, which has the name of the file
SAID = ("called", "task", "example", "line", "help", "about")


@dataclass(frozen=True)
class Verb:
    """A command, the task that it belongs to, what it does in a line, and examples that work: one for each step."""

    name: str
    task: str
    line: str
    examples: tuple[str, ...]


@cache
def verbs() -> dict[str, Verb]:
    """{name: verb}, as the help shows them."""
    found = [*_own(), *(verb for place in PLACES for file in APP.glob(place) for verb in _verbs_in(file))]
    order = sorted(found, key=lambda verb: (_index(TASKS, verb.task), _index(ROAD, verb.name), verb.name))
    return {verb.name: verb for verb in order}


def _own() -> Iterator[Verb]:
    yield Verb("django", "Look after", "Run a command of Django, such as migrate or shell.", ("django migrate",))
    words = "Print the script that completes commands and options in your shell."
    yield Verb("completion", "Look after", words, ("completion bash",))
    for file in APP.glob(OWN_FILES):
        yield from _verbs_in(file, file.stem)


def _verbs_in(file: Path, name: str = "") -> Iterator[Verb]:
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        said = dict(_said(node))
        if "example" in said and (called := name or said.get("called")):
            line = said.get("line") or re.split(r"(?<=\.)\s|[:;]\s", said.get("help") or said.get("about", ""))[0]
            examples = tuple(filter(None, map(str.strip, said["example"].splitlines())))
            yield Verb(called, said["task"], line.rstrip("."), examples)


def _said(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """The texts that the body of a class, or the arguments of an operation, give to our names."""
    if isinstance(node, ast.ClassDef):
        pairs = [(each.targets[0], each.value) for each in node.body if isinstance(each, ast.Assign)]
        named = [(target.id, value) for target, value in pairs if isinstance(target, ast.Name)]
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        named = [(each.arg or "", each.value) for each in node.value.keywords]
    else:
        return
    for name, value in named:
        if name in SAID and isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield name, value.value


def _index(order: tuple[str, ...], name: str) -> int:
    return order.index(name) if name in order else len(order)
