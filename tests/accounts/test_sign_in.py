"""Signing in and out, passwords, e-mail addresses, the second factor: allauth as it is set up here."""

import re

import pytest
from allauth.mfa.adapter import get_adapter as get_mfa_adapter
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from tests.factories.accounts import PASSWORD, UserFactory, make_token

pytestmark = pytest.mark.django_db

LOGIN = "/accounts/login/"


def sign_in(client: Client, email: str, password: str = PASSWORD, **more: object):
    return client.post(LOGIN, {"login": email, "password": password, **more})


def is_signed_in(client: Client) -> bool:
    return client.get(reverse("account_profile")).status_code == 200


def test_sign_in_by_address_and_password_whatever_its_case(client: Client) -> None:
    UserFactory(email="ada@example.org")
    answer = sign_in(client, "Ada@Example.ORG", next="/help/")
    assert answer["Location"] == "/help/"
    assert is_signed_in(client)
    assert AuditEvent.objects.filter(verb="sign_in", actor="ada@example.org").count() == 1


def test_sign_in_sends_nobody_elsewhere(client: Client) -> None:
    UserFactory(email="ada@example.org")
    assert sign_in(client, "ada@example.org", next="https://evil.example/")["Location"] == "/"


@pytest.mark.parametrize(("email", "password"), [("ada@example.org", "wrong"), ("nobody@example.org", PASSWORD)])
def test_wrong_answers_look_the_same(client: Client, email: str, password: str) -> None:
    UserFactory(email="ada@example.org")
    answer = sign_in(client, email, password)
    assert "The email address and/or password you specified are not correct." in answer.text
    assert 'role="alert"' in answer.text
    assert not is_signed_in(client)


def test_guessing_is_slowed_down(client: Client) -> None:
    UserFactory(email="ada@example.org")
    for _ in range(5):
        assert "not correct" in sign_in(client, "ada@example.org", "wrong").text
    answer = sign_in(client, "ada@example.org")
    assert "Too many failed login attempts" in answer.text
    assert not is_signed_in(client)


@pytest.mark.slow
@pytest.mark.usefixtures("somebody")
def test_a_flood_of_attempts_gets_429_in_our_words(client: Client) -> None:
    answers = [sign_in(client, f"nobody{number}@example.org", "wrong") for number in range(31)]
    assert answers[-1].status_code == 429
    assert "Too many attempts" in answers[-1].text


def test_a_switched_off_account(client: Client) -> None:
    UserFactory(email="ada@example.org", is_active=False)
    answer = client.get(sign_in(client, "ada@example.org").get("Location", LOGIN))
    assert "switched off" in answer.text
    assert not is_signed_in(client)


@pytest.mark.usefixtures("somebody")
def test_nobody_signs_up_alone(client: Client) -> None:
    data = {"email": "eve@example.org", "password1": PASSWORD, "password2": PASSWORD}
    answer = client.post(reverse("account_signup"), data)
    assert "You need an invitation" in answer.text
    assert not User.objects.filter(email="eve@example.org").exists()


def test_sign_out_asks_without_script_and_signs_out(client: Client) -> None:
    client.force_login(UserFactory())
    assert "Sign out?" in client.get(reverse("account_logout")).text
    assert is_signed_in(client)
    answer = client.post(reverse("account_logout"), follow=True)
    assert "You are signed out." in answer.text
    assert not is_signed_in(client)


def opens(key: str) -> bool:
    return Client().get(reverse("api_collections"), headers={"authorization": f"Bearer {key}"}).status_code == 200


def test_changing_the_password_ends_other_sessions_and_tokens(client: Client) -> None:
    user, other = UserFactory(), Client()
    client.force_login(user)
    other.force_login(user)
    keys, stranger = [make_token(user)[1] for _ in range(2)], make_token(UserFactory())[1]
    assert is_signed_in(other)
    assert opens(keys[0])
    data = {"oldpassword": PASSWORD, "password1": "another long one", "password2": "another long one"}
    answer = client.post(reverse("account_change_password"), data, follow=True)
    assert "Password changed. Your other sessions are signed out." in answer.text
    assert "2 API tokens revoked. Create new ones" in answer.text
    user.refresh_from_db()
    assert user.check_password("another long one")
    assert is_signed_in(client)
    assert not is_signed_in(other)
    assert [opens(key) for key in [*keys, stranger]] == [False, False, True]
    assert AuditEvent.objects.get(verb="set_password", actor_id=user.pk).data == {"revoked_tokens": 2}
    (message,) = mail.outbox
    assert (message.to, message.subject) == ([user.email], "Litmus: Your password was changed")
    assert "If it was not you" in message.body


