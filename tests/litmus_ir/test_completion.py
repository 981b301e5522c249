"""What a shell is given to complete, by the program as it is called."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import CHECKOUT

CALL = 'COMP_WORDS=({words}) COMP_CWORD={at}; _litmus; printf "%s\\n" "${{COMPREPLY[@]}}"'


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """`litmus` on the PATH of a shell."""
    (tmp_path / "litmus").write_text(f'#!/bin/sh\nPYTHONPATH={CHECKOUT} exec {sys.executable} -m litmus_ir "$@"\n')
    (tmp_path / "litmus").chmod(0o755)
    return tmp_path


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("expo", ["export", "export_person", "export_run"]),
        ("prompts demo sh", ["show"]),
        ("evaluate demo --resa", ["--resamples"]),
        ("export demo --format qre", ["qrels"]),
        ("completion z", ["zsh"]),
    ],
)
def test_bash_completes_commands_steps_options_and_choices(program: Path, words: str, found: list[str]):
    script = 'eval "$(litmus completion bash)"; ' + CALL.format(words=f"litmus {words}", at=len(words.split()))
    environment = {"PATH": f"{program}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (found, "")


def test_another_shell_is_refused_with_those_that_there_are(program: Path):
    done = subprocess.run([program / "litmus", "completion", "csh"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "litmus completion fish | source" in done.stderr
