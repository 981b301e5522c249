"""What `litmus` says: its help by task, the help of a command, and what may have been meant."""

import re
import shutil
import textwrap
from argparse import SUPPRESS
from difflib import get_close_matches
from typing import Any

from django.core.management.base import CommandParser

from litmus_ir.place import version
from litmus_ir.verbs import TASKS, verbs

# What Django gives to each command works, but is not shown.
DJANGOS = {"-v", "--settings", "--pythonpath", "--traceback", "--no-color", "--force-color", "--skip-checks"}


def overview() -> str:
    """The commands by task."""
    width, found = shutil.get_terminal_size((100, 24)).columns, verbs()
    names = max(map(len, found))
    lines = [
        f"Litmus {version()}: expert labelling of retrieval test collections.",
        "",
        "  litmus up               start Litmus with the data of this folder, in litmus-data",
        "  litmus COMMAND --help   options of a command, with an example",
        "  --data DIR              with any command: use other data than this folder's",
        "  litmus example NAME DIR small files to try things on, after one of the papers: litsearch, doris-mae, acm-cr",
        "",
        "Tutorials, one for each of these: /docs/ of a running Litmus, such as http://localhost:8000/docs/",
    ]
    for task in TASKS:
        lines += ["", task]
        for verb in found.values():
            if verb.task == task:
                lines.append(
                    f"  {verb.name:<{names}}  {textwrap.shorten(verb.line, width - names - 4, placeholder=' …')}"
                )
    return "\n".join(lines)


def unknown(word: str) -> str:
    """What to say of a word that is no command."""
    found = verbs()
    near = get_close_matches(word.replace("-", "_"), found, cutoff=0.7)
    near += [name for name in found if word.lower() in name.split("_") and name not in near]
    meant = f" Did you mean {' or '.join(near[:4])}?" if near else ""
    return f"litmus: there is no command {word}.{meant} `litmus help` lists all."


class Parser(CommandParser):
    """The arguments of a command: its help begins with examples, and an unknown option brings the nearest to mind."""

    def add_argument(self, *flags: Any, **options: Any) -> Any:
        if "--version" in flags:  # `litmus release sound --version 1` is a mistake, and not asked of the program
            return None
        if DJANGOS & set(flags):
            options["help"] = SUPPRESS
        return super().add_argument(*flags, **options)

    def examples(self) -> list[str]:
        """Those of the command, or of the step."""
        name, *more = self.prog.removeprefix("litmus ").split()
        found = verbs()[name].examples if name in verbs() else ()
        return [f"litmus {each}" for each in found if not more or more[-1] in each.split()]

    def format_help(self) -> str:
        examples = self.examples()
        shown = "\n".join(["Example:", *(f"  {each}" for each in examples), "", ""]) if examples else ""
        return shown + super().format_help()

    def error(self, message: str) -> None:  # type: ignore[override]
        near: list[str] = []
        if message.startswith("unrecognized arguments"):
            flags = [flag for action in self._actions if action.help != SUPPRESS for flag in action.option_strings]
            near = [each for word in message.split() for each in get_close_matches(word.partition("=")[0], flags, 1)]
        elif found := re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message):
            near = get_close_matches(found[1], re.findall(r"[\w-]+", found[2]), 1)
        super().error(f"{message}\nDid you mean {' or '.join(near)}?" if near else message)
