"""manage.py migrate: Django's, which also notes in the tables which version made them."""

import json
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser, OutputWrapper
from django.core.management.commands import migrate

from config.tables import migrations_applied
from config.upgrade import upgrading


class Command(migrate.Command):
    task = "Look after"
    example = "migrate"
    line = "Bring the tables of your own database up to date"
    help = (
        "Bring the tables up to date with this version. The embedded database does not need this: every command does"
        " it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object on stdout")

    def handle(self, *args: Any, as_json: bool = False, **options: Any) -> None:
        if options["plan"] or options["check_unapplied"] or options["app_label"]:  # nothing, or not all
            super().handle(*args, **options)
            return
        before = migrations_applied()
        printed, self.stdout = self.stdout, OutputWrapper(sys.stderr) if as_json else self.stdout
        with upgrading():
            super().handle(*args, **options)
        if as_json:
            applied = sorted(".".join(each) for each in migrations_applied() - before)
            printed.write(json.dumps({"version": settings.CODE_VERSION, "applied": applied}))
