"""The tests that a change can reach: `python -m tests.reached [REVISIONS] [-- ARGUMENTS]` runs them with pytest.

A change reaches the modules that use a changed file: they import it, or name it in a text (a registered path, a
template, a script). It reaches the tests of their rooms, and the tests elsewhere that import such a module or name one
of its addresses or commands. Without REVISIONS, such as HEAD~3.., a change is what differs from where the branch left
main, with what is not committed. Whom a row reaches that one room writes and another reads cannot be seen in names:
a commit runs these tests, `make test` all.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, normpath

import grimp

from accounts.management.finder import SAID

ROOT = Path(__file__).resolve().parent.parent
APPS = ("engines", "accounts", "corpus", "annotation", "adjudication", "config", "litmus_ir")
EVERYTHING = (  # what reaches every test, and why
    (r"\w+/(models/.+|models\.py|migrations/.+)", "rows are everywhere"),
    (r"config/(settings|env|celery|\w*urls|apps)\.py|\w+/(urls|apps)\.py|manage\.py", "all of Litmus begins with it"),
    (
        r"tests/(factories/.+|(conftest|databases|hashers|kept_files|order|processes|scratch|__init__)\.py)",
        "tests are made with it",
    ),
    (r"templates/([^/]+|(account|accounts/templatetags|allauth)/.+)|accounts/templatetags/.+", "pages are made of it"),
    (r"pyproject\.toml|requirements.*\.txt|\.ci/.+", "it says what runs, and with which libraries"),
)
# They lead to all rooms, so that who uses them shows nothing.
SIGNPOSTS = re.compile(r"(tests|bench)\..+|\w+\.(\w*urls|apps|tabs|palette|cards|digest)")
HANDED_ON = ("campaign_kinds", "procedures")  # who asks for these hands them on to all that differ by them
SOURCES = ["tests/test_words.py", "tests/test_layers.py", "tests/test_doors.py"]  # they read all sources, or all forms
WALK = {"tests/access_table.py", "tests/access_walk.py"}  # who is made with these asks for all addresses
QUOTED = re.compile(r"""["']([^"'\n]+)["']""")
Names = dict[str, set[str]]


@dataclass(frozen=True)
class Reached:
    """Test files. `why` says which change reaches every test, where one does."""

    files: list[str]
    why: str = ""


class Checkout:
    """Who uses whom. Files go by their paths."""

    def __init__(self, root: Path = ROOT) -> None:
        folders = [name for name in (*APPS, "tests", "bench", "templates", "static") if (root / name).is_dir()]
        files = [each for name in folders for each in (root / name).rglob("*") if "__pycache__" not in each.parts]
        self.files = {str(each.relative_to(root)) for each in files if each.is_file()}
        self.path_of = {_module(each): each for each in self.files if each.endswith(".py")}
        named = [each for each in self.files if each.endswith((".py", ".html", ".txt", ".js", ".css"))]
        sources = {each: (root / each).read_text(encoding="utf-8") for each in named}
        self.texts = {each: set(QUOTED.findall(source)) for each, source in sources.items()}
        self.users: Names = defaultdict(set)
        packages = [name for name in folders if name not in ("templates", "static")]
        self.graph = grimp.build_graph(*packages, cache_dir=None, exclude_type_checking_imports=True)
        for module, path in self.path_of.items():
            for used in self.graph.find_modules_directly_imported_by(module) if module in self.graph.modules else ():
                self.users[self.path_of[used]].add(path)
        for path, texts in self.texts.items():
            tags = {tag for line in re.findall(r"{% load ([\w ]+)", sources[path]) for tag in line.split()}
            for used in filter(None, (*(self._named(text, path) for text in texts), *map(self._tags, tags))):
                self.users[used] |= {path} - {used}
        self.askers = self._askers()
        self.doors = dict(self._doors(sources))
        asks = re.compile(r"call_command|manage\.py|reverse|resolve_url|access_table")
        self.callers = {path for path in self.texts if asks.search(sources[path])}

    def _named(self, text: str, by: str) -> str | None:
        """The file that a text in a file leads to: a template, a script, a sheet, or a module by its dotted path."""
        if "/" in text:
            places = (f"templates/{text}", f"static/{text}", normpath(f"{dirname(by)}/{text}"))
            return next((place for place in places if place in self.files), None)
        name = text.partition(":")[0] if text.startswith(tuple(f"{app}." for app in APPS)) else ""
        while name and name not in self.path_of:
            name = name.rpartition(".")[0]
        return self.path_of.get(name)

    def _tags(self, name: str) -> str | None:
        found = (self.path_of.get(f"{app}.templatetags.{name}") for app in APPS)
        return next(filter(None, found), None)

    def _askers(self) -> Names:
        """Who asks for what an AppConfig registers: {registered file: files that name the point it stands under}."""
        found: Names = defaultdict(set)
        for path in (f"{app}/apps.py" for app in APPS if f"{app}/apps.py" in self.files):
            for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
                if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)):
                    continue
                point = node.targets[0].id
                asking = {by for by, texts in self.texts.items() if point in texts and not _leads_everywhere(by)}
                for registered in (self._named(value.value, path) for value in node.value.values):
                    (self.users if point in HANDED_ON else found)[registered] |= asking
        return found

    def _doors(self, sources: dict[str, str]) -> Iterator[tuple[str, str]]:
        """Pairs of the name of an address, or `command NAME`, and the file behind it."""
        for module, path in self.path_of.items():
            if ".management.commands." in module:
                yield f"command {module.rpartition('.')[2]}", path
            if not path.startswith("tests/"):
                yield from ((f"command {name}", path) for name in SAID.findall(sources[path]))
            if not re.fullmatch(r"\w+/\w*urls\.py", path):
                continue
            views = {
                each.asname or each.name: self.path_of.get(f"{node.module}.{each.name}")
                or self.path_of.get(node.module)
                for node in ast.walk(ast.parse(sources[path]))
                if isinstance(node, ast.ImportFrom)
                for each in node.names
            }
            behind = None  # the view that was named last: its name follows, where it is another than the function's
            for name, view, attribute in re.findall(r'"(\w+)",?\s*\)|\b(\w+)(?:\.(\w+))?', sources[path]):
                behind = views.get(view, behind)
                if behind and (name or (view in views and attribute)):
                    yield name or attribute, behind

    def used(self, changed: Iterable[str]) -> set[str]:
        """The changed files and what uses them. What is registered reaches those that ask for it, and no further."""
        found, waiting = set(), list(changed)
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += [user for user in self.users[each] if not _leads_everywhere(user)]
        return found | {asker for each in found for asker in self.askers[each]}

    def tests(self, changed: Iterable[str]) -> Reached:
        """The tests that a change of these files reaches."""
        changed = set(changed)
        every = sorted(path for path in self.path_of.values() if Path(path).name.startswith("test_"))
        for path in sorted(changed):
            for pattern, why in EVERYTHING:
                if re.fullmatch(pattern, path):
                    return Reached(every, f"{path}: {why}")
        folders = {dirname(path) for path in changed if path.startswith(APPS) and not path.endswith(".py")}
        near = {path for path in self.path_of.values() if dirname(path) in folders}  # they read it: a text, a setting
        used = self.used(changed | near)
        # What is in config uses every room, and is tested module by module.
        rooms = {_room(path) for path in used if path in changed or not path.startswith("config/")}
        return Reached([path for path in every if self._is_reached(path, changed, used, rooms)])

    def _is_reached(self, test: str, changed: set[str], used: set[str], rooms: set[str]) -> bool:
        above = self.graph.find_upstream_modules(_module(test))
        parts = {self.path_of[each] for each in above if each.startswith("tests.")} | {test}
        made_with = {part for part in parts if not part.startswith("tests/factories/")}
        texts = {text for part in made_with for text in self.texts[part]}
        names = {text for part in made_with & self.callers for text in self.texts[part]}
        return bool(
            parts & changed
            or changed & {f"{folder}/conftest.py" for folder in (dirname(test), dirname(dirname(test)))}
            or test in SOURCES
            or (made_with & WALK and any(path.startswith((*APPS, "templates/")) for path in used))
            or dirname(test).removeprefix("tests/") in rooms | {room.partition("/")[0] for room in rooms}
            or any(self.users[each] & made_with for each in used)
            or used & {self.doors.get(door) for text in names for door in (text, f"command {text.split(' ')[0]}")}
            or texts & {name for path in changed for name in _names(path)}
            or (test.startswith("tests/browser/") and rooms & self._rooms_shown(parts))
        )

    def _rooms_shown(self, parts: set[str]) -> set[str]:
        """Rooms whose pages a test in the browser may show: those it makes rows with. It names few of its pages."""
        made_with = {path for path in self.path_of.values() if self.users[path] & parts and "/models/" not in path}
        return {"static", *map(_room, made_with)} - {"accounts", ""}


def _leads_everywhere(path: str) -> bool:
    return bool(SIGNPOSTS.fullmatch(_module(path)))


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _room(path: str) -> str:
    """The folder with the tests of a file, from tests/: corpus/topics, accounts; `static` for what pages share."""
    inner = re.sub(r"^(templates/|static/(css|js)/)", "", path)
    app, _, rest = inner.removesuffix(".py").partition("/")
    if app in ("accounts", "config"):
        return app
    if app not in APPS:
        return path.partition("/")[0] if path.startswith("static/") else ""
    return f"{app}/{re.split('[/.]', rest)[0]}"


def _names(path: str) -> set[str]:
    """What a test that reads a file calls it. Some read all files of a folder."""
    folders = {part for part in Path(path).parts[:-1] if path.startswith("docs/") or part in ("templates", "static")}
    data = {Path(path).parent.name} if path.startswith("tests/") and not path.endswith(".py") else set()
    return {path, Path(path).name} | folders | data


def changed_files(revisions: list[str]) -> set[str]:
    """The files that differ: from where the branch left main until now, or between revisions."""

    def lines(*words: str) -> list[str]:
        asked = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
        return asked.stdout.splitlines()

    if revisions:
        return set(lines("diff", "--name-only", "--no-renames", *revisions))
    base = [*lines("merge-base", "HEAD", "main"), *lines("merge-base", "HEAD", "origin/main"), "HEAD"][0]
    untracked = lines("ls-files", "--others", "--exclude-standard")
    return {*lines("diff", "--name-only", "--no-renames", base), *untracked}


def main(words: list[str]) -> int:
    """Say what is reached and run it. The exit code is that of pytest, and 0 where nothing has changed."""
    revisions, passed_on = (
        (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    )
    changed = changed_files(revisions)
    if not changed:
        sys.stdout.write("Nothing has changed.\n")
        return 0
    reached = Checkout().tests(changed)
    every = f"all {len(reached.files)}" if reached.why else f"{len(reached.files)}"
    sys.stdout.write(f"{len(changed)} changed files reach {every} modules of tests. {reached.why}".strip() + "\n")
    sys.stdout.flush()
    files = ["tests"] if reached.why else reached.files
    command = [sys.executable, "-m", "pytest", *passed_on, *files]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
