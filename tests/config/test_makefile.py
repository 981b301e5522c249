"""The Makefile and .ci/run: what they promise, without installing anything again."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.processes import CHECKOUT

MAKEFILE = (CHECKOUT / "Makefile").read_text()


def make(*arguments: str, directory: Path = CHECKOUT, **environment: str) -> subprocess.CompletedProcess[str]:
    outer = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return subprocess.run(
        ["make", *arguments], cwd=directory, env=outer | environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A checkout that nothing was installed into, at a path with blanks."""
    checkout = tmp_path / "a fresh checkout"
    checkout.mkdir()
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt"):
        (checkout / name).write_bytes((CHECKOUT / name).read_bytes())
    return checkout


def fake(directory: Path, name: str, script: str) -> None:
    """A program of this name at the head of the PATH."""
    directory.mkdir(exist_ok=True)
    (directory / name).write_text("#!/bin/sh\n" + script)
    (directory / name).chmod(0o755)


def test_help_has_a_line_for_every_target():
    described = dict(re.findall(r"(?m)^  make (\S+) +(\S.+)$", make("help").stdout))
    targets = set(re.findall(r"(?m)^\.PHONY: ([a-z-]+)$", MAKEFILE)) - {"environment"}
    assert set(described) == targets
    assert {"setup", "run", "test", "check", "format", "bench", "clean", "requirements"} <= targets


@pytest.mark.slow
def test_setting_up_makes_the_tables_and_static_files_that_the_first_run_needs():
    assert "manage.py prepare" in make("-n", "setup").stdout


@pytest.mark.slow
def test_port_and_arguments_reach_the_command():
    assert "manage.py up --demo --port 9001 --no-demo" in make("-n", "run", "PORT=9001", "ARGS=--no-demo").stdout
    assert re.search(r"-m pytest .*-k one", make("-n", "test", "ARGS=-k one").stdout)


@pytest.mark.slow
def test_what_was_installed_is_not_installed_again(fresh):
    """Offline after the first time: nothing but a changed file asks for an installation."""
    (fresh / ".venv" / "bin").mkdir(parents=True)
    fake(
        fresh / ".venv" / "bin", "python", 'case "$*" in *alive*) echo alive;; *pip*) echo "pip $*" >> pip.log;; esac\n'
    )
    assert make("setup", directory=fresh).returncode == 0
    first = (fresh / "pip.log").read_text()
    assert "--require-hashes -r requirements.txt" in first
    assert make("setup", directory=fresh).returncode == 0
    assert (fresh / "pip.log").read_text() == first
    (fresh / "requirements.txt").write_text("other==1\n")
    assert make("setup", directory=fresh).returncode == 0
    assert (fresh / "pip.log").read_text().count("-r requirements.txt") == 2


@pytest.mark.slow
def test_the_python_of_the_system_comes_first_if_it_can_make_environments(fresh, tmp_path):
    """It is Debian's, which is the quickest; without python3-venv it is passed over."""
    named = f"PATH={tmp_path / 'path'}:{os.environ['PATH']}", f"SYSTEM_PYTHON={tmp_path / 'system' / 'python3'}"
    fake(tmp_path / "path", "python3", "exit 0\n")
    fake(tmp_path / "system", "python3", "exit 0\n")
    chosen = f'test -z "{tmp_path / "system" / "python3"}"'
    assert chosen in make("-n", "environment", *named, directory=fresh).stdout
    fake(tmp_path / "system", "python3", 'case "$2" in *ensurepip*) exit 1;; *) exit 0;; esac\n')
    assert 'test -z "python3"' in make("-n", "environment", *named, directory=fresh).stdout


def test_without_a_new_enough_python_the_message_says_so(fresh, tmp_path):
    tools = tmp_path / "old"
    for name in ("python3", "python3.11", "python3.12", "python3.13", "python3.14"):
        fake(tools, name, "exit 1\n")
    done = make("setup", "SYSTEM_PYTHON=", directory=fresh, PATH=f"{tools}:{os.environ['PATH']}")
    assert done.returncode != 0
    assert "Litmus needs Python 3.11 or newer" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_venv_and_pip_the_message_says_what_to_install(fresh, tmp_path):
    """Debian's python3 without python3-venv: it knows how to start, not how to make an environment."""
    fake(tmp_path / "debian", "python3", 'case "$1" in -c) exit 0;; *) echo "No module" >&2; exit 1;; esac\n')
    done = make("setup", "SYSTEM_PYTHON=", directory=fresh, PATH=f"{tmp_path / 'debian'}:{os.environ['PATH']}")
    assert done.returncode != 0
    assert "apt install python3-venv" in done.stderr
    assert not (fresh / ".venv").exists()


def test_requirements_hold_hashes_and_no_address():
    for name in ("requirements.txt", "requirements-dev.txt"):
        text = (CHECKOUT / name).read_text()
        assert "://" not in text
        assert "index" not in text
        pins = re.findall(r"(?m)^([a-z0-9-]+)==(\S+)", text)
        assert len(pins) > 50
        assert text.count("--hash=sha256:") >= len(pins)


def test_what_runs_is_what_is_tested():
    """requirements-dev.txt holds everything of requirements.txt in the same versions."""
    pins = [
        set(re.findall(r"(?m)^([a-z0-9-]+==\S+)", (CHECKOUT / name).read_text()))
        for name in ("requirements.txt", "requirements-dev.txt")
    ]
    assert pins[0] <= pins[1]


def test_ci_checks_and_tests_with_the_browser():
    script = CHECKOUT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    text = script.read_text()
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    assert text.index("export CI=true") < text.index("make check") < text.index("make test")
    assert "chromium" in text
