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
    """The keyword arguments of `subprocess` by which the command runs as that user; None: as the present one.

    In a session of its own: Ctrl-C in the terminal is for Litmus, which then stops its servers in order.
    """
    foreign = ("PG", "LC_", "LANG", "REDIS")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(foreign)} | {"LC_ALL": "C", "TZ": "UTC"}
    settings = {"args": command, "cwd": "/", "env": environment, "umask": 0o077, "start_new_session": True}
    if account is None:
        return settings
    if right := right_to_search():
        who = [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
        rights = [f"--inh-caps=-all,+{right}", f"--ambient-caps=+{right}"]
        return settings | {"args": ["setpriv", *who, *rights, *command]}
    return settings | {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def right_to_search() -> str:
    """The capability that this process may hand on; "" for none."""
    status, setpriv = Path("/proc/self/status"), Path(shutil.which("setpriv") or "/")
    if not status.exists() or setpriv.resolve().name != "setpriv":  # BusyBox's cannot become another user
        return ""
    permitted = re.search(r"CapPrm:\s*([0-9a-f]+)", status.read_text())
    rights = int(permitted[1], 16) if permitted else 0
    return next((name for number, name in SEARCH.items() if rights & 1 << number), "")


def check_reach(account: Account, program: Path, directory: Path) -> None:
    """Make sure that `account` can read the program and enter the directory.

    Errors: EmbeddedError naming the first directory in the way.
    """
    look = run_as(account, ["/bin/sh", "-c", '[ -r "$0" ] && [ -r "$1" ] || exit 3', str(program), str(directory)])
    try:
        status = subprocess.run(**look, stderr=subprocess.DEVNULL, check=False).returncode
    except OSError:
        status = None
    if status == 0:
        return
    if status != 3:
        raise EmbeddedError(
            f"PostgreSQL does not run as root, and this system does not let root become {account.pw_name}. "
            "Run Litmus as a plain user, or set DATABASE_URL and REDIS_URL to servers of your own."
        )
    above = [*reversed(program.parents), *reversed(directory.parents)]
    blocked = next((path for path in above if not path.stat().st_mode & 0o001), program)
    raise EmbeddedError(
        f"PostgreSQL does not run as root, and the user {account.pw_name} may not enter {blocked}. "
        f"Run Litmus as a plain user, move the checkout to a place such as /opt, or allow it: chmod o+x '{blocked}'"
    )
