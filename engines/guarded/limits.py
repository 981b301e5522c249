"""What one reader of a stranger's file may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` are of processor time for each record that a reader gives, `megabytes` of memory beyond what a reader
    has when it starts, `quiet_seconds` of the clock without a sign of life.

    A reader that gives records may go on for as long as it likes. One that was quiet for `quiet_seconds` and has not
    used up its processor time was kept waiting by the machine.
    """

    seconds: int = 120
    megabytes: int = 2048
    quiet_seconds: int = 1200


DEFAULT_LIMITS = Limits()


class ReadingFailed(Exception):
    """The child could not read on. `reason` reads after the file's name: "needs more than 2,048 MB of memory to read".

    `kind` is one of time, memory, room, busy, crash.
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class ReaderError(Exception):
    """A fault of the reader's own code; the message is that of its exception, its traceback is the cause's text."""
