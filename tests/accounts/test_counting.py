from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.template import Context, Template
from django.utils import timezone

from accounts.counting import counted, spent
from engines.endpoints.prices import Spending


def test_a_number_has_its_noun_in_the_singular_only_for_one() -> None:
    assert [counted(each, "note") for each in (0, 1, 1204)] == ["0 notes", "1 note", "1,204 notes"]
    assert [counted(each, "person", "people") for each in (1, 2)] == ["1 person", "2 people"]


NIGHT = datetime(2026, 11, 21, 23, 5, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "value", "shown"),
    [
        ("day", NIGHT, "22 Nov 2026"),
        ("day", date(2026, 11, 2), "2 Nov 2026"),
        ("moment", NIGHT, "22 Nov 2026, 01:05"),
        ("exact_moment", NIGHT, "22 Nov 2026, 01:05:09"),
        ("moment_with_zone", NIGHT, "22 Nov 2026, 01:05 (UTC)"),
        ("clock", NIGHT, "01:05"),
        ("percent", 67, "67%"),
        ("percent:1", 66.666, "66.7%"),
        ("share_in_percent", 0.666, "67%"),
        ("share_in_percent", 0, "0%"),
        ("decimal:1", 1204.46, "1,204.5"),
        ("decimal:-2", 1204.5, "1,204.50"),
        ("decimal:-2", 3.0, "3"),
        ("significant:3", 0.0421234, "0.0421"),
    ],
)
def test_dates_and_numbers_are_written_in_one_form(written: str, value: object, shown: str) -> None:
    with timezone.override("Europe/Kyiv"):
        assert Template(f"{{{{ value|{written} }}}}").render(Context({"value": value})) == shown


@pytest.mark.parametrize(
    "written", ["day", "moment", "moment_with_zone", "percent", "share_in_percent", "decimal", "significant"]
)
def test_what_is_not_known_is_written_as_nothing(written: str) -> None:
    assert Template(f"{{{{ value|{written} }}}}").render(Context({"value": None})) == ""


@pytest.mark.parametrize(
    ("spending", "words"),
    [
        (Spending(None, 0), "not known"),
        (Spending(None, 3), "not known"),
        (Spending(Decimal(0), 3), "not known"),
        (Spending(Decimal(0), 0), "none"),
        (Spending(Decimal("0.0042"), 0), "0.0042 USD"),
        (Spending(Decimal("0.0042"), 3), "at least 0.0042 USD"),
    ],
)
def test_what_answers_cost_is_said_as_far_as_it_is_known(spending: Spending, words: str) -> None:
    assert spent(spending, "USD") == words
