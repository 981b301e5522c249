"""Commands that Markdown prints, and walking them as a reader would: in order, in one folder.

A block, indented or fenced, is one of commands if a line of it begins with the name of a program. Comments of HTML say
how its file is walked, or why a block is not run:

    <!-- road: demo -->          the demo is loaded, and you@example.org has an account; otherwise the database is empty
    <!-- road: services -->      by separate processes, with data and servers of their own
    <!-- run by: tests/x.py -->  another test runs the commands of this file
    <!-- not run: why -->        the next block is not run here

A fenced block of ```text after commands is what they print, apart from the time that they take; "…" stands for lines
that are left out.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.core.management import CommandError, call_command
from django.db import connection
from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotation.models import Rewrite
from corpus.models import ImportRun, QuestionRun, Webhook
from litmus_ir import completion
from litmus_ir.place import version
from litmus_ir.verbs import verbs
from litmus_ir.words import overview
from tests.processes import Child, free_port

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = {
    "litmus", "make", "pip", "pipx", "uv", "uvx", "hf", "docker", "systemctl", "sudo", "curl", "cp", "mv", "mkdir",
    "cd", "echo", "printf", "eval", "source", "git", "python", "python3", "manage.py", ".venv/bin/python", "alias",
    "export", "apt", "apt-get", "gunzip", "unzip", "tar", "head", "cat", "ls", "rm", "crontab", "psql", "journalctl",
}  # fmt: skip
SHELLS = {"", "sh", "bash", "console", "shell"}  # languages of fenced blocks that may be commands
HARMLESS = {"echo", "printf", "cp", "mv", "mkdir", "cat", "head", "ls", "gunzip", "unzip", "tar"}  # run by the shell
SAID = re.compile(r"<!--\s*(road|not run|run by)\s*:?\s*(.*?)\s*-->", re.DOTALL)
MARKDOWN = MarkdownIt().enable("table")
SECONDS = re.compile(r"\b\d+(\.\d+)? s\b")


@dataclass
class Block:
    """Lines of code that follow each other; `line` is the number of the first. `why` says why they are not run."""

    line: int
    language: str
    lines: list[str]
    why: str | None

    @property
    def commands(self) -> list[str]:
        """One a line, without comments; none where no line begins with the name of a program."""
        if self.language not in SHELLS:
            return []
        joined = re.sub(r"\\\n\s*", "", "\n".join(self.lines)).splitlines()
        found = [line.strip() for line in joined]
        return [each for each in found if each and not each.startswith("#")] if any(map(_begins, found)) else []


def _begins(line: str) -> bool:
    word = line.split(" ", 1)[0]
    return word in PROGRAMS or (re.fullmatch(r"[A-Z_]+=\S*", word) is not None and _begins(line.partition(" ")[2]))


@dataclass(frozen=True)
class Document:
    """A file of Markdown: its blocks, and what it says of itself."""

    path: Path
    text: str

    def said(self, word: str) -> str:
        return next((found[2] for found in SAID.finditer(self.text) if found[1] == word), "")

    @cached_property
    def tokens(self) -> list[Token]:
        return MARKDOWN.parse(self.text)

    @property
    def blocks(self) -> Iterator[Block]:
        why = None
        for token in self.tokens:
            if token.type in ("fence", "code_block"):
                yield Block((token.map or [0])[0] + 1, token.info.partition(" ")[0], token.content.splitlines(), why)
            found = SAID.search(token.content) if token.type == "html_block" else None
            why = found[2] if found and found[1] == "not run" else None

    @property
    def inline(self) -> Iterator[str]:
        """Commands of ours within sentences and tables, without the name of the program."""
        codes = [child for token in self.tokens for child in token.children or () if child.type == "code_inline"]
        for code in (child.content for child in codes):
            name = code.removeprefix("litmus ").partition(" ")
            if code.startswith(("manage.py ", "litmus ")) or (name[2] and name[0] in verbs()):
                yield re.sub(r"^--data \S+ ", "", code.removeprefix("litmus "))


def documents() -> list[Document]:
    names = ["README.md", "CONTRIBUTING.md", *sorted(str(each.relative_to(ROOT)) for each in ROOT.glob("docs/**/*.md"))]
    found = [Document(Path(name), (ROOT / name).read_text("utf-8")) for name in names if "docs/adr/" not in name]
    return [each for each in found if any(block.commands for block in each.blocks) or any(each.inline)]


# They would stop, start or empty the servers of this run of tests: a road with services runs them.
OF_SERVICES = {"up", "down", "open", "restore", "backup", "move_files", "prepare", "load_demo", "remove_demo"}


def numbers_from_one() -> None:
    """What commands name by its number has those of a new installation; no row is in the database."""
    with connection.cursor() as cursor:
        for model in (ImportRun, QuestionRun, Rewrite, Webhook):
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), 1, false)", [model._meta.db_table])


class Walk:
    """In a folder, each command in this process, one after the other; `printed` is what the last ones said."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.printed = folder, ""

    def block(self, block: Block) -> None:
        for line in self.without_files(block.commands):
            self.line(line, block.line)

    def without_files(self, lines: list[str]) -> Iterator[str]:
        """The lines but those that write a file: `cat > FILE <<'END'`."""
        file: list[str] | None = None
        for line in lines:
            if found := re.fullmatch(r"cat > (\S+) <<'END'", line):
                file, name = [], found[1]
            elif file is None:
                yield line
            elif line == "END":
                (self.folder / name).write_text("".join(f"{each}\n" for each in file), encoding="utf-8")
                file = None
            else:
                file.append(line)

    def line(self, line: str, number: int) -> None:
        """Errors: AssertionError where a command refuses."""
        for part in _parts(line):
            words, target = _redirected(part)
            try:
                said, out = self.run(words)
            except CommandError as error:
                raise AssertionError(f"line {number}: {shlex.join(words)}\n{error}") from None
            if target:
                (self.folder / target).write_text(out, encoding="utf-8")
            self.printed += said + ("" if target else out)

    def run(self, words: list[str]) -> tuple[str, str]:
        """What it says on stderr, and on stdout."""
        if words[0] == "litmus":
            return self.litmus(words[1:])
        if words[0] == "cd":
            self.folder = self.folder / words[1]
            return "", ""
        assert words[0] in HARMLESS, f"{words[0]} is not run by this test: mark the block with <!-- not run: why -->"
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stderr, done.stdout

    def litmus(self, words: list[str]) -> tuple[str, str]:
        name, more = words[0].replace("-", "_"), words[1:]
        assert name not in OF_SERVICES, f"{name} is for a file with <!-- road: services -->"
        if words == ["--version"]:
            return "", f"litmus {version()}\n"
        if name in ("help", "__help") or "--help" in words:
            return "", overview()
        if name == "completion":
            return "", completion.SHELLS[more[0]]
        out, err = StringIO(), StringIO()
        stdin = TextIOWrapper(BytesIO())  # no terminal, so that no password is asked for
        with chdir(self.folder), patch("sys.stdin", stdin):
            call_command(*(more if name == "django" else (name, *more)), stdout=out, stderr=err)
        return err.getvalue(), out.getvalue()

    def shows(self, block: Block) -> None:
        """The lines of the block are among what was printed since the last such block."""
        there = {_bare(line) for line in self.printed.splitlines()}
        missing = [line for line in block.lines if _bare(line) and _bare(line) != "…" and _bare(line) not in there]
        assert not missing, f"line {block.line}: not printed:\n" + "\n".join(missing) + f"\n--- but\n{self.printed}"
        self.printed = ""


