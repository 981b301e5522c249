"""PostgreSQL refuses to run as root: its servers then run as another user who still reaches their directories.

In a home that only root may enter, another user cannot even reach the programs. So the server keeps one capability (on
Linux, by `setpriv`), to read and search directories, and the home need not be opened to everybody.
"""

import os
import pwd
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from config.embedded.places import EmbeddedError

Account = pwd.struct_passwd

# Numbers from linux/capability.h, the harmless one first.
SEARCH = {2: "dac_read_search", 1: "dac_override"}
CANNOT_REACH = 3  # exit status of the child in check_reach
CAN_READ = f'for path; do [ -r "$path" ] || exit {CANNOT_REACH}; done'


def server_account(data: Path) -> Account | None:
    """The user the server runs as; None: the present one, which is every case but root.

    It is the owner of an existing data directory, else the user who called sudo, else `nobody`. The account must
    exist: initdb looks it up.
    """
    if os.geteuid() != 0:
        return None
    uid = (data.stat().st_uid if data.exists() else 0) or int(os.environ.get("SUDO_UID", "0"))
    try:
        return pwd.getpwuid(uid) if uid else pwd.getpwnam("nobody")
    except KeyError:
        raise EmbeddedError(
            f"PostgreSQL does not run as root, and the user who would run it ({uid or 'nobody'}) does not exist. "
            "Run Litmus as a plain user, or set DATABASE_URL to a PostgreSQL of your own."
        ) from None


def run_as(account: Account | None, command: list[str]) -> dict[str, Any]:
    """The keyword arguments of `subprocess` by which the command runs as that user; None: as the present one."""
    if account is None:
        return {"args": command}
    if right := right_to_search():
        who = [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
        return {"args": ["setpriv", *who, f"--inh-caps=-all,+{right}", f"--ambient-caps=+{right}", *command]}
    return {"args": command, "user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def right_to_search() -> str:
    """The capability that this process may hand on; "" for none."""
    status, setpriv = Path("/proc/self/status"), Path(shutil.which("setpriv") or "/")
    if not status.exists() or setpriv.resolve().name != "setpriv":  # BusyBox's cannot become another user
        return ""
    permitted = re.search(r"CapPrm:\s*([0-9a-f]+)", status.read_text())
    rights = int(permitted[1], 16) if permitted else 0
    return next((name for number, name in SEARCH.items() if rights & 1 << number), "")


def check_reach(account: Account, *paths: Path) -> None:
    """Make sure that `account` can read the files and enter the directories `paths`.

    Errors: EmbeddedError naming the first directory in the way.
    """
    look = run_as(account, ["/bin/sh", "-c", CAN_READ, "sh", *map(str, paths)])
    try:
        status = subprocess.run(**look, stderr=subprocess.DEVNULL, cwd="/", check=False).returncode
    except OSError:
        status = None
    if status == 0:
        return
    if status != CANNOT_REACH:
        raise EmbeddedError(
            f"PostgreSQL does not run as root, and this system does not let root become {account.pw_name}. "
            "Run Litmus as a plain user, or set DATABASE_URL and REDIS_URL to servers of your own."
        )
    blocked = next((d for p in paths for d in reversed(p.parents) if not d.stat().st_mode & 0o001), paths[0])
    raise EmbeddedError(
        f"PostgreSQL does not run as root, and the user {account.pw_name} may not enter {blocked}. "
        f"Run Litmus as a plain user, move the checkout to a place such as /opt, or allow it: chmod o+x '{blocked}'"
    )
