"""A campaign with the labels of the module, and their votes."""

from copy import deepcopy

import pytest

from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign


@pytest.fixture(scope="module")
def shared_built(module_db: None, request: pytest.FixtureRequest) -> Built:
    found = build_campaign(request.module.LABELS, overlap=2)
    vote(found)
    return found


@pytest.fixture
def built(db: None, shared_built: Built) -> Built:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_built)
