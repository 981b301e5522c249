"""An identity provider that runs, and how Litmus knows it."""

from collections.abc import Iterator

import pytest

from accounts.sign_on.providers import Provider
from tests.accounts.sign_on.arriving import use
from tests.accounts.sign_on.identity_provider import identity_provider


@pytest.fixture(scope="package")
def server(tmp_path_factory) -> Iterator[str]:
    with identity_provider(tmp_path_factory.mktemp("provider") / "log") as address:
        yield address


@pytest.fixture
def provider(server, settings) -> Provider:
    return use(settings, Provider("university", "University", server, "litmus", "a secret", trust_email=True))
