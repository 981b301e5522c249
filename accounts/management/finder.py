"""Finds our commands in the rooms: a command class, or an operation, says the name it is `called` by.

Names are found in the text of the modules, so that a command loads its own room and no other.
"""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

from django.apps import apps
from django.core import management
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand

SAID = re.compile(r'^    called ?= ?"(\w+)"', re.MULTILINE)
PLACES = ("*/commands.py", "*/commands/*.py", "*/operations*.py")  # below the folder of an app
CODE = Path(__file__).resolve().parents[2]


@cache
def commands() -> dict[str, str]:
    """{name: module} of every command that a room has. Errors: ImproperlyConfigured for a name that is said twice."""
    found: dict[str, str] = {}
    folders = [Path(app.path) for app in apps.get_app_configs()]
    for file in (file for folder in folders if folder.parent == CODE for at in PLACES for file in folder.glob(at)):
        module = ".".join(file.relative_to(CODE).with_suffix("").parts)
        for name in SAID.findall(file.read_text(encoding="utf-8")):
            if name in found:
                raise ImproperlyConfigured(f"Two commands are called {name}: in {found[name]} and in {module}.")
            found[name] = module
    return found


def load(name: str) -> BaseCommand:
    """The command of a room that is called so."""
    things = vars(import_module(commands()[name])).values()
    found = next(thing for thing in things if getattr(thing, "__dict__", {}).get("called") == name)
    return (found if isinstance(found, type) else found.command)()


def install() -> None:
    """Let Django find them as it finds those in `management/commands`: for help, `call_command` and completion."""
    names, loaded = management.get_commands, management.load_command_class
    management.get_commands = cache(lambda: names() | {name: at.partition(".")[0] for name, at in commands().items()})
    management.load_command_class = lambda app_name, name: load(name) if name in commands() else loaded(app_name, name)
