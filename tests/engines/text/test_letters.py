"""Letters with blanks."""

from hypothesis import given
from hypothesis import strategies as st

from engines.text.letters import blanks_of, faults_of, fill


def test_blanks_are_filled_once() -> None:
    assert fill("Dear {name}: {link}", {"name": "{link}", "link": "x"}) == "Dear {link}: x"
    assert blanks_of("{a} {b} {a} {A} {}") == ["a", "b"]


def test_faults_are_named() -> None:
    assert faults_of("{a} {x}", ("a", "b"), ("b",)) == [
        "There is no {x}; known are {a}, {b}.",
        "{b} is missing: every letter needs it.",
    ]
    assert faults_of("{a}{b}", ("a", "b"), ("b",)) == []


@given(st.text())
def test_any_text_survives(text: str) -> None:
    values = dict.fromkeys(blanks_of(text), "")
    assert len(fill(text, values)) <= len(text)
    assert fill(f"{{q}}{text}", values | {"q": text}).startswith(text)
