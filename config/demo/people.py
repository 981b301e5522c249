"""The people of the demo, and how its three annotators judge.

Each reads the same answers (answers.jsonl) in their own manner: one careful, one generous, one hasty. What
they make of an item depends on its text and the person only, so that the demo is the same everywhere.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from corpus.models import Role

HERE = Path(__file__).parent
PASSWORD = "taste-litmus"  # noqa: S105 - printed at every start; the demo listens on this machine only
HIGHEST = 2


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the demo; `up` and `down` are how often (0 to 1) an annotator grades a level higher or lower."""

    email: str
    name: str
    role: Role
    up: float = 0.0
    down: float = 0.0
    seconds: float = 0.0  # a typical judgment takes them


MANAGER = Person("maria@litmus.example", "Maria Manager", Role.MANAGER)
ADJUDICATOR = Person("adam@litmus.example", "Adam Adjudicator", Role.ADJUDICATOR)
VIEWER = Person("vera@litmus.example", "Vera Viewer", Role.VIEWER)
ANNOTATORS = (
    Person("ada@litmus.example", "Ada", Role.ANNOTATOR, up=0.05, down=0.06, seconds=34),
    Person("ben@litmus.example", "Ben", Role.ANNOTATOR, up=0.22, down=0.04, seconds=21),
    Person("chloe@litmus.example", "Chloe", Role.ANNOTATOR, up=0.08, down=0.24, seconds=12),
)
EVERYBODY = (MANAGER, ADJUDICATOR, *ANNOTATORS, VIEWER)
NOTES = (
    "The abstract says so only between the lines.",
    "Depends on what counts as “cheap”.",
    "Only the title speaks of it.",
    "Answered for another kind of data.",
)


def accounts() -> str:
    """A line for each account, with its role."""
    return "\n".join(f"  {person.email:24} {person.role.label}" for person in EVERYBODY)


def read_answers() -> dict[tuple[str, str, str], int]:
    """(topic number, aspect, docno) to the grade a calm reader would give; what is not in it is 0."""
    lines = (HERE / "answers.jsonl").read_text("utf-8").splitlines()
    return {(row["topic"], row["aspect"], row["docno"]): row["value"] for row in map(json.loads, lines)}


def chance(*parts: str) -> float:
    """A number from 0 to 1 that depends on the texts alone."""
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def grade_of(person: Person, right: int, *item: str) -> int:
    """What the person makes of an item whose calm grade is `right`.

    Nobody finds much in what is quite unrelated; tempers show most where an item is neither here nor there.
    """
    luck = chance(person.name, *item)
    up = person.up * (0.25, 2, 1)[right]
    down = person.down * (0, 2, 1)[right]
    if luck < up:
        return min(HIGHEST, right + 1)
    return max(0, right - 1) if luck > 1 - down else right
