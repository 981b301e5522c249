"""A web server that was killed cannot remove the folder of its counts: the next one does, and leaves others theirs."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.processes import CHECKOUT

# As a web server: its processes are forked later, and live on for a moment when it is killed.
SERVER = """
import os, time
from config.watching.count_folders import new_folder
folder = new_folder()
child = os.fork() or time.sleep(600)
print(folder, child, flush=True)
time.sleep(600)
"""


@contextmanager
def server(temporary: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """The folder of a server, and its own process without the one that it has forked."""
    environment = os.environ | {"TMPDIR": str(temporary)}
    command = [sys.executable, "-c", SERVER]
    child = 0
    with subprocess.Popen(command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            folder, child = process.stdout.readline().split()
            yield Path(folder), process
        finally:
            process.kill()
            os.kill(int(child), signal.SIGKILL)


def test_the_folder_of_a_killed_server_goes_once_its_last_process_has_ended(tmp_path):
    with server(tmp_path) as (living, _):
        with server(tmp_path) as (folder, process):
            process.kill()
            process.wait()
            with server(tmp_path):
                assert folder.exists()  # what it has forked still counts
        with server(tmp_path) as (newest, process):
            assert sorted(tmp_path.iterdir()) == sorted([living, newest])
