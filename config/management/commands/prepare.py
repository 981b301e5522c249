"""manage.py prepare: what `make setup` does last, so that the first `make run` finds it done."""

from typing import Any

from django.core.management.base import BaseCommand

from config.staticfiles import collect_if_changed


class Command(BaseCommand):
    task = "Look after"
    example = "prepare"
    line = "Collect the static files and make the tables, as `up` would do"
    help = "Collect the static files; the tables of the embedded database are made as for every command."
    requires_system_checks = []

    def handle(self, **_: Any) -> None:
        collect_if_changed()
