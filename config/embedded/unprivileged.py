"""PostgreSQL refuses to run as root: its servers then run as another user who still reaches their directories.

Below a home that only root may enter, an ordinary user would not even find the binaries. Instead of opening that
home to everybody, the server keeps one capability (on Linux): to read and search directories.
"""

import ctypes
import os
import pwd
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from config.embedded.places import EmbeddedError

# Numbers from linux/capability.h and linux/prctl.h.
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
CAPABILITY_VERSION_3 = 0x20080522
CANNOT_BECOME, CANNOT_REACH = 2, 3  # exit statuses of the child in check_reach
PR_SET_KEEPCAPS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 8, 47, 2


@dataclass(frozen=True)
class Account:
    """The user a server runs as when Litmus runs as root."""

    uid: int
    gid: int
    name: str


def server_account(data: Path) -> Account | None:
    """Who the server is to run as: None for "as we are", which is every case but root.

    An existing data directory says it by its owner; else the user who called sudo, else `nobody`. The account must
    exist: initdb looks it up.
    """
    if os.geteuid() != 0:
        return None
    owner = data.stat().st_uid if data.exists() else 0
    wanted = owner or int(os.environ.get("SUDO_UID", "0"))
    try:
        entry = pwd.getpwuid(wanted) if wanted else pwd.getpwnam("nobody")
    except KeyError:
        raise EmbeddedError(
            f"PostgreSQL does not run as root, and the user who would run it ({wanted or 'nobody'}) does not exist. "
            "Run Litmus as a plain user, or set DATABASE_URL to a PostgreSQL of your own."
        ) from None
    return Account(entry.pw_uid, entry.pw_gid, entry.pw_name)


def become(account: Account) -> Callable[[], None]:
    """A function for `preexec_fn` that turns the forked child into `account`.

    The libraries are loaded here, in the parent, so that the child only makes system calls.
    """
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

    def change() -> None:
        kept = _permitted_search(libc) if libc else 0
        if libc and kept:
            libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
        os.setgroups([])
        os.setgid(account.gid)
        os.setuid(account.uid)
        if libc and kept:
            _keep_only(libc, kept)

    return change


def _permitted_search(libc: ctypes.CDLL) -> int:
    """The capability that this process may hand on: the harmless one where there is a choice, 0 for none."""
    data = (ctypes.c_uint32 * 6)()
    if libc.capget((ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0), data):
        return 0
    permitted = data[1]
    return next((c for c in (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE) if permitted & 1 << c), 0)


def _keep_only(libc: ctypes.CDLL, capability: int) -> None:
    """Drop all capabilities but one, and let that one pass through exec (an "ambient" capability)."""
    bit = 1 << capability
    data = (ctypes.c_uint32 * 6)(bit, bit, bit, 0, 0, 0)
    if libc.capset((ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0), data) == 0:
        libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0)


def check_reach(account: Account, *paths: Path) -> None:
    """Make sure that `account` can read the files and enter the directories `paths`.

    Errors: EmbeddedError naming the first directory in the way.
    """
    pid = os.fork()
    if pid == 0:  # the child looks with the eyes of that user
        status = CANNOT_BECOME
        try:
            become(account)()
            status = CANNOT_REACH
            for path in paths:
                os.close(os.open(path, os.O_RDONLY))
            status = 0
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status == 0:
        return
    if status == CANNOT_BECOME:
        raise EmbeddedError(
            f"PostgreSQL does not run as root, and this system does not let root become {account.name}. "
            "Run Litmus as a plain user, or set DATABASE_URL and REDIS_URL to servers of your own."
        )
    blocked = next((d for p in paths for d in reversed(p.parents) if not d.stat().st_mode & 0o001), paths[0])
    raise EmbeddedError(
        f"PostgreSQL does not run as root, and the user {account.name} may not enter {blocked}. "
        f"Run Litmus as a plain user, move the checkout to a place such as /opt, or allow it: chmod o+x '{blocked}'"
    )
