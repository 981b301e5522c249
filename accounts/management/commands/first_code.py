"""manage.py first_code"""

from typing import Any

from django.utils import timezone

from accounts.first_account import create_first_code, instructions
from accounts.management.reporting import ReportingCommand


class Command(ReportingCommand):
    task = "Start"
    example = "first_code"
    line = "Print a new code for the page that creates the first account"
    help = "Print a new code for the page that creates the first account. The previous code is no longer valid."

    def carry_out(self, **_: Any) -> tuple[str, dict[str, Any]]:
        code = create_first_code(at=timezone.now())
        return instructions(code), {"code": code}
