"""What is said when the server has no room left to store anything, or cannot reach its files, wherever that shows."""

import errno
from collections.abc import Iterator

from django.utils.translation import gettext_noop

from accounts.files.storage import FilesAway

NO_ROOM = gettext_noop(
    "The disk of the server is full, so this was not saved. What was saved before is safe. Ask the operator to free"
    " some space, then try again."
)
AWAY = gettext_noop(
    "The place where files are kept does not answer, so this was not done. What was saved before is safe. Try again in"
    " a minute. If it still fails, tell the operator."
)
_DISK_FULL = "53100"  # PostgreSQL's error code


def is_no_room(error: BaseException | None) -> bool:
    """Whether a full disk is behind it: of ours, of PostgreSQL's, or of Redis, which then refuses to write."""
    return any(_says_so(each) for each in _causes(error))


def storage_fault(error: BaseException | None) -> str:
    """NO_ROOM or AWAY where that is behind it, else ""."""
    if is_no_room(error):
        return NO_ROOM
    return AWAY if any(isinstance(each, FilesAway) for each in _causes(error)) else ""


def _says_so(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    return getattr(error, "sqlstate", None) == _DISK_FULL or str(error).startswith("MISCONF ")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
