"""Pages and messages are read by people who have no shell: they name no command of one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

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
