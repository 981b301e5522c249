"""A process on a leash ends with its parent, even when it ignores SIGQUIT, as background processes of shells do."""

import subprocess
import sys

import psutil
import pytest

from tests.processes import CHECKOUT, wait_for

# Starts a child on a leash that would run for long, prints its number, and waits.
PARENT = """
import os, subprocess, sys
child = subprocess.Popen(
    [sys.executable, *sys.argv[1:]],
    env=os.environ | {"LITMUS_PARENT": os.environ.get("PRETENDED_PARENT", str(os.getpid()))},
    stdout=subprocess.PIPE,
    start_new_session=True,
)
print(child.pid, child.stdout.readline().decode().strip(), flush=True)
child.wait()
"""
SLEEPER = "tests.config.sleeper"
LEASH = ["-m", "config.leash", SLEEPER]
IMPATIENT = ["-c", "from config import leash; leash.PATIENCE = 1; leash.main()", SLEEPER]  # a second instead of twelve


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.services
@pytest.mark.parametrize("words", [[*LEASH, "docile"], [*IMPATIENT, "stubborn"]], ids=["docile", "stubborn"])
def test_a_leashed_process_ends_with_its_killed_parent(words):
    """A stubborn one, as Celery can be when its pool has just begun, is killed after some seconds."""
    with subprocess.Popen(
        ["/bin/sh", "-c", 'trap "" QUIT; exec "$0" -c "$@"', sys.executable, PARENT, *words],
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        pid, state = parent.stdout.readline().split()
        assert state == "sleeping"
        assert not is_gone(int(pid))
        parent.kill()
        wait_for(lambda: is_gone(int(pid)), what="the end of the child")


@pytest.mark.services
def test_a_process_whose_parent_is_gone_already_does_not_begin():
    done = subprocess.run(
        [sys.executable, "-c", PARENT, *LEASH],
        cwd=CHECKOUT,
        env={"PRETENDED_PARENT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "sleeping" not in done.stdout
