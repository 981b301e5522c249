"""Whether the database has the tables of this code, seen by the names of migrations: that takes milliseconds."""

import pkgutil
import sys
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from config import upgrade
from config.embedded.places import FileLock
from config.env import BadEnvironment, Misfit
from config.running import running

Names = set[tuple[str, str]]
MIGRATE = f"{settings.PROGRAM} migrate"
OURS = ("accounts", "corpus", "annotation", "adjudication")


def missing_migrations() -> Names:
    """(app, name) of each migration on disk that the database does not know.

    Errors: Misfit for a database of another version.
    """
    check_version()
    return migrations_on_disk() - migrations_applied()


def check_version() -> None:
    """Refuse a database that knows migrations of ours which this code does not: another version has made it."""
    if strange := unknown_migration(migrations_applied()):
        raise Misfit(upgrade.later(strange, upgrade.read_stamp()))


def unknown_migration(applied: Names) -> str:
    """The first of these migrations that is ours and not of this code, "" for none.

    Those before 0.1.0 were squashed; else a later version made it.
    """
    return min((f"{app}.{name}" for app, name in applied - migrations_on_disk() if app in OURS), default="")


def migrations_on_disk() -> Names:
    """As Django finds them: every module of an app's `migrations`, but those that begin with _ or ~."""
    return {
        (app.label, module.name)
        for app in apps.get_app_configs()
        for module in pkgutil.iter_modules([str(Path(app.path) / "migrations")])
        if not module.ispkg and module.name[0] not in "_~"
    }


def migrations_applied(on: Any = connection) -> Names:
    """Those that the database knows, asked over this connection."""
    with on.cursor() as cursor:
        cursor.execute("SELECT to_regclass('django_migrations') IS NOT NULL")
        if cursor.fetchone() == (False,):
            return set()
        cursor.execute("SELECT app, name FROM django_migrations")
        return set(cursor.fetchall())


def bring_up_to_date() -> None:
    """Give an embedded database the tables of this code; one process does it, others wait.

    Errors: BadEnvironment for a database of the operator's own, which nobody changes without being asked, and while
    another version works on the data; Misfit for data of a later version, and where it fails.
    """
    if not missing_migrations():
        return
    if settings.DATABASE_URL:
        raise BadEnvironment(f"DATABASE_URL: the database lacks tables of this version. Run `{MIGRATE}` first.")
    with FileLock(settings.DATA_DIR / "locks" / "migrate"):
        if missing_migrations():
            check_no_other_works()
            print("Preparing the database …", file=sys.stderr, flush=True)  # noqa: T201 - it takes some seconds
            call_command("migrate", interactive=False, verbosity=0)


def check_no_other_works() -> None:
    """Errors: BadEnvironment while an `up` of another version serves these data, which would meet changed tables."""
    for up in running(settings.DATA_DIR):
        if up.version != settings.CODE_VERSION:
            raise BadEnvironment(
                f"Litmus {up.version} is running on this data, at {up.address}. This is Litmus"
                f" {settings.CODE_VERSION}, which would change the tables in use. Stop the other one first:"
                f" {settings.PROGRAM} down"
            )
