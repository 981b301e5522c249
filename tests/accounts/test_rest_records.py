"""Serializers that follow from dataclasses: types, help, nothing shown that has no one way."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

import pytest
from rest_framework import serializers

from accounts.rest_records import serializer_of


@dataclass(frozen=True)
class Leaf:
    number: int


@dataclass(frozen=True)
class Record:
    """What is shown.

    What only readers of the code need to know.
    """

    name: str
    share: float | None
    cost: Decimal
    day: date
    parts: dict[str, int]
    words: tuple[str, ...]
    leaves: list[Leaf]
    best: Leaf | None
    is_new: bool = field(default=False, metadata={"help": "since yesterday"})

    @property
    def size(self) -> int:
        return len(self.words)


def test_fields_follow_from_types_and_say_what_they_are() -> None:
    shape = serializer_of(Record, "Shown", size=serializers.IntegerField())
    record = Record("a", None, Decimal("1.5"), date(2026, 11, 27), {"x": 1}, ("b", "c"), [Leaf(1)], Leaf(2))
    assert shape(record).data == {
        "name": "a",
        "share": None,
        "cost": 1.5,
        "day": "2026-11-27",
        "parts": {"x": 1},
        "words": ["b", "c"],
        "leaves": [{"number": 1}],
        "best": {"number": 2},
        "is_new": False,
        "size": 2,
    }
    assert (shape.__name__, shape.__doc__) == ("ShownSerializer", "What is shown.")
    fields = shape().fields
    assert fields["is_new"].help_text == "since yesterday"
    assert {name for name, each in fields.items() if each.allow_null} == {"share", "best"}


def test_a_type_without_one_way_to_be_shown_is_refused() -> None:
    @dataclass
    class Odd:
        work: Callable[[], None]

    with pytest.raises(TypeError, match="no one way"):
        serializer_of(Odd, "Odd")
