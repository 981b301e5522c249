"""Tests of the engines, which run without the rest of Litmus when they run alone."""

from pathlib import Path

import pytest

from tests import ground
from tests.engines import alone


def pytest_configure(config: pytest.Config) -> None:
    if config.rootpath == Path(__file__).parent:
        config.pluginmanager.register(ground)
        config.pluginmanager.register(alone)
