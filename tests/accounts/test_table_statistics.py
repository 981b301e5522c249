"""After much was brought in the planner knows how much there is."""

import pytest
from django.db import connection

from accounts.table_statistics import analyse_changed_tables
from corpus.models import Document
from tests.factories.corpus import CollectionFactory

pytestmark = pytest.mark.django_db(transaction=True)


def _known_rows() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples::bigint FROM pg_class WHERE relname = 'corpus_document'")
        return int(cursor.fetchone()[0])


def test_a_table_that_was_filled_is_analysed_and_one_with_a_few_new_rows_is_not():
    collection = CollectionFactory()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE corpus_document")
    Document.objects.bulk_create(Document(collection=collection, docno=f"a{n}") for n in range(100))
    analyse_changed_tables()
    assert _known_rows() == 0
    Document.objects.bulk_create(Document(collection=collection, docno=f"b{n}") for n in range(400))
    analyse_changed_tables()
    assert _known_rows() == 500


@pytest.mark.slow
def test_a_table_that_was_emptied_does_not_count_as_empty_when_it_is_filled_again():
    collection = CollectionFactory()
    Document.objects.bulk_create(Document(collection=collection, docno=f"a{n}") for n in range(1000))
    Document.objects.all().delete()
    analyse_changed_tables()
    assert _known_rows() == -1  # nobody has looked: the planner goes by the size of the file