class Services(Walk):
    """By processes, with data and servers of their own, as someone does who has installed Litmus."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.servers: list[Child] = []

    def litmus(self, words: list[str]) -> tuple[str, str]:
        command = [sys.executable, "-m", "litmus_ir", *words]
        environment = _clean() | {"LITMUS_DATA_DIR": str(self.folder / "litmus-data"), "PYTHONPATH": str(ROOT)}
        if words[0] == "up":  # at a port that is free here
            more = ["--port", str(free_port()), "--workers", "1"]
            server = Child(command + more, self.folder / f"up{len(self.servers)}.log", environment, cwd=self.folder)
            self.servers.append(server)
            server.wait_for_output("Ctrl-C")
            return server.output, ""
        given: dict[str, Any] = {"cwd": self.folder, "env": environment, "stdin": subprocess.DEVNULL}
        done = subprocess.run(command, **given, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CommandError(done.stderr)
        return done.stderr, done.stdout

    def end(self) -> None:
        for server in self.servers:
            server.stop()


def _clean() -> dict[str, str]:
    ours = ("LITMUS_", "DATABASE_URL", "REDIS_URL", "PYTEST_", "DJANGO_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def _bare(line: str) -> str:
    return SECONDS.sub("… s", line.strip())


def _parts(line: str) -> Iterator[list[str]]:
    """The words of each command of a line, which && joins."""
    words: list[str] = []
    lexer = shlex.shlex(line, posix=True, punctuation_chars="&;<>|")
    lexer.whitespace_split = True
    for word in lexer:
        if word in ("&&", ";"):
            yield words
            words = []
        else:
            words.append(word)
    if words:
        yield words


def _redirected(words: list[str]) -> tuple[list[str], str]:
    assert "|" not in words, f"a pipe is not run by this test: {words}"
    if ">" in words:
        at = words.index(">")
        return words[:at], words[at + 1]
    return words, ""
