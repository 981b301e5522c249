"""The test databases themselves."""

import signal

import psycopg
import pytest
from django.db import connection

from tests import databases


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
    assert databases.end_connections(5) == []


class TooLongError(Exception):
    """What a timeout raises in the middle of a statement."""


def _too_long(*_: object) -> None:
    raise TooLongError


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_statement_that_a_timeout_broke_off_spoils_no_later_test():
    before = signal.signal(signal.SIGALRM, _too_long)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(TooLongError), connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(2)")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    databases.empty_database()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM django_session")
        assert cursor.fetchone() == (0,)
