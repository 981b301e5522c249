"""Files that commands write are whole or not there."""

import errno
import re
from pathlib import Path

import pytest

from accounts.management.reporting import whole_file
from accounts.refusals import Refused
from tests.processes import CHECKOUT

WRITES = re.compile(r"""\.open\(["'][wxa]|\.write_(text|bytes)\(""")


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_file_that_was_not_finished_leaves_nothing_behind(tmp_path: Path, error: BaseException) -> None:
    """A backup that was cut off by a full disk looked like one, and stood in the way of the next."""
    place = tmp_path / "backup.zip"
    place.write_text("the one before")
    with pytest.raises((Refused, KeyboardInterrupt)):
        write(place, b"half", error)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("backup.zip", "the one before")]
    write(place, b"whole")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("backup.zip", "whole")]


def test_what_is_no_file_is_written_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "stdout"
    place.symlink_to("/dev/null")
    write(place, b"gone")
    assert place.is_symlink()


def test_no_command_writes_files_otherwise() -> None:
    commands = (path for path in CHECKOUT.glob("a*/**/commands*/**/*.py") if "management" not in path.parts)
    commands = [*commands, *CHECKOUT.glob("[ac]*/**/commands.py")]
    assert len(commands) > 10
    assert [str(path) for path in commands if WRITES.search(path.read_text())] == []


def write(place: Path, data: bytes, error: BaseException | None = None) -> None:
    with whole_file(place) as file:
        file.write(data)
        if error:
            raise error
