"""Sessions are Django's in all but how they are read: by one statement, and only if the cookie can be a key."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore as DjangoStore
from django.contrib.sessions.models import Session
from django.core import signing
from django.db.models import F
from django.test import Client
from django.urls import reverse

from accounts.sessions import SessionStore
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def key() -> str:
    """The key of a session that holds {"tea": "green"}."""
    store = SessionStore()
    store["tea"] = "green"
    store.create()
    assert store.session_key
    return store.session_key


def test_a_session_is_read_by_one_statement(key: str, django_assert_num_queries) -> None:
    with django_assert_num_queries(1):
        assert SessionStore(key)["tea"] == "green"


def test_either_store_reads_what_the_other_wrote(key: str) -> None:
    """So nobody was signed out by the change, and nobody would be by undoing it."""
    assert DjangoStore(key)["tea"] == "green"
    other = DjangoStore()
    other["tea"] = "black"
    other.create()
    assert SessionStore(other.session_key)["tea"] == "black"


@pytest.mark.parametrize("cookie", ["", "short", "x" * 33, "é" * 32, "A" * 32, "' OR true --" + 20 * "a", "\0" * 32])
def test_what_cannot_be_a_key_is_not_asked_for(cookie: str, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        assert dict(SessionStore(cookie).items()) == {}


def test_an_unknown_key_is_not_taken_over(client: Client) -> None:
    """Somebody who makes another person sign in under a key they know would share the session."""
    known = "a" * 32
    store = SessionStore(known)
    assert store.get("tea") is None
    assert store.session_key is None
    client.cookies[settings.SESSION_COOKIE_NAME] = known
    client.force_login(UserFactory())
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != known


def test_an_expired_session_is_none(key: str) -> None:
    Session.objects.filter(pk=key).update(expire_date=F("expire_date") - timedelta(seconds=settings.SESSION_COOKIE_AGE))
    assert SessionStore(key).get("tea") is None


def test_contents_that_were_not_signed_here_are_none(key: str) -> None:
    forged = signing.dumps({"_auth_user_id": "1"}, key="another", salt=SessionStore().key_salt)
    Session.objects.filter(pk=key).update(session_data=forged)
    assert dict(SessionStore(key).items()) == {}


def test_a_session_that_was_ended_elsewhere_opens_nothing(client: Client) -> None:
    client.force_login(UserFactory())
    assert client.get(reverse("account_profile")).status_code == 200
    Session.objects.all().delete()
    assert client.get(reverse("account_profile")).status_code == 302
