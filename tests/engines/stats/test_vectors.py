"""Every reference vector of the shared data: published, from other libraries, degenerate, bootstrap, retrieval."""

from typing import Any

import numpy as np
import pytest

from engines.stats.results import Estimate
from engines.stats.significance import TestResult
from tests.engines.stats import vectors
from tests.shared import shared_path

VECTORS = [each for each in vectors.load() if each["metric"] != "icc"]  # no intraclass correlation is offered


def test_the_vectors_are_all_there() -> None:
    shared_path("data", "agreement", "vectors.json")
    assert len(VECTORS) == 352


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_vector(vector: vectors.Vector) -> None:
    compute = vectors.COMPUTE.get(vector["metric"])
    assert compute is not None, f"nobody computes {vector['metric']}"
    found = compute(vector)
    if isinstance(found, Estimate):
        reason, found = found.reason, found.value
        assert reason == vector.get("reason")
    elif isinstance(found, TestResult):
        found = found.p
    check(found, vector["expected"], vector["tolerance"], vector["name"])


def check(found: Any, expected: Any, tolerance: Any, where: str) -> None:
    """Compare numbers, None, lists and objects; a tolerance may be given for each key of an object."""
    if isinstance(expected, dict):
        assert set(found) == set(expected), where
        for key, value in expected.items():
            own = tolerance[key] if isinstance(tolerance, dict) else tolerance
            check(found[key], value, own, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for index, value in enumerate(expected):
            check(found[index], value, tolerance, f"{where}[{index}]")
    elif expected is None:
        assert found is None, where
    else:
        assert found is not None, where
        assert np.isfinite(found), where
        assert abs(found - expected) <= tolerance, f"{where}: {found} is not {expected} ± {tolerance}"
