"""What the tokens of a model cost."""

from dataclasses import dataclass
from decimal import Decimal

MILLION = Decimal(1_000_000)


@dataclass(frozen=True)
class Prices:
    """Prices of a million tokens; None: not known, so that no cost is reported."""

    tokens_in: Decimal | None = None
    tokens_out: Decimal | None = None

    def cost(self, prompt_tokens: int, completion_tokens: int) -> Decimal | None:
        """The cost in the currency of the prices; None while one of them is not known."""
        if self.tokens_in is None or self.tokens_out is None:
            return None
        return (self.tokens_in * prompt_tokens + self.tokens_out * completion_tokens) / MILLION
