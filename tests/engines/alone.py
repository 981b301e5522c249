"""What tests of the engines have in place of tests/conftest.py when they run alone."""

import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests import ground

OTHERS = {"django", "rest_framework", "celery", "accounts", "corpus", "annotation", "adjudication", "config"}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium for all tests of this process."""
    with ground.chromium() as chromium:
        yield chromium


def pytest_sessionfinish() -> None:
    loaded = sorted(OTHERS & sys.modules.keys())
    if loaded:
        pytest.exit(f"engines and their tests need nothing but engines, and loaded {', '.join(loaded)}", 1)
