"""manage.py status"""

from typing import Any

from django.conf import settings

from accounts.management.reporting import ReportingCommand
from config.running import running

NOT_RUNNING = 3  # as systemctl has it


class Command(ReportingCommand):
    """As all of them; exit code 3 where nothing runs."""

    prints = True
    task = "Start"
    example = "status"
    help = "Say whether Litmus runs on this data, and where. Exit code 0: it runs or is starting; 3: it does not run."

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if not running(settings.DATA_DIR):
            raise SystemExit(NOT_RUNNING)

    def carry_out(self, **_: Any) -> tuple[str, dict[str, Any]]:
        found = [up.as_json() for up in running(settings.DATA_DIR)]
        lines = [
            f"Litmus {'is running' if up['answers'] else 'is starting'} at {up['address']} (process {up['pid']}, since "
            f"{up['since']})."
            for up in found
        ]
        lines = lines or [f"Litmus is not running. Start it: {settings.PROGRAM} up"]
        shown = {"version": settings.CODE_VERSION, "data": str(settings.DATA_DIR), "running": found}
        return "\n".join([*lines, f"Version {settings.CODE_VERSION}, data in {settings.DATA_DIR}."]), shown
