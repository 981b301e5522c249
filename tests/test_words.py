"""Words that do not belong: shell commands in pages and messages, and words that hide what a thing is in any source."""

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
APPS = ("engines", "accounts", "corpus", "annotation", "adjudication", "config")
# What only operators read: commands themselves, starting, probes, and words that commands alone raise.
OPERATORS = (
    "/commands",
    "/management/",
    "config/embedded/",
    "config/backups.py",
    "config/units.py",
    "config/variables.py",
    "config/env.py",
    "config/watching/health.py",
    "config/outside.py",
    "config/preparation.py",
    "config/settings.py",
    "config/supervisor.py",
    "config/tables.py",
    "/migrations/",
)
SHELL = re.compile(r"manage\.py|(?<![\w-])--[a-z][a-z-]+|\b(?:pip|apt|npm|make) install\b")
COMMENTS = re.compile(r"{#.*?#}|{% comment %}.*?{% endcomment %}|<!--.*?-->", re.DOTALL)
# What is said at the command line alone; collection_with, as its docstring says; the arguments of kinds' commands; what
# `adjudicate` advises; commands of the
# Hub, which managers type on their own computers.
FOR_COMMANDS = {
    "accounts/doors.py",
    "accounts/first_account.py",
    "accounts/operations.py",
    "corpus/collections/collections.py",
    "annotation/kinds/relevance/choosing.py",
    "annotation/kinds/rubric/choosing.py",
    "adjudication/labels/too_few.py",
    "adjudication/releases/uploading.py",
}


@cache  # two tests look at all modules
def words_of(path: Path) -> tuple[str, ...]:
    """String constants of a module but its docstrings."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    said_at_the_command = {
        id(part)
        for node in nodes
        if isinstance(node, ast.keyword)
        and node.arg in ("command", "example")  # of accounts.doors.where, of an operation
        for part in ast.walk(node.value)
    }
    texts = (node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return tuple(str(node.value) for node in texts if id(node) not in docstrings | said_at_the_command)


@pytest.mark.slow
def test_no_message_names_a_shell_command() -> None:
    found = [
        (name, text[:100])
        for app in APPS
        for path in sorted((ROOT / app).rglob("*.py"))
        if not any(part in (name := str(path.relative_to(ROOT))) for part in OPERATORS) and name not in FOR_COMMANDS
        for text in words_of(path)
        if SHELL.search(text)
    ]
    assert not found


def test_no_page_names_a_shell_command() -> None:
    pages = sorted((ROOT / "templates").rglob("*.*"))
    texts = {path: COMMENTS.sub("", path.read_text(encoding="utf-8")) for path in pages}
    assert len(texts) > 200
    assert not [(path.name, match[0]) for path, text in texts.items() if (match := SHELL.search(text))]


# What pages and messages no longer say; what they say instead is in the commit that added it here: undone, reopened,
# revoked, does not work, is created, split, separated by spaces, undecided, and a percent sign next to its number.
STIFF = re.compile(
    r"take it up again|taken back|to take back|opens nothing|is there, as|\bparted\b|with blanks|judge in no open"
    r"|sure value|are to go on|a wish needs|nobody has looked|what counts of it"
    r"|you are in as|judgments are given<|too early to estimate|not here yet|go on judging|whatever its size"
    r"|lack annotators|in spite of open|the database holds that|only you know"
    r"|couples met|that are at it|may go on working|what bears the|would call none|nobody has judged at the top"
    r"|waits for you\b(?=</h)|Leave it<|Make the (?:campaign|collection|call|invitation|run)<|\d %(?![}\w])",
    re.IGNORECASE,
)


@pytest.mark.slow
def test_no_page_or_message_is_stiff() -> None:
    pages = {path: COMMENTS.sub("", path.read_text(encoding="utf-8")) for path in (ROOT / "templates").rglob("*.html")}
    messages = {path: "\n".join(words_of(path)) for app in APPS for path in (ROOT / app).rglob("*.py")}
    texts = {path: text for path, text in (pages | messages).items() if "/demo/" not in str(path)}
    assert len(texts) > 800
    assert not [(path.name, match[0]) for path, text in texts.items() if (match := STIFF.search(text))]


# Each has a plain one: reported or shown, counts, participation or screen, reason, unparsed, next to or in addition to,
# again, everyone who, anyway, automatically. Parts of names count as words.
OBSCURE = re.compile(
    r"(?<![a-z])(?:told|untold|telling|tally|tallies|hindrances?|desks?|upkeep|surroundings|unread|besides?|anew"
    r"|whoever|all the same|once less|by themselves|so (?:many|much) an?)(?![a-z])",
    re.IGNORECASE,
)
# Right there: an answer of a model that has come and is still to be read, and prose that tests read as it is.
RIGHT = {
    "corpus/models/generation.py": {"unread"},
    "corpus/questions/generation.py": {"unread"},
    "corpus/questions/asking.py": {"unread"},
    "tests/corpus/questions/test_going_on.py": {"unread"},
    "docs/adr/0012-paid-answers.md": {"unread"},
    "tests/engines/pdf/layouts.py": {"told"},
}
HUMP = re.compile("(?<=[a-z])(?=[A-Z])")  # between the words of a name
SOURCES = ("*.py", "*.html", "*.js", "*.css", "*.md", "*.toml", "Makefile")
OTHERS = ("/migrations/", "config/demo/", "tests/test_words.py")  # history, texts of the demo, this list


def test_no_text_holds_the_marks_of_an_unfinished_merge() -> None:
    marks = ["git", "grep", "-lE", "^(<{7}|>{7}) ", "--", "*.md", "*.html", "*.toml", "*.css"]  # Python would not run
    found = subprocess.run(marks, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not found.stdout


@pytest.mark.slow
def test_no_name_or_sentence_uses_an_obscure_word() -> None:
    listed = subprocess.run(["git", "ls-files", "-z", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=False)
    names = [name for name in listed.stdout.split("\0") if name and not any(part in name for part in OTHERS)]
    if not names:
        pytest.skip("the list of sources comes from Git")
    found = [
        f"{name}:{number}: {match[0]}"
        for name in names
        if (ROOT / name).is_file()
        for number, line in enumerate(HUMP.sub(" ", (ROOT / name).read_text(encoding="utf-8")).splitlines(), 1)
        for match in OBSCURE.finditer(line)
        if match[0].lower() not in RIGHT.get(name, ())
    ]
    assert len(names) > 1000
    assert not found


# What sentences say instead: invalid or out of range, should be checked, is not a name, separate or "its own", and what
# a function returns.
RIDDLES = re.compile(
    r"mak(?:e|es|ing) no sense|(?:deserves?|worth) a look|is no name\b|\w of (?:its|their|our|your) own[.,;:)\"]"
    r'|\b(?:an?|processes|threads|tables|rows|columns|servers) (?:\w+ )?of (?:its|their|our) own\b|"""The same\b',
)


