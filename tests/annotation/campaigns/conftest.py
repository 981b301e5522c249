"""Fixtures that several modules here share."""

import pytest

from tests.factories.annotation import make_material


@pytest.fixture
def made():
    return make_material()
