"""The audit log's page and its CSV."""

import csv
import io
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.audit import record_event
from accounts.models import AuditEvent, User
from corpus.collections.audit import audit_of
from corpus.collections.collections import rename_collection
from corpus.collections.pages.audit import PAGE_SIZE
from corpus.models import Collection, Role
from corpus.templatetags.people import in_words
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db

MANAGER = "mara@example.org"


@pytest.fixture
def collection(client: Client) -> Collection:
    """A collection whose manager is signed in."""
    collection = CollectionFactory(slug="tea")
    user = UserFactory(email=MANAGER)
    MembershipFactory(collection=collection, role=Role.MANAGER, user=user)
    client.force_login(user)
    return collection


def note(collection: Collection, verb: str = "update_collection", by: User | None = None, **data: object) -> None:
    at = AT + timedelta(minutes=AuditEvent.objects.count())
    record_event(by=by, at=at, verb=verb, target=collection, scope=collection, **data)


def table(client: Client, **query: str) -> list[list[str]]:
    answer = client.get(reverse("audit_download", args=["tea"]), query)
    assert answer["Content-Type"] == "text/csv"
    assert answer["Content-Disposition"] == 'attachment; filename="tea-audit.csv"'
    return list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode())))


def test_newest_first_and_of_this_collection_only(client: Client, collection: Collection) -> None:
    note(collection, "create_collection", title="First")
    note(collection, "open_campaign", items=["a", "b"], overlap=3, blind=True, note=None)
    note(CollectionFactory(slug="secret", title="Secret"), "create_collection")
    text = client.get(reverse("audit_list", args=["tea"])).text.replace("<bdi>", "").replace("</bdi>", "")
    assert text.index("open campaign") < text.index("title “First”")
    assert "note none; blind yes; items “a”, “b”; overlap 3" in text
    assert "Secret" not in text


def test_an_empty_log_is_not_said_to_be_filtered(client: Client, collection: Collection) -> None:
    empty = client.get(reverse("audit_list", args=["tea"])).text
    assert "No changes yet" in empty
    assert "Nothing matches" not in empty


def test_filters(client: Client, collection: Collection) -> None:
    ada = UserFactory(email="ada@example.org", name="")
    note(collection, "add_member", by=ada)
    note(collection, "change_role", by=ada)
    note(collection, "change_role")
    assert [line[2] for line in table(client, person="ADA")[1:]] == ["add_member", "change_role"]
    assert [line[1] for line in table(client, verb="change_role")[1:]] == ["ada@example.org", "system"]
    answer = client.get(reverse("audit_list", args=["tea"]), {"person": "nobody", "verb": "add_member"})
    assert "Nothing matches" in answer.text
    assert '<option value="add_member" selected>' in answer.text


@pytest.mark.slow
def test_pages_in_constant_queries(client: Client, collection: Collection, django_assert_max_num_queries) -> None:
    for number in range(PAGE_SIZE + 1):
        note(collection, event=number)
    with django_assert_max_num_queries(
        8
    ):  # session, user, membership, count, page, verbs, campaigns left, test campaigns
        first = client.get(reverse("audit_list", args=["tea"])).text
    assert "Page 1 of 2" in first
    assert "event <bdi>0<" not in first
    second = client.get(reverse("audit_list", args=["tea"]), {"page": "2", "verb": "update_collection"}).text
    assert "event <bdi>0<" in second
    assert "?page=1&amp;verb=update_collection" in second  # paging keeps the filter


def test_csv_is_whole_and_oldest_first(client: Client, collection: Collection) -> None:
    for number in range(PAGE_SIZE + 5):
        note(collection, number=number)
    head, *lines = table(client)
    assert head == ["at", "person", "verb", "target_type", "target_id", "target", "data"]
    assert [line[6] for line in lines] == [f'{{"number": {number}}}' for number in range(PAGE_SIZE + 5)]


@pytest.mark.parametrize("title", ["=HYPERLINK(1)", "+1", "-1", "@x"])
def test_csv_holds_no_formulas(client: Client, collection: Collection, title: str) -> None:
    collection.title = title
    note(collection)
    assert table(client)[1][5] == f"'{title}"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a" * 64, "“aaaaaaaaaa…”"),
        (1.5, "1.5"),
        ("", "(empty)"),
        ({"a_b": [1, False]}, "a b 1, no"),
        ([], ""),
        (None, "none"),
    ],
)
def test_particulars_are_shown_in_words(value: object, words: str) -> None:
    assert in_words(value) == words


def test_the_log_follows_the_collection_and_not_its_slug() -> None:
    tea = CollectionFactory(slug="tea")
    rename_collection(by=None, at=AT, collection=tea, slug="teas")
    assert [event.verb for event in audit_of(tea)] == ["rename_collection"]
    # However a slug came to be reused (before addresses were kept, or by hand), no log shows another's events.
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM corpus_collectionaddress WHERE slug = 'tea'")
    assert not audit_of(CollectionFactory(slug="tea")).exists()