def test_a_poor_password_is_refused(client: Client) -> None:
    client.force_login(UserFactory())
    data = {"oldpassword": PASSWORD, "password1": "short", "password2": "short"}
    answer = client.post(reverse("account_change_password"), data)
    assert "too short" in answer.text


def test_resetting_a_forgotten_password(client: Client) -> None:
    user, other = UserFactory(email="ada@example.org"), Client()
    other.force_login(user)
    _, key = make_token(user)
    answer = client.post(reverse("account_reset_password"), {"email": "Ada@example.org"}, follow=True)
    assert "Check your e-mail" in answer.text
    (message,) = mail.outbox
    assert message.to == ["ada@example.org"]
    assert message.subject == "Litmus: Choose a new password"
    address = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", message.body)
    assert address is not None
    page = client.get(address[1], follow=True)
    action = page.redirect_chain[-1][0]
    done = client.post(action, {"password1": "another long one", "password2": "another long one"}, follow=True)
    assert "Password changed" in done.text
    assert "1 API token revoked." in done.text
    assert not is_signed_in(other)
    assert not opens(key)
    assert mail.outbox[-1].subject == "Litmus: Your password was changed"
    user.refresh_from_db()
    assert user.check_password("another long one")
    assert "no longer works" in Client().get(address[1]).text


@pytest.mark.usefixtures("somebody")
def test_resetting_reveals_nothing_about_who_has_an_account(client: Client) -> None:
    answer = client.post(reverse("account_reset_password"), {"email": "stranger@example.org"}, follow=True)
    assert "Check your e-mail" in answer.text
    assert not mail.outbox


def confirm_password(client: Client) -> None:
    """What is asked for again before something sensitive."""
    assert client.post(reverse("account_reauthenticate"), {"password": PASSWORD, "next": "/help/"}).status_code == 302


def test_a_mail_server_that_is_away_reveals_nothing_to_strangers(
    client: Client, settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 2
    UserFactory(email="ada@example.org")
    answer = client.post(reverse("account_reset_password"), {"email": "ada@example.org"}, follow=True)
    assert "Check your e-mail" in answer.text
    assert "could not be sent" in caplog.text


def test_a_new_address_counts_once_confirmed(client: Client) -> None:
    user = UserFactory(email="ada@example.org")
    sign_in(client, "ada@example.org")
    data = {"email": "new@example.org", "action_add": ""}
    assert client.post(reverse("account_email"), data)["Location"].startswith(reverse("account_reauthenticate"))
    confirm_password(client)
    client.post(reverse("account_email"), data)
    user.refresh_from_db()
    assert user.email == "ada@example.org"
    again = Client()
    sign_in(again, "ada@example.org")
    assert is_signed_in(again)
    assert mail.outbox[-1].to == ["new@example.org"]
    address = re.search(r"http://testserver(/accounts/confirm-email/\S+)", mail.outbox[-1].body)
    assert address is not None
    client.post(address[1])
    user.refresh_from_db()
    assert user.email == "new@example.org"
    event = AuditEvent.objects.get(verb="change_email")
    assert event.data == {"before": "ada@example.org", "after": "new@example.org"}
    old = Client()
    sign_in(old, "ada@example.org")
    assert not is_signed_in(old)


def test_a_second_factor_is_asked_for_once_set_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    UserFactory(email="ada@example.org")
    sign_in(client, "ada@example.org")
    confirm_password(client)
    page = client.get(reverse("mfa_activate_totp"))
    assert 'src="data:image/svg+xml' in page.text
    secret = page.context["form"].secret
    answer = client.post(reverse("mfa_activate_totp"), {"code": app_code(secret)})
    assert answer.status_code == 302
    assert len(client.get(reverse("mfa_view_recovery_codes")).context["unused_codes"]) == 10
    other = Client()
    assert sign_in(other, "ada@example.org")["Location"].startswith(reverse("mfa_authenticate"))
    assert not is_signed_in(other)
    recovery = client.get(reverse("mfa_view_recovery_codes")).context["unused_codes"][0]
    other.post(reverse("mfa_authenticate"), {"code": recovery})
    assert is_signed_in(other)
    assert get_mfa_adapter().is_mfa_enabled(User.objects.get())


def app_code(secret: str) -> str:
    """What an authenticator app would show now."""
    return format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))


@pytest.mark.parametrize(
    "name", ["account_login", "account_reset_password", "account_reset_password_done", "account_signup", "help"]
)
def test_open_pages_have_no_inline_script_or_style(client: Client, name: str) -> None:
    text = client.get(reverse(name)).text
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", text)
