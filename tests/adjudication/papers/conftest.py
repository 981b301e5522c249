"""A paper that two people have finished, each in another way."""

from copy import deepcopy

import pytest

from tests.factories.versions import FIRST, SECOND, Finished, make_finished


@pytest.fixture(scope="module")
def shared_built(module_db: None) -> Finished:
    return make_finished(FIRST, SECOND)


@pytest.fixture
def built(db: None, shared_built: Finished) -> Finished:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_built)
