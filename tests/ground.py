"""What all tests share, those of the engines too, which run without Django: examples, garbage, Chromium."""

import gc
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from playwright.sync_api import Browser, expect, sync_playwright

# Other examples at each run: few of them find in a week of runs what many would find in one.
hypothesis_settings.register_profile(
    "litmus", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.register_profile("thorough", hypothesis_settings.get_profile("litmus"), max_examples=1000)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "litmus"))

gc.disable()  # until all tests are collected: what is loaded stays

# The headless shell first: the whole browser draws its own tabs and menus for each of a test's windows, at five times
# the cost.
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Each page is new: what V8's optimizing compilers do for it in the background costs more than it saves.
    "--js-flags=--no-maglev,--no-turbofan",
]
PATIENCE = 60_000  # milliseconds for something that should happen, under any load


def pytest_collection_finish() -> None:
    """From now on look for garbage seldom, and never in what was loaded: that was an eighth of all time in Python."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


def chromium_path() -> str | None:
    """LITMUS_CHROMIUM, or the first Chromium on the PATH."""
    return os.environ.get("LITMUS_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("browser") and chromium_path() is None:
        reason = "no Chromium found: install it (Debian: apt install chromium) or set LITMUS_CHROMIUM to its path"
        if os.environ.get("CI"):
            pytest.fail(f"CI needs the browser tests, but there is {reason}", pytrace=False)
        pytest.skip(reason)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium; Playwright runs an event loop in this thread meanwhile."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        yield browser
        browser.close()
