"""Accounts: made by command, described by their owner."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.actions import create_user, set_theme, update_profile
from accounts.digests import Notice
from accounts.models import AuditEvent, User
from accounts.refusals import Conflict
from accounts.themes import COOKIE, Theme
from tests.factories.accounts import AT, UserFactory, make_token

pytestmark = pytest.mark.django_db


def make(*arguments: str, password: str | None = None, monkeypatch: pytest.MonkeyPatch | None = None) -> dict:
    out = io.StringIO()
    if monkeypatch is not None:
        monkeypatch.setattr("sys.stdin", io.StringIO(password or ""))
    call_command("create_user", *arguments, "--json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def test_an_account_is_made_and_audited() -> None:
    user = create_user(by=None, at=AT, email="Ada@Example.org", password="a long secret", name="Ada")
    assert (user.email, user.name, user.is_staff) == ("ada@example.org", "Ada", False)
    assert user.check_password("a long secret")
    event = AuditEvent.objects.get()
    assert (event.verb, event.actor, event.target) == ("create_user", "system", "Ada")
    assert "secret" not in json.dumps(event.data)


def test_an_address_has_one_account_whatever_its_case() -> None:
    UserFactory(email="ada@example.org")
    with pytest.raises(Conflict, match="has an account already"):
        create_user(by=None, at=AT, email="ADA@example.org", password=None)
    assert User.objects.count() == 1


def test_nobody_types_a_password_for_an_account_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("getpass.getpass", lambda prompt: asked.append(prompt) or "a long secret")
    monkeypatch.setattr("sys.stdin", type("Terminal", (io.StringIO,), {"isatty": lambda _: True})())
    make("ada@example.org")
    assert asked == ["Password (empty for none): ", "Repeat the password: "]
    with pytest.raises(CommandError, match="has an account already"):
        make("Ada@example.org")
    assert len(asked) == 2
    call_command("changepassword", "ada@example.org", stdout=io.StringIO())
    assert asked[2:] == ["Password: ", "Repeat the password: "]


def test_command_reads_the_password_from_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    result = make(
        "ada@example.org",
        "--name",
        "Ada",
        "--staff",
        "--password-stdin",
        password="a long secret\n",
        monkeypatch=monkeypatch,
    )
    assert result == {"email": "ada@example.org", "name": "Ada", "staff": True, "password": True}
    user = User.objects.get()
    assert user.check_password("a long secret")
    assert user.is_staff


def test_command_without_a_password_makes_an_account_nobody_can_enter(monkeypatch: pytest.MonkeyPatch) -> None:
    assert make("ada@example.org", monkeypatch=monkeypatch)["password"] is False
    assert not User.objects.get().has_usable_password()


@pytest.mark.parametrize(
    ("email", "password", "reason"),
    [
        ("nonsense", "a long secret", "is not an e-mail address"),
        ("ada@example.org", "short", "too short"),
        ("ada@example.org", "password1234", "too common"),
        ("adalovelace@example.org", "adalovelace", "too similar"),
    ],
)
def test_command_refuses_with_the_reason(
    email: str, password: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CommandError, match=reason):
        make(email, "--password-stdin", password=password, monkeypatch=monkeypatch)
    assert not User.objects.exists()


def test_profile_keeps_other_preferences() -> None:
    user = UserFactory(name="Old", preferences={"labelling": {"delay": 0}})
    update_profile(by=user, at=AT, name="New", preferences={"shortcuts": False})
    user.refresh_from_db()
    assert user.name == "New"
    assert user.preferences == {"labelling": {"delay": 0}, "shortcuts": False}
    event = AuditEvent.objects.get()
    assert (event.verb, event.data) == ("rename_user", {"before": "Old", "after": "New"})


def test_profile_page(client: Client) -> None:
    user = UserFactory(name="Old")
    client.force_login(user)
    answer = client.post(reverse("account_profile"), {"name": "New", "language": "en", "theme": "dark"}, follow=True)
    assert "Profile saved." in answer.text
    assert '<html lang="en" data-theme="dark">' in answer.text
    user.refresh_from_db()
    assert user.name == "New"
    chosen = {"language": "en", "theme": "dark", "shortcuts": False}
    assert user.preferences == {**chosen, "mail_off": sorted(Notice.values)}


def test_profile_page_refuses_an_unknown_theme(client: Client) -> None:
    client.force_login(UserFactory())
    answer = client.post(reverse("account_profile"), {"name": "New", "theme": "sepia"})
    assert answer.status_code == 422
    assert "Select a valid choice" in answer.text


@pytest.mark.parametrize("theme", Theme.values)
@pytest.mark.usefixtures("somebody")
def test_theme_of_a_browser_before_sign_in(client: Client, theme: str) -> None:
    answer = client.post(reverse("theme_update"), {"theme": theme, "next": "/help/"})
    assert (answer.status_code, answer["Location"]) == (302, "/help/")
    assert answer.cookies[COOKIE]["httponly"]
    attribute = "" if theme == "system" else f' data-theme="{theme}"'
    assert f'<html lang="en"{attribute}>' in client.get("/help/").text


def test_theme_of_a_person_goes_before_the_browsers(client: Client) -> None:
    user = UserFactory()
    set_theme(by=user, theme=Theme.DARK)
    client.cookies[COOKIE] = "light"
    client.force_login(user)
    assert 'data-theme="dark"' in client.get("/help/").text


def test_theme_is_kept_with_the_person(client: Client) -> None:
    user = UserFactory()
    client.force_login(user)
    answer = client.post(reverse("theme_update"), {"theme": "dark"}, headers={"HX-Request": "true"})
    assert answer.status_code == 204
    user.refresh_from_db()
    assert user.preferences["theme"] == "dark"


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_theme_sends_nobody_elsewhere(client: Client, elsewhere: str) -> None:
    answer = client.post(reverse("theme_update"), {"theme": "dark", "next": elsewhere})
    assert answer["Location"] == "/"


@pytest.mark.usefixtures("somebody")
def test_a_forged_theme_cookie_is_no_attribute(client: Client) -> None:
    client.cookies[COOKIE] = '"><script>'
    assert '<html lang="en">' in client.get("/help/").text


def test_a_password_changed_on_the_command_line_revokes_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    user = UserFactory(email="ada@example.org")
    token, _ = make_token(user)
    output = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO("a long secret\n"))
    call_command("changepassword", "Ada@example.org", "--password-stdin", "--json", stdout=output, stderr=io.StringIO())
    assert json.loads(output.getvalue()) == {"email": "ada@example.org", "revoked_tokens": 1}
    user.refresh_from_db()
    token.refresh_from_db()
    assert user.check_password("a long secret")
    assert token.revoked_at is not None
    monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
    with pytest.raises(CommandError, match="too short"):
        call_command("changepassword", "ada@example.org", "--password-stdin", stderr=io.StringIO())
