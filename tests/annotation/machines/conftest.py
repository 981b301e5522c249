"""A campaign of eight items: 2 topics × 2 aspects × 2 documents."""

from copy import deepcopy

import pytest

from annotation.models import Campaign
from tests.factories.annotation import Material, make_campaign, make_material


@pytest.fixture(scope="module")
def shared(module_db: None) -> tuple[Material, Campaign]:
    made = make_material(topics=2, documents=2)
    return made, make_campaign(made)


@pytest.fixture
def own(db: None, shared: tuple[Material, Campaign]) -> tuple[Material, Campaign]:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared)


@pytest.fixture
def made(own: tuple[Material, Campaign]) -> Material:
    return own[0]


@pytest.fixture
def campaign(own: tuple[Material, Campaign]) -> Campaign:
    return own[1]
