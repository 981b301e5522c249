"""Fixtures that several modules here share."""

from copy import deepcopy

import pytest

from tests.factories.annotation import Material, make_material


@pytest.fixture(scope="module")
def shared_material(module_db: None) -> Material:
    return make_material()


@pytest.fixture
def made(db: None, shared_material: Material) -> Material:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_material)
