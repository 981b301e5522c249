"""Without a mail server nothing claims to have been sent, and no link gets into a log."""

import io
import logging

import pytest
from allauth.account.models import EmailAddress
from django.contrib import auth
from django.core.mail import send_mail
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.mail import NoMailServer
from tests.factories.accounts import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_mail(settings):
    settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"


def test_every_way_of_sending_is_refused():
    with pytest.raises(NoMailServer, match="not sent: no mail server is set up"):
        send_mail("Subject", "Text", None, ["ann@example.org"])


def test_a_forgotten_password_is_no_mail_on_its_way(client, caplog, capsys):
    UserFactory(email="ann@example.org")
    assert (
        "<form" not in client.get(reverse("account_reset_password")).text.partition("<main")[2].partition("</main")[0]
    )
    caplog.set_level(logging.INFO)
    answers = [
        client.post(reverse("account_reset_password"), {"email": email}, follow=True).text
        for email in ("ann@example.org", "stranger@example.org")
    ]
    for answer in answers:
        assert "No mail server is set up" in answer
        assert "Check your e-mail" not in answer
    printed = caplog.text + "".join(capsys.readouterr())
    assert "not sent: no mail server is set up" in printed
    assert "/reset/key/" not in printed


def test_an_address_is_not_changed_by_a_link_that_nobody_gets(client):
    user = UserFactory(email="ann@example.org")
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    assert auth.get_user(client).is_authenticated
    answer = client.post(reverse("account_email"), {"email": "new@example.org", "action_add": ""}, follow=True)
    assert "No mail server is set up" in answer.text
    assert "A link was sent" not in answer.text
    assert not EmailAddress.objects.filter(email="new@example.org").exists()


def test_an_account_without_a_password_sees_how_to_get_one(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    output = io.StringIO()
    call_command("create_user", "ann@example.org", stderr=output)
    assert "no mail server is set up" in output.getvalue()
    assert "manage.py changepassword ann@example.org" in output.getvalue()


def test_who_has_an_account_already_is_sent_to_the_command_that_sets_a_password(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    call_command("create_user", "ann@example.org", stderr=io.StringIO())
    with pytest.raises(CommandError, match=r"has an account already.*manage\.py changepassword ann@example\.org"):
        call_command("create_user", "ann@example.org", stderr=io.StringIO())
