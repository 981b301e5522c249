"""From the tables of one version to those of the next, and what is said where the data and the program do not fit.

Each migration is done whole or not at all, so at every moment one of the two versions can go on with the data: the one
that made the tables, until the first migration is done; from then on the next one. The tables say which these are, in
the comment of one of them, which backups hold as well.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from psycopg import sql

from accounts.storage_full import is_no_room
from config.env import Misfit

THIS = f"Litmus {settings.CODE_VERSION}"


@dataclass(frozen=True)
class Stamp:
    """The version that made the tables, and the one that has begun to bring them up to date; "" for not known."""

    version: str = ""
    following: str = ""

    @property
    def maker(self) -> str:
        return f"Litmus {self.version}" if self.version else "an earlier version of Litmus"


def read_stamp(on: Any = connection) -> Stamp:
    with on.cursor() as cursor:
        cursor.execute("SELECT obj_description(to_regclass('django_migrations'), 'pg_class')")
        (comment,) = cursor.fetchone()
    with suppress(ValueError, TypeError):
        return Stamp(**json.loads(comment))
    return Stamp()


def write_stamp(stamp: Stamp) -> None:
    with connection.cursor() as cursor:
        text = sql.Literal(json.dumps(asdict(stamp)))
        cursor.execute(sql.SQL("COMMENT ON TABLE django_migrations IS {}").format(text))


@contextmanager
def upgrading() -> Iterator[None]:
    """Inside the block the tables are brought up to date. Errors: Misfit for those of a later version, and where it
    fails, with which version can go on."""
    from config.tables import check_version, migrations_applied, migrations_on_disk

    check_version()
    before = migrations_applied()
    missing = migrations_on_disk() - before
    if not missing:
        yield
        return
    made = read_stamp()
    try:
        if before:
            write_stamp(Stamp(made.version, settings.CODE_VERSION))
        yield
        write_stamp(Stamp(settings.CODE_VERSION))
    except DatabaseError as error:
        done = None
        with suppress(DatabaseError):  # PostgreSQL ends where it has no room at all
            done = len(missing & migrations_applied())
        raise Misfit(unfinished(made, is_no_room(error) or str(error).strip(), done, len(missing))) from error


def unfinished(made: Stamp, why: str | bool, done: int | None, steps: int) -> str:
    """What to say where a step failed after `done` of `steps`; `why` is its reason, or true for a full disk."""
    reason = "there is no room left on the disk of the database" if why is True else str(why).rstrip(".")
    remedy = f"{'Make room, then start' if why is True else 'Start'} {THIS} again: it continues where it stopped."
    if done == 0:
        able = f"No step is done, so {made.maker} can still read the data, too."
    elif done is None:
        able = "The database no longer answers."
    else:
        able = f"{done} of {steps} steps are done, so only {THIS} can read the data from now on."
    return (
        f"{place()} could not be brought up to date from {made.maker} to {THIS}: {reason}. "
        f"The step that failed was undone, nothing is lost. {able} {remedy}"
    )


def later(strange: str, made: Stamp, where: str = "") -> str:
    """What to say of tables with the migration `strange`, which this version does not know."""
    where = where or place()
    if made.following not in ("", settings.CODE_VERSION):
        return (
            f"{where} is partly upgraded from {made.maker} to Litmus {made.following}: the upgrade was stopped before"
            " the end. "
            f"{THIS} can no longer read it. Nothing was changed. Start Litmus {made.following}: it continues where it "
            f"stopped. Or restore a backup that {made.maker} made, into a new {thing()}."
        )
    is_known = made.version not in ("", settings.CODE_VERSION)
    maker = f"Litmus {made.version}" if is_known else "another version of Litmus"
    return (
        f"{where} was made by {maker} (it has {strange}, which {THIS} does not know). Nothing was changed. "
        f"Use {maker if is_known else 'the version that made it'} to read it. Or restore a backup that {THIS} or "
        f"an earlier version made, into a new {thing()}."
    )


def waiting(made: Stamp) -> str:
    """What to say while the tables are those of an earlier version."""
    from config.tables import MIGRATE

    if made.following == settings.CODE_VERSION:
        now = f"{THIS} has begun to bring it up to date and has not finished: it is still running, or was stopped."
    else:
        now = f"{THIS} has not brought it up to date yet."
    return (
        f"The database was made by {made.maker}. {now} Pages open once this is done; nothing is lost. If this page "
        f"stays, run `{MIGRATE}`, which reports the problem."
    )


def place() -> str:
    return "The database of DATABASE_URL" if settings.DATABASE_URL else f"The data directory {settings.DATA_DIR}"


def thing() -> str:
    return "database" if settings.DATABASE_URL else "data directory"
