"""Forest plots keep room for their axes, however long names and reasons are (a collapsed layout warns, which fails)."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import lxml.etree
import pytest

from adjudication.agreement.drawings import DrawnLine, Tile, draw_forest, draw_heat

MACHINE = "a model with a long name, With examples, version 12, temperature 0.7, run"


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        DrawnLine(f"{MACHINE} 1 × {MACHINE} 2", 0.4, 0.3, 0.5),
        DrawnLine("Ada × Ben", None, why="one of them gave the same level to every item, and so did the other one too"),
    ],
    ids=["names", "reason"],
)
def test_long_texts_leave_room_for_the_axes(line: DrawnLine) -> None:
    assert draw_forest([line, line], "Agreement", "svg").startswith(b"<?xml")
    assert draw_forest([line, line], "Agreement", "pdf").startswith(b"%PDF")


@pytest.mark.parametrize("sign", ["\x01", "\x0b", "\uffff"])
def test_names_with_characters_that_no_svg_may_hold_are_drawn_without_them(sign: str) -> None:
    """Pages and the API refuse control characters; commands and files of campaigns do not, and none refuses U+FFFF."""
    name = f"tea{sign}pot"
    drawn = draw_forest([DrawnLine(name, 0.4)], name, "svg", [name])
    assert lxml.etree.fromstring(drawn).tag.endswith("svg")
    assert drawn.count(b"tea pot") == 3
    assert draw_heat([(name, Tile(0.5, name))], name, "pdf").startswith(b"%PDF")


@pytest.mark.slow
def test_threads_that_draw_at_the_same_time_draw_what_one_alone_draws(restless: None) -> None:
    """The settings of matplotlib are those of the process: one that was done changed the figures of the others."""
    with ThreadPoolExecutor(2) as threads:
        found = set(threads.map(lambda _: draw_heat([("1", Tile(None, "undefined"))], "Topics", "svg"), range(12)))
    assert found == {draw_heat([("1", Tile(None, "undefined"))], "Topics", "svg")}


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns after very few steps."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)