@pytest.mark.slow
def test_no_sentence_is_a_riddle() -> None:
    folders = (*APPS, "docs", "templates", "static", "bench")
    paths = [path for folder in folders for kind in SOURCES for path in (ROOT / folder).rglob(kind)]
    paths += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "Makefile")]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    assert len(texts) > 1000
    found = [(name, match[0]) for name, text in texts.items() for match in RIDDLES.finditer(text)]
    frozen = (*OTHERS, "adjudication/releases/describing.py")  # a sentence of release files, which are hashed
    assert not [each for each in found if not any(part in each[0] for part in frozen)]


# What any door may show: steps of work, rules and reads. A place is named by `accounts.doors`, for its door alone.
# What only one door reads: pages and what they show, requests, commands; all else is read at every door.
ONE_DOOR = re.compile(
    r"/(?:pages|forms|api|commands|management|templatetags|migrations)[/.]"
    r"|/(?:operations|places|tabs|cards|palette|urls|middleware|apps)\.py"
)
# A 404 about a page; tokens, which only pages make; the description of the API; pages of a PDF.
ABOUT_PAGES = {
    "annotation/campaigns/rules.py",
    "accounts/authentication.py",
    "config/rest.py",
    "engines/formats/tei_format.py",
}
PLACE = re.compile(r"page “|[Rr]eload the page|\bon (?:its|the|their) page|in the list instead")
AT_DOORS = ("at_door", "where")


@pytest.mark.slow
def test_what_every_door_shows_names_no_place_of_one_door() -> None:
    found = []
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if not ONE_DOOR.search(name) and name not in ABOUT_PAGES:
                tree = ast.parse(path.read_text(encoding="utf-8"))
                found += [(name, text) for text in _texts_outside_doors(tree) if PLACE.search(text)]
    assert not found


def _texts_outside_doors(tree: ast.AST) -> list[str]:
    """Texts that are no docstrings and stand in no call that chooses by the door."""
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    chosen = {
        id(part)
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in AT_DOORS
        for part in ast.walk(call)
    }
    statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = (node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [str(node.value) for node in texts if id(node) not in chosen | statements]
