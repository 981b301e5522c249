"""API tokens: made, shown once, used, revoked."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.actions import LONGEST_LIFE, MOST_TOKENS, create_token, revoke_token
from accounts.authentication import NOTE_USE_EVERY, TokenAuthentication
from accounts.keys import PREFIX, digest_of, new_key
from accounts.models import ApiToken, AuditEvent, TokenScope
from accounts.refusals import NotAllowed, Refused
from tests.factories.accounts import AT, UserFactory, make_token

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
WANTED = {"scope": "read", "days": "30"}


def authenticate(header: str | None) -> tuple[object, object] | None:
    headers = {} if header is None else {"authorization": header}
    request = Request(RequestFactory().get("/api/", headers=headers))
    request.user = AnonymousUser()
    return TokenAuthentication().authenticate(request)


def test_keys_differ_and_hold_256_bits() -> None:
    keys = {new_key() for _ in range(50)}
    assert len(keys) == 50
    assert all(key.startswith(PREFIX) and len(key) - len(PREFIX) >= 43 for key in keys)  # 43 × 6 bits ≥ 256


def test_only_a_digest_is_stored() -> None:
    token, key = make_token(UserFactory())
    token.refresh_from_db()
    assert token.digest == digest_of(key)
    assert len(token.digest) == 64
    assert key not in str(ApiToken.objects.values()) + str(AuditEvent.objects.values())


def test_a_token_is_its_person() -> None:
    user = UserFactory()
    token, key = make_token(user)
    assert authenticate(f"Bearer {key}") == (user, token)
    assert authenticate(f"bearer {key}") == (user, token)


@pytest.mark.parametrize("header", [None, "Basic dXNlcjpwYXNz", ""])
def test_other_schemes_are_left_alone(header: str | None) -> None:
    assert authenticate(header) is None


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer litmus_wrong", "Bearer a b", "Bearer \xff\xfe", "Bearer " + "x" * 5000]
)
def test_a_wrong_token_is_reported(header: str) -> None:
    with pytest.raises(AuthenticationFailed):
        authenticate(header)


def test_a_digest_is_no_key() -> None:
    token, _ = make_token(UserFactory())
    with pytest.raises(AuthenticationFailed):
        authenticate(f"Bearer {token.digest}")


def test_a_revoked_token_opens_nothing_and_is_audited_once() -> None:
    user = UserFactory()
    token, key = make_token(user)
    revoke_token(by=user, at=AT, token=token)
    revoke_token(by=user, at=AT, token=token)
    with pytest.raises(AuthenticationFailed, match="revoked"):
        authenticate(f"Bearer {key}")
    assert list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True)) == ["create_token", "revoke_token"]


def test_tokens_of_a_switched_off_account_open_nothing() -> None:
    user = UserFactory()
    _, key = make_token(user)
    user.is_active = False
    user.save()
    with pytest.raises(AuthenticationFailed, match="switched off"):
        authenticate(f"Bearer {key}")


def test_only_the_owner_revokes() -> None:
    token, _ = make_token(UserFactory())
    with pytest.raises(NotAllowed):
        revoke_token(by=UserFactory(), at=AT, token=token)
    token.refresh_from_db()
    assert token.revoked_at is None


def test_use_is_noted_but_not_at_each_request(django_assert_num_queries) -> None:
    token, key = make_token(UserFactory())
    with django_assert_num_queries(2):
        authenticate(f"Bearer {key}")
    token.refresh_from_db()
    assert token.last_used_at is not None
    assert timezone.now() - token.last_used_at < timedelta(minutes=1)
    with django_assert_num_queries(1):
        authenticate(f"Bearer {key}")
    ApiToken.objects.update(last_used_at=timezone.now() - NOTE_USE_EVERY)
    with django_assert_num_queries(2):
        authenticate(f"Bearer {key}")


def test_there_is_a_most() -> None:
    user = UserFactory()
    ApiToken.objects.bulk_create(
        [
            ApiToken(user=user, label="x", scope="read", digest=str(i), created_at=AT, expires_at=timezone.now() + DAY)
            for i in range(MOST_TOKENS)
        ]
    )
    with pytest.raises(Refused, match="the most"):
        make_token(user)
    revoke_token(by=user, at=AT, token=ApiToken.objects.first())
    make_token(user)
    with pytest.raises(Refused, match="the most"):
        make_token(user)
    ApiToken.objects.filter(pk=ApiToken.objects.last().pk).update(expires_at=timezone.now())
    make_token(user)  # an expired one does not count


def test_the_key_is_on_the_page_once(client: Client) -> None:
    client.force_login(UserFactory())
    made = client.post(reverse("token_list"), {"label": "nightly export", **WANTED})
    key = made.context["key"]
    assert key.startswith(PREFIX)
    assert key in made.text
    assert "no-store" in made["Cache-Control"]
    again = client.get(reverse("token_list"))
    assert key not in again.text
    assert "nightly export" in again.text


def test_a_token_needs_a_label(client: Client) -> None:
    client.force_login(UserFactory())
    answer = client.post(reverse("token_list"), {"label": " ", **WANTED})
    assert answer.status_code == 422
    assert not ApiToken.objects.exists()


def test_the_page_says_when_there_are_too_many(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.actions.MOST_TOKENS", 0)
    client.force_login(UserFactory())
    answer = client.post(reverse("token_list"), {"label": "lab", **WANTED})
    assert answer.status_code == 422
    assert "Revoke one that is no longer needed" in answer.text


def test_revoking_on_the_page(client: Client) -> None:
    user = UserFactory()
    token, _ = make_token(user)
    client.force_login(user)
    answer = client.post(reverse("token_revoke", args=[token.pk]), follow=True)
    assert "revoked. Programs" in answer.text
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_each_person_sees_their_own_only(client: Client, django_assert_max_num_queries) -> None:
    token, _ = make_token(UserFactory())
    ApiToken.objects.filter(pk=token.pk).update(label="somebody else’s")
    user = UserFactory()
    for number in range(5):
        token, _ = make_token(user)
        ApiToken.objects.filter(pk=token.pk).update(label=f"mine {number}")
    client.force_login(user)
    with django_assert_max_num_queries(3):  # session in the cache, user, tokens
        answer = client.get(reverse("token_list"))
    assert answer.text.count("mine ") >= 5
    assert "somebody else" not in answer.text


def test_a_scope_includes_the_narrower_ones() -> None:
    """The access table asks at each address with what is needed and with the widest."""
    included = {scope: [other for other in TokenScope if scope.includes(other)] for scope in TokenScope}
    assert included == {"read": ["read"], "judge": ["read", "judge"], "manage": ["read", "judge", "manage"]}


@pytest.mark.parametrize("life", [timedelta(0), -DAY, LONGEST_LIFE + timedelta(seconds=1)])
def test_a_token_expires_in_a_year_at_most(life: timedelta) -> None:
    with pytest.raises(Refused, match="expires within 366 days"):
        create_token(by=UserFactory(), at=AT, label="lab", scope=TokenScope.READ, expires_at=AT + life)
    with pytest.raises(IntegrityError, match="api_token_expires_after_creation"), transaction.atomic():
        ApiToken.objects.create(user=UserFactory(), label="x", scope="read", created_at=AT, expires_at=AT)
    with pytest.raises(IntegrityError, match="api_token_scope_known"), transaction.atomic():
        ApiToken.objects.create(user=UserFactory(), label="x", scope="all", created_at=AT, expires_at=AT + DAY)


def test_an_expired_token_opens_nothing_and_says_when_it_ended(client: Client) -> None:
    user = UserFactory()
    token, key = make_token(user)
    ApiToken.objects.update(created_at=AT, expires_at=AT + DAY)
    with pytest.raises(AuthenticationFailed, match="expired on 2 May 2024"):
        authenticate(f"Bearer {key}")
    client.force_login(user)
    page = client.get(reverse("token_list")).text
    assert ">expired<" in page
    assert reverse("token_revoke", args=[token.pk]) not in page


def test_the_page_makes_what_was_asked_for(client: Client) -> None:
    client.force_login(UserFactory())
    client.post(reverse("token_list"), {"label": "labels", "scope": "judge", "days": "7"})
    token = ApiToken.objects.get()
    assert (token.scope, token.expires_at - token.created_at) == ("judge", 7 * DAY)
    assert client.post(reverse("token_list"), {"label": "x", "scope": "root", "days": "7"}).status_code == 422
    assert client.post(reverse("token_list"), {"label": "x", "scope": "read", "days": "9999"}).status_code == 422
