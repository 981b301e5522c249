"""A collection with papers that tests of extractions share."""

from copy import deepcopy

import pytest

from tests.factories.annotation import Material, make_material
from tests.factories.papers import PaperFactory


@pytest.fixture(scope="module")
def shared_material(module_db: None) -> Material:
    made = make_material(topics=1)
    PaperFactory.create_batch(3, collection=made.collection)
    return made


@pytest.fixture
def material(db: None, shared_material: Material) -> Material:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_material)
