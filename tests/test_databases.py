"""The test databases themselves."""

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
