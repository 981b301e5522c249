"""Processes that end when their parent does, even when the parent is killed with -9.

python -m config.leash MODULE [ARGUMENT…]        runs `python -m MODULE …` on a leash
"""

import ctypes
import gc
import os
import runpy
import signal
import sys
import threading
import time

PR_SET_PDEATHSIG = 1  # linux/prctl.h
PATIENCE = 12  # seconds to end in order: Celery gives a running job 5 of them


def follow_parent(ending: signal.Signals = signal.SIGTERM, parent: int | None = None) -> None:
    """Send this process `ending` as soon as its parent (`parent`, if that may be gone already) has ended."""
    parent = parent or os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ending, 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), ending)
    else:
        threading.Thread(target=_watch, args=(parent, ending), daemon=True).start()


def _watch(parent: int, ending: signal.Signals) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), ending)


def end_at_last(parent: int) -> None:
    """Kill this process with its group when it still lives some seconds after its parent.

    Celery's cold stop can wait for ever for a word from a worker of its pool that had no time to say it.
    """
    while os.getppid() == parent:
        time.sleep(1)
    time.sleep(PATIENCE)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Run the module that the command line names."""
    gc.set_threshold(100_000)  # what is loaded stays: looking for garbage in it was a sixth of a worker's start
    # A shell lets its background processes ignore SIGQUIT, and children inherit that.
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    # Quickly: gunicorn and Celery take SIGQUIT as "now", and the next start of Litmus needs the port.
    parent = int(os.environ["LITMUS_PARENT"])
    threading.Thread(target=end_at_last, args=(parent,), daemon=True).start()
    follow_parent(signal.SIGQUIT, parent=parent)
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
