"""The browsable page of the API keeps to the content security policy and leads back."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


def test_nothing_on_the_page_is_inline(client: Client) -> None:
    client.force_login(UserFactory())
    page = client.get(reverse("api_docs")).content.decode()
    assert 'id="swagger-ui"' in page
    assert "<style" not in page
    assert " style=" not in page
    scripts = re.findall(r"<script[^>]*>", page)
    assert len(scripts) == 3
    assert all("src=" in each for each in scripts)
    assert f'href="{reverse("home")}"' in page


def test_its_script_comes_from_the_same_address(client: Client) -> None:
    client.force_login(UserFactory())
    page = client.get(reverse("api_docs")).content.decode()
    address = re.findall(r'<script src="([^"]+)"', page)[-1].replace("&amp;", "&")
    answer = client.get(address)
    assert answer["Content-Type"].startswith("application/javascript")
    assert b"SwaggerUIBundle(" in answer.content
