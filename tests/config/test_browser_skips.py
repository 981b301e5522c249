"""Without Chromium, browser tests are skipped with one line; where CI is set, that is a failure."""

import os
import subprocess
import sys

import pytest

from tests.processes import CHECKOUT


def browser_tests_without_chromium(**environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "LITMUS_CHROMIUM")}
    kept = {name: value for name, value in kept.items() if not name.startswith("PYTEST_")}
    files = ["tests/config/watching/test_health.py", "tests/browser/test_htmx.py"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "browser", *files],
        cwd=CHECKOUT,
        env=kept | {"PATH": "/nonexistent"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_skipped_with_one_line():
    done = browser_tests_without_chromium()
    lines = [line for line in done.stdout.splitlines() if "no Chromium found" in line]
    assert done.returncode == 0, done.stdout
    assert len(lines) == 1
    assert lines[0].startswith("SKIPPED [")


@pytest.mark.slow
def test_a_failure_for_ci():
    done = browser_tests_without_chromium(CI="true")
    assert done.returncode == 1
    assert "CI needs the browser tests" in done.stdout
