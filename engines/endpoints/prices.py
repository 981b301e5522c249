"""What the tokens of a model cost."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Self

MILLION = Decimal(1_000_000)


def amount(value: Decimal) -> str:
    """0.15 for 0.150000, 100 for 1E+2."""
    return f"{value.normalize():f}"


@dataclass(frozen=True)
class Prices:
    """Prices of a million tokens; None: not known, so that no cost is reported."""

    tokens_in: Decimal | None = None
    tokens_out: Decimal | None = None

    @classmethod
    def of(cls, parameters: Mapping[str, str | None]) -> Self:
        """The prices that a job was requested with, as `as_text` gave them."""
        found = (parameters.get(name) for name in ("price_in", "price_out"))
        return cls(*(None if price is None else Decimal(price) for price in found))

    @property
    def are_known(self) -> bool:
        return self.tokens_in is not None and self.tokens_out is not None

    @property
    def as_text(self) -> dict[str, str | None]:
        """For JSON, exactly."""
        prices = {"price_in": self.tokens_in, "price_out": self.tokens_out}
        return {name: None if price is None else str(price) for name, price in prices.items()}

    def in_words(self, currency: str) -> str:
        """ "0.15 sent, 0.6 received (USD per million tokens)"."""
        prices = {"sent": self.tokens_in, "received": self.tokens_out}
        known = [f"{amount(price)} {word}" for word, price in prices.items() if price is not None]
        return f"{', '.join(known)} ({currency} per million tokens)" if known else "not known"

    def cost(self, prompt_tokens: int | None, completion_tokens: int | None) -> Decimal | None:
        """The cost in the currency of the prices; None where a price, or the number of tokens that have it, is not
        known. Tokens that are free need not be counted."""
        parts = [_product(self.tokens_in, prompt_tokens), _product(self.tokens_out, completion_tokens)]
        return None if None in parts else sum(filter(None, parts), Decimal(0)) / MILLION


def _product(price: Decimal | None, tokens: int | None) -> Decimal | None:
    if price == 0:
        return Decimal(0)
    return None if price is None or tokens is None else price * tokens


@dataclass(frozen=True)
class Spending:
    """What several answers cost together: `known` is the sum of the costs that are known, None where none is, and
    `unknown` how many answers have another. No answers cost 0."""

    known: Decimal | None
    unknown: int

    @classmethod
    def of(cls, costs: Iterable[Decimal | None]) -> Self:
        every = list(costs)
        known = [cost for cost in every if cost is not None]
        return cls(sum(known, Decimal(0)) if known or not every else None, len(every) - len(known))

    @property
    def whole(self) -> Decimal | None:
        """The cost of all; None where it is not known."""
        return None if self.unknown else self.known
