"""manage.py down"""

from typing import Any

from django.conf import settings

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from config.running import running, stop


class Command(ReportingCommand):
    task = "Start"
    example = "down"
    line = "Stop the Litmus that runs on this data"
    help = "Stop the Litmus that runs on this data, as Ctrl-C does where it was started."

    def carry_out(self, **_: Any) -> tuple[str, dict[str, Any]]:
        found = running(settings.DATA_DIR)
        for up in found:
            if not stop(up):
                raise Refused(f"Process {up.pid} was asked to end and still runs. To end it by force: kill -9 {up.pid}")
        words = "Stopped." if found else f"Litmus is not running on {settings.DATA_DIR}."
        return words, {"stopped": [up.address for up in found]}
