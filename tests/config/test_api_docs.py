"""The browsable page of the API keeps to the content security policy and leads back."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer

from accounts.api_schema import DescriptionGenerator
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


@pytest.mark.slow
def test_the_description_is_put_together_once_and_stays_what_it_was(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DescriptionGenerator, "cached", None)  # of a test with other exporters than those there are
    fresh = SchemaGenerator().get_schema(public=True)
    client.force_login(UserFactory())
    address, asked = reverse("api_schema"), {"accept": "application/vnd.oai.openapi+json"}
    first = client.get(address, headers=asked).json()
    assert first["paths"] == fresh["paths"]
    other = client.get(address, {"version": "of nobody"}).content
    assert re.search(rb"\n  version: .*\(of nobody\)\n", other)
    assert client.get(address, {"lang": "de"}, headers=asked).json() != first
    assert client.get(address, headers=asked).json() == first
    assert DescriptionGenerator().get_schema(public=True) is DescriptionGenerator().get_schema(public=True)
    written = OpenApiYamlRenderer().render(DescriptionGenerator.cached)
    assert [client.get(address).content for _ in range(2)] == [written, written]
    assert client.get(address, headers={"accept": "application/yaml"}).content == written
