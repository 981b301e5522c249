"""manage.py service"""

import os
import pwd
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from config.units import Service


class Command(ReportingCommand):
    task = "Look after"
    example = "service --user"
    line = "Make Litmus a systemd service, with a daily backup"
    help = "Print a systemd unit that runs Litmus on this data; with --write, write it where systemd looks."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--user", action="store_true", help="a service of your own account, without root")
        parser.add_argument("--account", default="litmus", help="account that runs a system service (default: litmus)")
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port of the web server (default: 8000)")
        parser.add_argument("--backups", type=Path, metavar="FOLDER", help="back up daily into this folder")
        parser.add_argument("--write", action="store_true", help="write the units instead of printing them")

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:
        self.prints_units = not as_json
        super().handle(*args, as_json=as_json, **options)

    def carry_out(
        self, *, user: bool, account: str, backups: Path | None, write: bool, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        account, backups = "" if user else account, backups and backups.absolute()
        service = Service(settings.DATA_DIR, options["host"], options["port"], account, backups)
        units = service.units()
        if write:
            prepare_places(service)
            write_all(units)
        elif self.prints_units:
            self.stdout.write("\n".join(f"# {path}\n{text}" for path, text in units.items()))
        result = {"units": {str(path): text for path, text in units.items()}, "written": write}
        return "\n".join(next_steps(service, units if write else {})), result


def prepare_places(service: Service) -> None:
    """Make the folders that the service writes to; as root, for its account. Errors: Refused."""
    for folder in filter(None, (service.data, service.backups)):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if service.account:
            give(folder, service)
    if service.account and (key := service.data / "secret-key").exists():  # made when this command began
        give(key, service)


def give(path: Path, service: Service) -> None:
    try:
        account = pwd.getpwnam(service.account)
    except KeyError:
        make = f"useradd --system --home-dir {service.data} {service.account}"
        raise Refused(f"There is no account {service.account} here. Make it: {make}") from None
    owner = path.stat().st_uid
    if owner not in (account.pw_uid, os.geteuid()):
        raise Refused(f"{path} belongs to user id {owner}, and the service would run as {service.account}.")
    try:
        os.chown(path, account.pw_uid, account.pw_gid)
    except PermissionError:
        raise Refused("Only root can write a system service. Use --user for a service of your own account.") from None


def write_all(units: dict[Path, str]) -> None:
    for path, text in units.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        except OSError as error:
            hint = " Run it as root, or with --user." if os.geteuid() else ""
            raise Refused(f"{path} cannot be written: {error.strerror}.{hint}") from None


def next_steps(service: Service, written: Iterable[Path]) -> list[str]:
    """What was done, and what to type after that."""
    if not written:
        return ["Nothing was written. Use --write to write these files."]
    ctl = "systemctl" if service.account else "systemctl --user"
    names = "litmus.service" + (" litmus-backup.timer" if service.backups else "")
    lingering = [] if service.account else ["To keep it running after you sign out: loginctl enable-linger"]
    done = [f"{path} is written." for path in written]
    return [*done, f"Next: {ctl} daemon-reload && {ctl} enable --now {names}", *lingering]
