"""The order in which several processes take the tests: each of them once, long ones first, modules in one piece."""

from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.order import dealt


class Test:
    """As much of a pytest item as the order asks for."""

    __test__ = False

    def __init__(self, path: str, *marks: Any) -> None:
        self.path, self.marks = Path(path), [mark.mark for mark in marks]

    def iter_markers(self) -> list[Any]:
        return self.marks

    def get_closest_marker(self, name: str) -> Any:
        return next((mark for mark in self.marks if mark.name == name), None)


SLOW, BROWSER, PATIENT = pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(600)
TESTS = [
    *[Test("quick") for _ in range(20)],
    *[Test("slow", SLOW), Test("slow")],
    *[Test("pages", BROWSER), Test("pages", BROWSER), Test("other pages", BROWSER)],
    *[Test("long", SLOW, PATIENT), Test("longest pages", BROWSER, PATIENT)],
]


@pytest.mark.parametrize("processes", [1, 2, 3, 4, 50])
def test_every_test_is_dealt_once_and_a_module_in_one_piece(processes: int) -> None:
    order = dealt(TESTS, processes)
    assert sorted(map(id, order)) == sorted(map(id, TESTS))
    pieces = [path for path, _ in groupby(order, key=lambda test: str(test.path)) if path != "quick"]
    assert len(pieces) == len(set(pieces)) == 5


def test_each_stretch_begins_with_what_takes_long_and_ends_with_quick_tests() -> None:
    order = [str(test.path) for test in dealt(TESTS, 2)]
    first, second = order[:13], order[13:]
    assert first == ["longest pages", "other pages", "slow", "slow", *["quick"] * 9]
    assert second == ["long", "pages", "pages", *["quick"] * 11]
