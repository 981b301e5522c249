"""Rows of exports: all of them, in order, while the next ones are already asked for."""

import threading
from itertools import islice

import pytest
from django.db import DataError, connection, transaction

from adjudication.exporting import streams
from adjudication.exporting.exporter import Options
from adjudication.exporting.registry import EXPORTERS
from corpus.models import Collection
from tests.factories.accounts import CollectionFactory

pytestmark = pytest.mark.django_db

NUMBERS = "SELECT n, 100 / (n - %(bad)s) FROM generate_series(1, %(last)s) n"


@pytest.fixture
def options(monkeypatch: pytest.MonkeyPatch) -> Options:
    monkeypatch.setattr(streams, "ROWS", 10)
    collection: Collection = CollectionFactory()
    return Options(collection, EXPORTERS["documents"])


@pytest.mark.parametrize("last", [0, 1, 9, 10, 11, 35, 40])
def test_every_row_once_and_in_order(options: Options, last: int) -> None:
    assert [n for n, _ in streams.rows(NUMBERS, options, bad=-1, last=last)] == list(range(1, last + 1))


def test_two_at_a_time_and_other_statements_between(options: Options) -> None:
    one, other = (streams.rows(NUMBERS, options, bad=-1, last=35) for _ in range(2))
    for (first, _), (second, _) in zip(one, other, strict=True):
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s", [first])
            assert cursor.fetchone() == (second,)


def test_who_stops_early_leaves_the_connection_usable(options: Options) -> None:
    before = threading.active_count()
    found = streams.rows(NUMBERS, options, bad=-1, last=1000)
    assert next(found)[0] == 1
    found.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
    assert Collection.objects.get() == options.collection


def test_an_error_in_later_rows_is_raised_where_they_are_used(options: Options) -> None:
    with transaction.atomic():
        found = streams.rows(NUMBERS, options, bad=25, last=40)
        assert [n for n, _ in islice(found, 20)] == list(range(1, 21))
        with pytest.raises(DataError, match="division by zero"):
            next(found)
        transaction.set_rollback(True)
    assert Collection.objects.get() == options.collection
