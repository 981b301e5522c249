"""What the tokens of a model cost."""

from decimal import Decimal

from engines.endpoints.prices import Prices, Spending


def test_a_cost_is_exact() -> None:
    prices = Prices(Decimal("0.15"), Decimal("0.6"))
    assert prices.cost(1_000_000, 500_000) == Decimal("0.45")
    assert prices.cost(1, 0) == Decimal("0.00000015")


def test_without_both_prices_no_cost_is_reported() -> None:
    assert Prices(Decimal(1)).cost(10, 10) is None
    assert Prices(None, Decimal(1)).cost(10, 10) is None


def test_tokens_that_were_not_counted_have_no_cost_unless_they_are_free() -> None:
    prices = Prices(Decimal("0.15"), Decimal(0))
    assert prices.cost(None, None) is None
    assert prices.cost(1_000_000, None) == Decimal("0.15")
    assert Prices(Decimal(0), Decimal(0)).cost(None, None) == 0


def test_a_sum_is_whole_only_where_every_cost_is_known() -> None:
    assert Spending.of([]).whole == 0, "nothing was asked"
    assert Spending.of([None]) == Spending(None, 1)
    partly = Spending.of([Decimal(1), None, Decimal(2)])
    assert (partly, partly.whole) == (Spending(Decimal(3), 1), None)
    assert Spending.of([Decimal(1), Decimal(2)]).whole == 3
