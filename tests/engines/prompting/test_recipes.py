"""Recipes: equal digests are equal machines; estimates add up."""

from decimal import Decimal

from engines.endpoints.prices import Prices
from engines.prompting.recipes import Recipe, Typical, estimate, recipe_from, tokens_in

RECIPE = Recipe("endpoint", "wise", "ab" * 32, 0.0, 300, 7)


def test_a_recipe_survives_its_json_with_its_digest() -> None:
    assert recipe_from(RECIPE.to_json()) == RECIPE
    assert recipe_from(RECIPE.to_json()).digest == RECIPE.digest
    assert Recipe("endpoint", "wise", "ab" * 32, 0, 300, 7).digest == RECIPE.digest  # 0 and 0.0 are one temperature


def test_whatever_changes_labels_changes_the_digest() -> None:
    others = [
        Recipe("endpoint", "wiser", "ab" * 32, 0.0, 300, 7),
        Recipe("endpoint", "wise", "cd" * 32, 0.0, 300, 7),
        Recipe("endpoint", "wise", "ab" * 32, 0.1, 300, 7),
        Recipe("endpoint", "wise", "ab" * 32, 0.0, 301, 7),
        Recipe("endpoint", "wise", "ab" * 32, 0.0, 300, None),
        Recipe("lexical", "wise", "ab" * 32, 0.0, 300, 7, (0.4, 0.8)),
    ]
    assert len({one.digest for one in [RECIPE, *others]}) == 7


def test_an_estimate_adds_up() -> None:
    prices = Prices(Decimal("0.5"), Decimal("1.5"))
    found = estimate(1000, 2, Typical(400, 100, 1.5), prices, concurrency=4, per_minute=60)
    assert (found.calls, found.prompt_tokens, found.completion_tokens) == (2000, 800_000, 200_000)
    assert found.cost == Decimal("0.7")
    assert found.seconds == 2000  # a call each second is slower than four at once
    unlimited = estimate(1000, 2, Typical(400, 100), prices, concurrency=4, per_minute=0)
    assert (unlimited.seconds, unlimited.measured) == (1000, False)


def test_tokens_are_counted_by_characters_and_message() -> None:
    assert tokens_in("x" * 400) == 108
