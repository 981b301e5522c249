"""manage.py prepare: what `make setup` does last, so that the first `make run` finds it done."""

from typing import Any

from accounts.management.reporting import ReportingCommand
from config.staticfiles import collect_if_changed


class Command(ReportingCommand):
    task = "Look after"
    example = "prepare"
    line = "Collect the static files and make the tables, as `up` would do"
    help = "Collect the static files; the tables of the embedded database are made as for every command."

    def carry_out(self, **_: Any) -> tuple[str, dict[str, Any]]:
        collected = collect_if_changed()
        return "Litmus is ready to start.", {"collected": collected}
