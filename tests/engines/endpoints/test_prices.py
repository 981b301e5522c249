"""What the tokens of a model cost."""

from decimal import Decimal

from engines.endpoints.prices import Prices


def test_a_cost_is_exact() -> None:
    prices = Prices(Decimal("0.15"), Decimal("0.6"))
    assert prices.cost(1_000_000, 500_000) == Decimal("0.45")
    assert prices.cost(1, 0) == Decimal("0.00000015")


def test_without_both_prices_no_cost_is_reported() -> None:
    assert Prices(Decimal(1)).cost(10, 10) is None
    assert Prices(None, Decimal(1)).cost(10, 10) is None
