"""Through an identity provider and back, in a browser that obeys our Content-Security-Policy."""

import re
from collections.abc import Callable

import pytest
import requests
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.sign_on.providers import Provider
from tests.accounts.sign_on.identity_provider import identity_provider
from tests.browser.axe import assert_accessible

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("somebody")]


@pytest.fixture
def university(settings, live_server, tmp_path):
    with identity_provider(tmp_path / "log") as address:
        provider = Provider("university", "University", address, "litmus", "s", trust_email=True, anyone=True)
        settings.SIGN_ON = {"university": provider}
        settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [provider.for_allauth]}}
        settings.SITE_URL = str(live_server)
        claims = {"email": "ada@example.org", "email_verified": True, "name": "Ada Lovelace"}
        requests.put(f"{address}/users/ada", json=claims, timeout=10).raise_for_status()
        yield provider


def test_signing_in_and_out(new_page: Callable[..., Page], university: Provider) -> None:
    page = new_page()
    page.goto(reverse("token_list"))
    assert_accessible(page)
    page.get_by_role("link", name="Sign in with University").click()
    page.get_by_placeholder("sub").fill("ada")
    page.get_by_role("button", name="Authorize").click()
    expect(page.get_by_role("banner")).to_contain_text("Ada")
    assert not User.objects.get(email="ada@example.org").memberships.exists()
    page.goto(reverse("account_profile"))
    page.get_by_role("link", name="Connected accounts").click()
    expect(page.get_by_role("main")).to_contain_text("University")
    assert_accessible(page)
    page.goto(reverse("account_logout"))
    page.get_by_role("main").get_by_role("button", name="Sign out").click()
    page.wait_for_url(re.compile("end_session"))
    assert page.url.startswith(university.address)
    page.get_by_role("button").first.click()
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
