"""Test databases: used by one run at a time, migrated once and copied, and emptied after each test that commits."""

import gc
import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import django
import psycopg
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.utils import OperationalError

from accounts.refusals import Refused
from config.embedded.places import FileLock, make_directories
from tests.processes import PATIENCE, wait_for

PREFIX = "litmus_migrated_"
_LOCK = 7_203_511  # of the advisory lock under which the template is made
_ATTEMPTS = 5

# To truncate every table, as Django's own flush does, costs a third of a second of disk work. Where tests left a few
# rows this deletes from the tables that hold some, waits for requests that are still writing, and looks again for
# what they wrote; where they left many, or what was deleted has piled up, it truncates.
# As a replica does, which checks no foreign key and fires no trigger: to ask the keys of a world took seven eighths of
# the time.
_EMPTY = """
DO $$
DECLARE
    one regclass;
    tables regclass[];
    holds_rows boolean;
    found boolean := true;
    bytes bigint;
BEGIN
    SELECT array_agg(oid::regclass), sum(pg_relation_size(oid)) INTO tables, bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
      AND relname NOT IN ('django_migrations', 'django_content_type', 'auth_permission');
    IF bytes > 2000000 OR NOT has_parameter_privilege('session_replication_role', 'SET') THEN
        EXECUTE 'TRUNCATE ' || array_to_string(tables, ', ');
        RETURN;
    END IF;
    IF current_setting('server_version_num')::int >= 180000 THEN  -- what was known of rows that are gone
        EXECUTE 'SELECT count(pg_clear_relation_stats(current_schema()::text, relname::text)) FROM pg_class'
            ' WHERE relkind = ''r'' AND relnamespace = current_schema()::regnamespace AND reltuples >= 0';
    END IF;
    SET LOCAL session_replication_role = replica;
    WHILE found LOOP
        found := false;
        FOREACH one IN ARRAY tables LOOP
            CONTINUE WHEN pg_relation_size(one) = 0;
            EXECUTE format('SELECT EXISTS (SELECT FROM %s)', one) INTO holds_rows;
            IF holds_rows THEN
                found := true;
                EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', one);
                EXECUTE format('DELETE FROM %s', one);
            END IF;
        END LOOP;
    END LOOP;
END $$
"""


# Most tests take back what they wrote. A table that autovacuum looks at in that moment counts as empty ever after, and
# the plans of a later test with a thousand rows take minutes.
_LEFT_ALONE = """
DO $$
DECLARE
    one regclass;
BEGIN
    FOR one IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace LOOP
        EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', one);
    END LOOP;
END $$
"""


