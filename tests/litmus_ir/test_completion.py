"""What a shell is given to complete, by the program as it is called."""

import os
import pty
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import CHECKOUT
from tests.waiting import PATIENCE

CALL = 'COMP_WORDS=({words}) COMP_CWORD={at}; _litmus; printf "%s\\n" "${{COMPREPLY[@]}}"'


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """`litmus` on the PATH of a shell."""
    (tmp_path / "litmus").write_text(f'#!/bin/sh\nPYTHONPATH={CHECKOUT} exec {sys.executable} -m litmus_ir "$@"\n')
    (tmp_path / "litmus").chmod(0o755)
    return tmp_path


COMMANDS, CHOICES = ("expo", ["export", "export_person", "export_run"]), ("export demo --format qre", ["qrels"])


TABS = "\t\t"


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"there is no {shell} here")


@needs("bash")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        COMMANDS,
        CHOICES,
        ("prompts demo sh", ["show"]),
        ("evaluate demo --resa", ["--resamples"]),
        ("completion z", ["zsh"]),
    ],
)
def test_bash_completes_commands_steps_options_and_choices(program: Path, words: str, found: list[str]):
    script = 'eval "$(litmus completion bash)"; ' + CALL.format(words=f"litmus {words}", at=len(words.split()))
    environment = {"PATH": f"{program}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (found, "")


@needs("fish")
@pytest.mark.parametrize(("words", "found"), [COMMANDS, CHOICES])
def test_fish_completes_them(program: Path, words: str, found: list[str]):
    script = f"litmus completion fish | source; complete -C 'litmus {words}'"
    environment = {"PATH": f"{program}:{os.environ['PATH']}", "HOME": str(program)}
    done = subprocess.run(
        ["fish", "--no-config", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert ([line.split("\t")[0] for line in done.stdout.splitlines()], done.stderr) == (found, "")


@needs("zsh")
@pytest.mark.parametrize(("words", "found"), [COMMANDS, CHOICES])
def test_zsh_completes_them(program: Path, words: str, found: list[str]):
    """In a terminal: zsh completes nowhere else. The first Tab types what all have in common, the second lists them."""
    leader, terminal = pty.openpty()
    environment = {"PATH": f"{program}:{os.environ['PATH']}", "HOME": str(program), "TERM": "dumb", "PS1": "> "}
    with subprocess.Popen(
        ["zsh", "-f", "-i"], env=environment, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True
    ) as shell:
        try:
            ready = 'autoload -Uz compinit; compinit -u -D; eval "$(litmus completion zsh)"; print rea"dy"'
            os.write(leader, f"{ready}\n".encode())
            read_until(leader, ["ready"])
            os.write(leader, f"litmus {words}{TABS[: len(found)]}".encode())
            read_until(leader, found)
        finally:
            shell.kill()
    os.close(terminal)
    os.close(leader)


def read_until(terminal: int, words: list[str]) -> None:
    seen = b""
    while not all(word.encode() in seen for word in words):
        assert select.select([terminal], [], [], PATIENCE)[0], f"{words} in {seen!r}"
        seen += os.read(terminal, 4096)


def test_another_shell_is_refused_with_those_that_there_are(program: Path):
    done = subprocess.run([program / "litmus", "completion", "csh"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "litmus completion fish | source" in done.stderr
