"""Fixtures that several modules here share."""

import pytest

from tests.factories.annotation import Material, make_material


@pytest.fixture
def made() -> Material:
    return make_material(topics=4, documents=12)