@contextmanager
def one_run(data_dir: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Inside the block no other run of tests uses the servers of this data directory; one that does is waited for.

    Two runs would empty each other's Redis databases, and delete each other's files in memory.
    """
    make_directories(data_dir)
    with closing(FileLock(data_dir / "locks" / "tests")) as lock:
        if not lock.take(wait=False):
            say(f"Waiting for another run of tests with {data_dir} to end …")
            lock.take()
        yield


def migrated_template() -> str:
    """The name of a database with all migrations of this checkout, made by the first process that asks for it."""
    name = PREFIX + _digest_migrations()
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        try:
            _allow_to_be_a_replica()
            cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [PREFIX])
            existing = {row[0] for row in cursor.fetchall()}
            for old in existing - {name}:
                cursor.execute(f'DROP DATABASE IF EXISTS "{old}"')
            if name not in existing:
                unfinished = f"{PREFIX}unfinished"
                cursor.execute(f'CREATE DATABASE "{unfinished}"')
                with connected_to(unfinished):
                    call_command("migrate", verbosity=0, interactive=False)
                    with connection.cursor() as tables:
                        tables.execute(_LEFT_ALONE)
                cursor.execute(f'ALTER DATABASE "{unfinished}" RENAME TO "{name}"')
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
    return name


@contextmanager
def copy_of_migrated(name: str) -> Iterator[None]:
    """Inside the block Django works on a new database of this name with all tables and no rows."""
    template = migrated_template()
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    try:
        with connected_to(name):
            yield
    finally:
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE "{name}"')


def _allow_to_be_a_replica() -> None:
    """Let the embedded server's role do what emptying takes; on another server it may if it is a superuser."""
    if "postgres" in settings.EMBEDDED_SERVERS:
        own = connection.settings_dict
        place = {"host": own["HOST"], "port": own["PORT"], "dbname": "postgres", "user": "postgres"}
        with psycopg.connect(**place) as superuser:
            superuser.execute(f"GRANT SET ON PARAMETER session_replication_role TO {own['USER']}")


def empty_database() -> None:
    """Delete every row of the test database but those of `migrate`."""
    for attempt in range(_ATTEMPTS):
        try:
            with connection.cursor() as cursor:
                cursor.execute(_EMPTY)
        except OperationalError:  # a deadlock with a request that is still running
            # Or a statement that a timeout broke off: that connection is of no use to any later test.
            connection.close()
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return


def end_connections(seconds: float = 10) -> list[str]:
    """Wait until nobody is connected to the test database, as it cannot be dropped before, and end who stays.

    A page that a browser test leaves may have asked for something: the live server's thread answers it to the end.
    Returns what those were that stayed: their state, when they came, their last statement.
    """
    connection.close()
    connection.close_pool()
    others = "FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'"
    name = connection.settings_dict["NAME"]
    until = time.monotonic() + seconds
    with connection._nodb_cursor() as cursor:
        while time.monotonic() < until:
            cursor.execute(f"SELECT count(*) {others}", [name])
            if cursor.fetchone() == (0,):
                return []
            # The connection of a thread that has just ended is garbage, which is looked for seldom in tests, as it
            # takes long after them.
            gc.collect()
            time.sleep(0.25)
        facts = "concat_ws(', ', nullif(application_name, ''), state, 'connected at ' || backend_start, query)"
        cursor.execute(f"SELECT {facts}, pg_terminate_backend(pid, 5000) {others}", [name])
        return [query for query, _ in cursor.fetchall()]


def waits_for_a_lock() -> bool:
    """Whether some transaction on this database waits for what another one holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return bool(cursor.fetchone()[0])


def _digest_migrations() -> str:
    migrate = Path(settings.BASE_DIR, "config/upgrade.py").read_bytes()  # which notes the version in the tables
    parts = [django.__version__.encode(), settings.CODE_VERSION.encode(), _LEFT_ALONE.encode(), migrate]
    digest = hashlib.sha256(b"".join(parts))
    for config in sorted(apps.get_app_configs(), key=lambda config: config.label):
        for path in sorted(Path(config.path, "migrations").glob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def connected_to(name: str, **server: str) -> Iterator[None]:
    """Inside the block Django works on the database of this name, of another server where its settings are given."""
    elsewhere = {"NAME": name, **server}
    own = {key: connection.settings_dict[key] for key in elsewhere}
    connection.close()
    connection.close_pool()
    connection.settings_dict.update(elsewhere)
    try:
        yield
    finally:
        connection.close()
        connection.close_pool()
        connection.settings_dict.update(own)


def in_another_connection(work: Callable[[], object]) -> Any:
    """What it gives, or raises, while this connection's transaction is not committed. For tests with
    `transaction=True`."""
    return begin(work)()


def second_of(first: Callable[[], object], second: Callable[[], object]) -> Any:
    """What the second gives, or raises, that begins while the first is not committed, and waits for it. For tests with
    `transaction=True`."""
    with transaction.atomic():
        first()
        end = begin(second)
        wait_for(waits_for_a_lock, 20, "the other transaction to wait")
    return end()


def at_once(*works: Callable[[], object]) -> list[Any]:
    """What each gives, or the refusal that it meets, begun in one moment, each over a connection of its own. For tests
    with `transaction=True`. Errors: what else one of them raises."""
    start = threading.Barrier(len(works))
    ends = [begin(partial(_after, start, work)) for work in works]
    said = [end() for end in ends]
    for each in said:
        if isinstance(each, BaseException) and not isinstance(each, Refused):
            raise each
    return said


def _after(start: threading.Barrier, work: Callable[[], object]) -> object:
    start.wait(PATIENCE)
    return work()


def begin(work: Callable[[], object]) -> Callable[[], Any]:
    """Start it over a connection of its own; what waits for its end, and gives what it gave or raised."""
    said: list[Any] = []

    def carry_out() -> None:
        try:
            said.append(work())
        except BaseException as error:  # noqa: BLE001 - reported by the test
            said.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=carry_out, daemon=True)
    thread.start()

    def end() -> Any:
        thread.join(PATIENCE)
        assert said, "it did not end"
        return said[0]

    return end
