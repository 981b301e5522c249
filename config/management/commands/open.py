"""manage.py open"""

import webbrowser
from typing import Any

from django.conf import settings

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from config.running import running


class Command(ReportingCommand):
    task = "Start"
    example = "open"
    help = "Open the Litmus that runs on this data in the browser."

    def carry_out(self, **_: Any) -> tuple[str, dict[str, Any]]:
        found = running(settings.DATA_DIR)
        if not found:
            raise Refused(f"Litmus is not running. Start it: {settings.PROGRAM} up")
        address = found[-1].address
        opened = webbrowser.open(address)
        words = f"Opened {address}" if opened else f"No browser was found here. Open {address} yourself."
        return words, {"address": address, "opened": opened}
