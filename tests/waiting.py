"""Waiting for a state, never for a time."""

import time
from collections.abc import Callable

PATIENCE = 120  # seconds for what must come, however busy the machine is


def wait_for(check: Callable[[], object], seconds: float = PATIENCE, what: str = "the condition") -> None:
    """Return when `check()` is true. Errors: AssertionError naming `what` after so many seconds.

    It looks ever more rarely, up to each tenth of a second: what comes late is worked on meanwhile, on the same cores.
    """
    deadline, pause = time.monotonic() + seconds, 0.01
    while not check():
        assert time.monotonic() < deadline, f"{what} did not come within {seconds} seconds"
        time.sleep(pause)
        pause = min(pause * 1.25, 0.1)
