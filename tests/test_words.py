"""Words that do not belong: shell commands in pages and messages, and words that hide what a thing is in any source."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
APPS = ("accounts", "corpus", "annotation", "adjudication", "config")
# What only operators read: commands themselves, starting, probes, and words that commands alone raise.
OPERATORS = (
    "/commands",
    "/management/",
    "config/embedded/",
    "config/backups.py",
    "config/env.py",
    "config/health.py",
    "config/outside.py",
    "config/preparation.py",
    "config/settings.py",
    "config/supervisor.py",
    "config/tables.py",
    "/migrations/",
)
SHELL = re.compile(r"manage\.py|(?<![\w-])--[a-z][a-z-]+|\b(?:pip|apt|npm|make) install\b")
# collection_with, as its docstring says; the arguments of a kind's command; what `adjudicate` prints.
FOR_COMMANDS = {
    "corpus/collections/reads/collections.py",
    "annotation/kinds/rubric/choosing.py",
    "adjudication/procedures/votes.py",
}


def words_of(path: Path) -> Iterator[str]:
    """String constants of a module but its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


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
    comments = re.compile(r"{#.*?#}|{% comment %}.*?{% endcomment %}|<!--.*?-->", re.DOTALL)
    texts = {path: comments.sub("", path.read_text(encoding="utf-8")) for path in pages}
    assert len(texts) > 200
    assert not [(path.name, match[0]) for path, text in texts.items() if (match := SHELL.search(text))]


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
    "corpus/questions/actions/generation.py": {"unread"},
    "corpus/questions/jobs/generation.py": {"unread"},
    "tests/corpus/questions/test_generation.py": {"unread"},
    "docs/adr/0012-paid-answers.md": {"unread"},
    "tests/corpus/pdf/layouts.py": {"told"},
}
SOURCES = ("*.py", "*.html", "*.js", "*.css", "*.md", "*.toml", "Makefile")
OTHERS = ("/migrations/", "config/demo/", "tests/test_words.py")  # history, texts of the demo, this list


def test_no_name_or_sentence_uses_an_obscure_word() -> None:
    listed = subprocess.run(["git", "ls-files", "-z", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=False)
    names = [name for name in listed.stdout.split("\0") if name and not any(part in name for part in OTHERS)]
    if not names:
        pytest.skip("the list of sources comes from Git")
    found = [
        f"{name}:{number}: {match[0]}"
        for name in names
        if (ROOT / name).is_file()
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1)
        for match in OBSCURE.finditer(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", line))
        if match[0].lower() not in RIGHT.get(name, ())
    ]
    assert len(names) > 1000
    assert not found
