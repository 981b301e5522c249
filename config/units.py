"""Units of systemd: Litmus as a service, and its daily backup."""

import sys
from dataclasses import dataclass
from pathlib import Path

from config.embedded.places import socket_directory

HERE = Path(__file__).resolve().parent.parent
SYSTEM, USER = Path("/etc/systemd/system"), Path("~/.config/systemd/user")

# Needs no right of its manager, so that it holds for services of a user, too.
HARDENED = """\
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
UMask=0077
"""
# Of services of the system. Homes are read only and not hidden: the program may be in one.
CONFINED = """\
ProtectSystem=strict
ProtectHome=read-only
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
CapabilityBoundingSet=
"""


@dataclass(frozen=True)
class Service:
    """Litmus on a data directory, as a service of the system or of a user."""

    data: Path
    host: str
    port: int
    account: str  # "" for a service of the user
    backups: Path | None = None

    @property
    def folder(self) -> Path:
        """Where systemd looks for the units."""
        return SYSTEM if self.account else USER.expanduser()

    def units(self) -> dict[Path, str]:
        """{path: text} of each."""
        found = {"litmus.service": self.service()}
        if self.backups:
            found |= {"litmus-backup.service": self.backup(), "litmus-backup.timer": TIMER}
        return {self.folder / name: text for name, text in found.items()}

    def service(self) -> str:
        wanted = "multi-user.target" if self.account else "default.target"
        up = f"up --host {self.host} --port {self.port}"
        return (
            "[Unit]\nDescription=Litmus\nAfter=network-online.target\nWants=network-online.target\n\n"
            f"[Service]\nType=exec\n{self.common(up, self.data)}"
            # `up` stops web server, worker and databases in order; what is left after that is killed.
            "KillMode=mixed\nTimeoutStopSec=120\nRestart=on-failure\nRestartSec=10\n"
            f"\n[Install]\nWantedBy={wanted}\n"
        )

    def backup(self) -> str:
        assert self.backups is not None  # noqa: S101 - `units` has looked
        return (
            "[Unit]\nDescription=Backup of Litmus\n\n"
            f"[Service]\nType=oneshot\n{self.common(f'backup {quoted(self.backups)}', self.data, self.backups)}"
        )

    def common(self, words: str, *written: Path) -> str:
        """What runs, as whom, on which data, and what it may not do."""
        settings = "/etc/litmus.env" if self.account else "%E/litmus.env"
        lines = [f"User={self.account}"] if self.account else []
        lines += [
            f"Environment={quoted(f'LITMUS_DATA_DIR={self.data}')}",
            f"EnvironmentFile=-{settings}",
            f"WorkingDirectory={str(HERE).replace('%', '%%')}",
            f"ExecStart={program()} {words}",
        ]
        return "\n".join(lines) + "\n" + HARDENED + (self.confined(written) if self.account else "")

    def confined(self, written: tuple[Path, ...]) -> str:
        places = " ".join(quoted(path) for path in written)
        # With a long path the sockets are in /tmp, where commands outside of the service look for them.
        in_tmp = socket_directory(self.data).parent != self.data
        return CONFINED + (
            f"ReadWritePaths={places} /tmp\n" if in_tmp else f"PrivateTmp=yes\nReadWritePaths={places}\n"
        )


TIMER = """\
[Unit]
Description=Daily backup of Litmus

[Timer]
OnCalendar=*-*-* 03:00:00
RandomizedDelaySec=15min
Persistent=true

[Install]
WantedBy=timers.target
"""


def program() -> str:
    """The command line of this installation."""
    installed = Path(sys.executable).with_name("litmus")
    words = [installed] if installed.exists() else [Path(sys.executable), HERE / "manage.py"]
    return " ".join(map(quoted, words))


def quoted(word: Path | str) -> str:
    """As systemd reads one word: % and $ begin something there."""
    text = str(word).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"' if set(text) & set(" '\"\\") else text
