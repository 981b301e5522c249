"""The program `litmus`: the commands of Litmus by task, and those of Django behind `litmus django`.

Only here is the folder of the code put on the path. The processes that Litmus starts begin in that folder.
"""

import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from litmus_ir import completion
from litmus_ir.place import APP, IS_INSTALLED, version
from litmus_ir.verbs import verbs

DATA = "LITMUS_DATA_DIR"
PATHS = (DATA, "LITMUS_MEDIA_ROOT", "LITMUS_STATIC_ROOT", "LITMUS_INDEX_DIR")
FOLDER = "litmus-data"
BEGINNING = {
    "up",
    "create_user",
    "create_collection",
    "load_demo",
    "restore",
    "restore_collection",
    "service",
    "django",
}
HELP = {"help", "--help", "-h"}


class Wrong(Exception):
    """The command line cannot be understood, or there is no data; says why. `code` is the exit code."""

    def __init__(self, words: str, code: int) -> None:
        super().__init__(words)
        self.code = code


def main() -> int:
    """Exit code 0: done; 1: refused, or no data here; 2: wrong usage."""
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
        return code
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return wrong.code
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:  # `litmus | head` has read enough; the interpreter must not flush into it again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE


def run(words: list[str]) -> int:
    words, data = without_data(words)
    name, more = (words[0], words[1:]) if words else ("help", [])
    if name in HELP and more:  # `litmus help export`
        name, more = more[0], ["--help"]
    if name == "--version":
        print(f"litmus {version()}")
        return 0
    if name == "completion":
        return completion.script(more)
    sys.path.insert(0, str(APP))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if name == "--complete":
        print(*sorted(complete(more or [""])), sep="\n")
        return 0
    if name in HELP:
        print(overview())
        return 0
    return carry_out(name, more, data)


def overview() -> str:
    from litmus_ir import words

    return words.overview()


def without_data(words: list[str]) -> tuple[list[str], str | None]:
    """The words without --data DIR, and the folder. Errors: Wrong without one."""
    for at, word in enumerate(words):
        if word == "--data" or word.startswith("--data="):
            found = [word.partition("=")[2]] if "=" in word else words[at + 1 : at + 2]
            if not found or not found[0]:
                raise Wrong("litmus: --data needs a folder.", 2)
            return words[:at] + words[at + 1 + ("=" not in word) :], found[0]
    return words, None


def carry_out(name: str, more: list[str], data: str | None) -> int:
    name = name if name in verbs() else name.replace("-", "_")
    if name not in verbs():
        from litmus_ir.words import unknown

        raise Wrong(unknown(name), 2)
    is_help = bool({"--help", "-h"} & set(more)) and name != "django"
    with tempfile.TemporaryDirectory(prefix="litmus-") as nowhere:  # help leaves nothing in a folder
        find_data(nowhere if is_help else data, may_begin=is_help or name in BEGINNING)
        return through_django(["litmus django", *more] if name == "django" else ["litmus", name, *more])


def find_data(data: str | None, *, may_begin: bool) -> None:
    """Say to all processes where the data is. Errors: Wrong where there is none and the command does not begin any."""
    if data is not None:
        os.environ[DATA] = data
    elif IS_INSTALLED and not os.environ.get(DATA):
        os.environ[DATA] = FOLDER
        if not may_begin and not Path(FOLDER).is_dir():
            raise Wrong(
                f"litmus: there is no data in this folder ({Path.cwd() / FOLDER}). Go to the folder of `litmus up`, "
                "name the data with --data DIR, or start with `litmus up`.",
                1,
            )
    for path in PATHS:  # the processes that Litmus starts have another working directory
        if value := os.environ.get(path):
            os.environ[path] = str(Path(value).expanduser().resolve())


def through_django(arguments: list[str]) -> int:
    """Run it as `manage.py` does, but for the parser, which knows examples."""
    from django.core.management import base

    import manage
    from litmus_ir.words import Parser

    base.CommandParser = Parser  # type: ignore[misc]  # which commands and their steps are parsed by
    sys.argv = arguments
    return manage.main()


def complete(words: list[str]) -> list[str]:
    """What may follow: commands, and of a command its steps, options and choices."""
    if len(words) == 1:
        return [name for name in [*verbs(), "help"] if name.startswith(words[0])]
    if words[0] not in verbs() or words[0] in ("django", "completion"):
        return [name for name in completion.SHELLS if words[0] == "completion" and name.startswith(words[-1])]
    with tempfile.TemporaryDirectory(prefix="litmus-") as nowhere:
        find_data(nowhere, may_begin=True)
        return completion.candidates(parser_of(words[0]), words[1:])


def parser_of(name: str) -> Any:
    import django

    django.setup()
    from django.core.management import get_commands, load_command_class  # as our finder has them from here on

    return load_command_class(str(get_commands()[name]), name).create_parser("litmus", name)
