"""Recipes of machine annotators: all that their labels depend on, with one digest over it; and what runs would cost."""

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from engines.endpoints.prices import Prices
from engines.formats.dataclass_json import from_json

CHARACTERS_PER_TOKEN = 4.0  # usual for English; other scripts need more tokens
TOKENS_PER_MESSAGE = 8  # that chat formats put around a message
TYPICAL_SECONDS = 2.0  # of one call, where no earlier run is known


@dataclass(frozen=True)
class Recipe:
    """How labels are made. Two runs of one recipe differ only in their number (and by chance).

    kind: "endpoint" or "lexical". `prompt` is the SHA-256 of the prompt's text, "" for the lexical one. `seed` is that
    of the first run, one more with each further run; None where none is sent. `max_tokens` 0: the endpoint's limit.
    `levels` is the SHA-256 of the levels as the message quotes them, "" where it does not. `criteria` are the keys that
    one reply answers, none where it gives one answer. A committee has a `rule` and the recipes of its `members`.
    """

    kind: str
    model: str
    prompt: str = ""
    temperature: float = 0.0
    max_tokens: int = 0
    seed: int | None = None
    thresholds: tuple[float, ...] = ()
    levels: str = ""
    criteria: tuple[str, ...] = ()
    rule: str = ""
    members: tuple["Recipe", ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 over the recipe as canonical JSON."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        data = asdict(self) | {"temperature": float(self.temperature), "thresholds": list(self.thresholds)}
        members = [each.to_json() for each in self.members]
        later = {"levels": self.levels, "criteria": list(self.criteria), "rule": self.rule, "members": members}
        # What came to recipes later is left out where it is empty, so that digests stay what they were.
        return {name: value for name, value in (data | later).items() if value or name not in later}


def recipe_from(data: dict[str, Any]) -> Recipe:
    """The recipe from its `to_json`."""
    return from_json(Recipe, data)


@dataclass(frozen=True)
class Estimate:
    """What `calls` calls would take, from a sample of the messages and earlier runs.

    `measured`: tokens and seconds of an answer come from earlier replies to the same prompt; otherwise the tokens are
    the maximum for an answer.
    """

    items: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: Decimal | None
    seconds: float
    measured: bool

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "cost": None if self.cost is None else float(self.cost)}


def tokens_in(text: str) -> int:
    """Roughly how many tokens the text has, with the frame of a message."""
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE


@dataclass(frozen=True)
class Typical:
    """The average call: tokens of its message and its answer, and seconds (None: not measured yet)."""

    prompt_tokens: float
    answer_tokens: float
    seconds: float | None = None


def estimate(items: int, runs: int, call: Typical, prices: Prices, *, concurrency: int, per_minute: int) -> Estimate:
    """Totals over all items and runs; time is the longer of what the endpoint and what the rate limit need.

    `per_minute` 0: no limit.
    """
    calls = items * runs
    prompt, answer = round(calls * call.prompt_tokens), round(calls * call.answer_tokens)
    each = TYPICAL_SECONDS if call.seconds is None else call.seconds
    working = calls * each / max(1, concurrency)
    limited = calls * 60 / per_minute if per_minute else 0.0
    return Estimate(
        items, calls, prompt, answer, prices.cost(prompt, answer), max(working, limited), call.seconds is not None
    )
