"""A campaign with everything there is a number for."""

from copy import deepcopy

import pytest

from tests.adjudication.agreement.dashboards import build_everything
from tests.factories.adjudication import Built


@pytest.fixture(scope="module")
def shared_built(module_db: None) -> Built:
    return build_everything()


@pytest.fixture
def built(db: None, shared_built: Built) -> Built:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_built)
