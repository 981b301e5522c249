"""Fixtures that several modules here share."""

from collections.abc import Callable
from copy import deepcopy

import pytest
from django.test import Client

from annotation.models import (
    Assignment,
)
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign


@pytest.fixture
def signed_in(client: Client) -> Callable[[Built, str], Client]:
    def sign_in(built: Built, person: str = "ana") -> Client:
        client.force_login(built.people[person])
        return client

    return sign_in


@pytest.fixture(scope="module")
def shared_built(module_db: None) -> Built:
    """Ana is a manager and has judged two of three items; everybody else has judged all."""
    built = build_campaign([[0, 1, 2], [1, 1, 2], [1, 1, 1]])
    vote(built)
    ana = built.annotators["ana"]
    Assignment.objects.filter(annotator=ana, item=built.items[2]).update(state="pending", finished_at=None)
    built.collection.memberships.filter(user=built.people["ana"]).update(role="manager")
    return built


@pytest.fixture
def built(db: None, shared_built: Built) -> Built:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_built)
