"""Forest plots keep room for their axes, however long names and reasons are (a collapsed layout warns, which fails)."""

import pytest

from adjudication.agreement.drawings import DrawnLine, draw_forest

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
    drawn = draw_forest([line, line], "Agreement")
    assert drawn["svg"].startswith(b"<?xml")
    assert drawn["pdf"].startswith(b"%PDF")
