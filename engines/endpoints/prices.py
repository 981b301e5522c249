"""What the tokens of a model cost."""

from collections.abc import Mapping
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
    def as_text(self) -> dict[str, str | None]:
        """For JSON, exactly."""
        prices = {"price_in": self.tokens_in, "price_out": self.tokens_out}
        return {name: None if price is None else str(price) for name, price in prices.items()}

    def in_words(self, currency: str) -> str:
        """ "0.15 sent, 0.6 received (USD per million tokens)"."""
        prices = {"sent": self.tokens_in, "received": self.tokens_out}
        known = [f"{amount(price)} {word}" for word, price in prices.items() if price is not None]
        return f"{', '.join(known)} ({currency} per million tokens)" if known else "not known"

    def cost(self, prompt_tokens: int, completion_tokens: int) -> Decimal | None:
        """The cost in the currency of the prices; None while one of them is not known."""
        if self.tokens_in is None or self.tokens_out is None:
            return None
        return (self.tokens_in * prompt_tokens + self.tokens_out * completion_tokens) / MILLION
