"""The test databases themselves."""

import signal
import threading
from pathlib import Path

import psycopg
import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.db.models import Model

from accounts.models import User
from config.tables import missing_migrations
from tests import databases
from tests.access_world import make_world
from tests.factories.accounts import UserFactory
from tests.waiting import PATIENCE, wait_for


def test_a_second_run_waits_for_the_first(tmp_path: Path) -> None:
    ends, said = threading.Event(), []

    def say(text: str) -> None:
        said.append(text)
        ends.set()

    def run() -> None:
        with databases.one_run(tmp_path, said.append):
            holds.set()
            assert ends.wait(PATIENCE)

    holds, first = threading.Event(), threading.Thread(target=run)
    first.start()
    assert holds.wait(PATIENCE)
    with databases.one_run(tmp_path, say):
        first.join()
    assert said == [f"Waiting for another run of tests with {tmp_path} to end …"]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_who_holds_the_database_is_ended_and_reported() -> None:
    with connection.cursor() as cursor:
        parameters = cursor.connection.info.get_parameters() | {"password": cursor.connection.info.password}
    held = psycopg.connect(**parameters)
    held.execute("SELECT 'somebody forgot me'")
    assert any("somebody forgot me" in query for query in databases.end_connections(0.2))
    with pytest.raises(psycopg.OperationalError):
        held.execute("SELECT 1")
    held.close()
    assert databases.end_connections() == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_thread_that_ends_meanwhile_holds_the_database_no_longer() -> None:
    holds, may_end = threading.Event(), threading.Event()

    def ask() -> None:
        connection.ensure_connection()
        holds.set()
        may_end.wait(PATIENCE)

    thread = threading.Thread(target=ask)
    thread.start()
    assert holds.wait(PATIENCE)
    threading.Timer(0.3, may_end.set).start()
    assert databases.end_connections(PATIENCE) == []
    thread.join()


class TooLongError(Exception):
    """What a timeout raises in the middle of a statement."""


def _too_long(*_: object) -> None:
    raise TooLongError


def _take_too_long() -> None:
    with connection.cursor() as cursor:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        cursor.execute("SELECT pg_sleep(5)")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_statement_that_a_timeout_broke_off_spoils_no_later_test():
    before = signal.signal(signal.SIGALRM, _too_long)
    try:
        with pytest.raises(TooLongError):
            _take_too_long()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    databases.empty_database()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM django_session")
        assert cursor.fetchone() == (0,)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_rows_go_that_no_one_may_delete_or_that_others_refer_to() -> None:
    make_world()
    databases.empty_database()
    assert _filled() == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_what_a_request_is_still_writing_goes_as_well() -> None:
    UserFactory()
    with transaction.atomic():
        UserFactory()
        end = databases.begin(databases.empty_database)
        wait_for(databases.waits_for_a_lock, what="the emptying to wait")
        Group.objects.create(name="one of the first tables")
    assert end() is None
    assert _filled() == []


def _filled() -> list[type[Model]]:
    """What has rows, but for those that `migrate` makes."""
    models = apps.get_models(include_auto_created=True)
    return [model for model in models if model not in (ContentType, Permission) and model._base_manager.exists()]


@pytest.mark.django_db(transaction=True)
def test_a_copy_has_all_tables_and_no_row_of_the_database_in_use() -> None:
    UserFactory()
    with databases.copy_of_migrated("test_tables_copied"):
        assert not missing_migrations()
        assert not User.objects.exists()
    assert User.objects.exists()
