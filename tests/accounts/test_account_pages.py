"""Pages of signing in, passwords and the second factor: each is ours, with a title and a heading in plain words."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.template.loader import get_template
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.accounts.test_sign_in import app_code, confirm_password, sign_in
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db

NOT_USED = {"account/signup.html", "account/confirm_login_code.html"}  # closed; signing in by a mailed code is off


def views_of(found: URLResolver) -> Iterator[Any]:
    for each in found.url_patterns:
        if isinstance(each, URLResolver):
            yield from views_of(each)
        elif isinstance(each, URLPattern) and "allauth" in each.callback.__module__:
            yield each.callback


def test_no_page_is_left_in_the_words_of_allauth() -> None:
    named = {getattr(getattr(view, "view_class", None), "template_name", None) for view in views_of(get_resolver())}
    templates = {name for name in named if name and name.endswith(".html")} - NOT_USED
    assert len(templates) > 15
    ours = str(settings.BASE_DIR / "templates")
    assert [name for name in sorted(templates) if not get_template(name).origin.name.startswith(ours)] == []


def heading(page: Any) -> str:
    """The heading, which is the title as well."""
    (title,) = re.findall(r"<title>\s*(.*?)\s*· Litmus</title>", page.text, re.DOTALL)
    (first,) = re.findall(r"<h1[^>]*>\s*(.*?)\s*</h1>", page.text, re.DOTALL)
    assert title.strip() == first
    return first


@pytest.mark.slow
def test_titles_say_what_a_page_is_for(client: Client) -> None:
    UserFactory(email="ada@example.org")
    sign_in(client, "ada@example.org")

    def title(name: str, *where: str) -> str:
        return heading(client.get(reverse(name, args=where)))

    assert title("account_reauthenticate") == "Confirm that it is you"
    confirm_password(client)
    assert title("mfa_index") == "Two-factor authentication"
    assert title("account_confirm_email", "no-key") == "This link to confirm an address no longer works"
    page = client.get(reverse("mfa_activate_totp"))
    assert heading(page) == "Set up an authenticator app"
    wrong = client.post(reverse("mfa_activate_totp"), {"code": "000000"})
    assert (heading(wrong), "Incorrect code" in wrong.text) == ("Set up an authenticator app", True)
    client.post(reverse("mfa_activate_totp"), {"code": app_code(wrong.context["form"].secret)})
    index = client.get(reverse("mfa_index")).text
    assert "Active: signing in asks for a code from your app." in index
    assert "10 codes left." in index
    codes = client.get(reverse("mfa_view_recovery_codes"))
    assert heading(codes) == "Recovery codes"
    assert re.findall(r"<li>(\w+)</li>", codes.text) == codes.context["unused_codes"]
    assert title("mfa_generate_recovery_codes") == "Make new recovery codes"
    assert client.post(reverse("mfa_generate_recovery_codes")).status_code == 302
    other = Client()
    sign_in(other, "ada@example.org")
    assert heading(other.get(reverse("mfa_authenticate"))) == "Enter your code"
    code = client.get(reverse("mfa_view_recovery_codes")).context["unused_codes"][0]
    other.post(reverse("mfa_authenticate"), {"code": code})
    again = other.get(reverse("mfa_reauthenticate"))
    assert again.status_code == 302 or heading(again) == "Confirm that it is you"
    assert "9 codes left." in client.get(reverse("mfa_index")).text
    assert title("mfa_deactivate_totp") == "Turn off the authenticator app"
    assert client.post(reverse("mfa_deactivate_totp")).status_code == 302
    assert "Not active: your password is enough" in client.get(reverse("mfa_index")).text
