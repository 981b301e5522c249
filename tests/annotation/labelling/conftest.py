"""Fixtures that several modules here share."""

from collections.abc import Callable

import pytest
from django.test import Client

from tests.factories.adjudication import Built


@pytest.fixture
def signed_in(client: Client) -> Callable[[Built, str], Client]:
    def sign_in(built: Built, person: str = "ana") -> Client:
        client.force_login(built.people[person])
        return client

    return sign_in
