"""manage.py remove_demo"""

from typing import Any

from django.utils import timezone

from accounts.management.reporting import ReportingCommand
from config.demo.removal import remove_demo


class Command(ReportingCommand):
    task = "Look after"
    example = "remove_demo"
    line = "Remove the demo: its collection and its accounts"
    help = "Remove the demo collection with everything in it, and the demo's accounts. Nothing else is removed."

    def carry_out(self, **_: Any) -> tuple[str, dict[str, Any]]:
        removed = remove_demo(by=None, at=timezone.now())
        return str(removed), removed.as_json()
