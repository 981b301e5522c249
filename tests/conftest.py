"""What all tests share: real embedded servers, one Redis database pair per process."""

import os

import pytest
from django.conf import settings

from config import embedded


def pytest_configure(config: pytest.Config) -> None:
    embedded.hold(settings.DATA_DIR, settings.EMBEDDED_SERVERS)


def pytest_unconfigure(config: pytest.Config) -> None:
    embedded.release(settings.DATA_DIR, settings.EMBEDDED_SERVERS)
