"""Undo and redo, against the two stacks that every editor has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text.history import Entry, redo_target, undo_target


@pytest.mark.parametrize(
    ("history", "undo", "redo"),
    [
        ([], None, None),
        ([(1, None)], None, None),
        ([(1, None), (2, None)], 1, None),
        ([(1, None), (2, None), (3, 1)], None, 2),
        ([(1, None), (2, None), (3, 1), (4, 2)], 1, None),
        ([(1, None), (2, None), (3, 1), (4, None)], 1, None),
        ([(1, None), (2, None), (3, 1), (4, None), (5, 1)], None, 4),
    ],
)
def test_targets(history: list[Entry], undo: int | None, redo: int | None) -> None:
    assert undo_target(history) == undo
    assert redo_target(history) == redo


@given(st.lists(st.sampled_from(["change", "undo", "redo"]), max_size=40))
def test_it_is_what_two_stacks_do(steps: list[str]) -> None:
    history: list[Entry] = [(1, None)]
    done, undone = [1], []
    for step in steps:
        number = len(history) + 1
        if step == "change":
            history.append((number, None))
            done.append(number)
            undone.clear()
            continue
        back, forth = (done, undone) if step == "undo" else (undone, done)
        target = undo_target(history) if step == "undo" else redo_target(history)
        if len(back) == (1 if step == "undo" else 0):
            assert target is None
            continue
        forth.append(back.pop())
        assert target == done[-1]
        history.append((number, target))
