"""How many items a campaign needs for an interval this narrow or a difference this large, from its own labels."""

from dataclasses import dataclass, replace
from typing import Any

from accounts.refusals import Refused
from adjudication.labels.inputs import labels_of, read_inputs
from annotation.assignment.ordering import judged_sample
from annotation.models import Campaign, Criterion
from engines.stats.bootstrap import make_rng
from engines.stats.labels import Kind, Labels
from engines.stats.reasons import words_of
from engines.stats.sample_size import (
    Pilot,
    half_width,
    items_for_difference,
    items_for_half_width,
    items_without_pilot,
    pilot,
    power_for_difference,
    simulate,
)
from engines.stats.statistics import STATISTICS, statistic

SIZES = (50, 100, 250, 500, 1000, 2000, 5000)
DATA_SETS = 200


@dataclass(frozen=True)
class Aim:
    """What a sample must give: a half-width, or a difference found with some power. Shares, not percent."""

    statistic: str = "accuracy"
    half_width: float | None = 0.05
    difference: float | None = None
    power: float = 0.8
    by_topic: bool = True


@dataclass(frozen=True)
class Needed:
    """The answer: items needed, and what other numbers of items would give. `sigma` and `design_effect` say why."""

    aim: Aim
    block: str
    n_items: int
    pilot_items: int
    value: float | None
    sigma: float | None
    design_effect: float | None
    curve: list[dict[str, Any]]
    simulated: dict[str, Any] | None
    sample: str = ""  # whether the pilot is a random sample of its campaign, and why; "" where every item is judged

    def to_json(self) -> dict[str, Any]:
        """The object that the command prints."""
        return {
            "statistic": self.aim.statistic,
            "block": self.block,
            "half_width": self.aim.half_width,
            "difference": self.aim.difference,
            "power": self.aim.power if self.aim.difference else None,
            "n_items": self.n_items,
            "pilot": {"n_items": self.pilot_items, "value": self.value, "sigma": self.sigma},
            "design_effect": self.design_effect,
            "curve": self.curve,
            "simulated": self.simulated,
            "sample": self.sample,
        }

    @property
    def shown_value(self) -> str:
        return statistic(self.aim.statistic).text(self.value)


def without_pilot(accuracy: float, half_width: float, n_pairs: int) -> int:
    """Items for a half-width of percent agreement near `accuracy`, before anybody has judged."""
    try:
        return items_without_pilot(accuracy, half_width, n_pairs=n_pairs)
    except ValueError as error:
        raise Refused(f"{str(error).capitalize()}.") from None


def items_needed(campaign: Campaign, criterion: Criterion, aim: Aim, *, check: bool = False) -> Needed:
    """From the labels of this campaign as a pilot. `check` simulates data sets of the size found as well.

    Refused when the statistic is undefined there or there are too few labels to know its spread.
    """
    if aim.statistic not in STATISTICS:
        raise Refused(f"Unknown statistic “{aim.statistic}”. There is {', '.join(STATISTICS)}.")
    labels = _labels(campaign, criterion)
    block = _block(labels, aim)
    try:
        found = pilot(labels, aim.statistic, block)
    except ValueError:
        raise Refused("A difference needs two people and a machine annotator on the same items.") from None
    if found.sigma is None:
        raise Refused(f"These labels are not enough: {words_of(found.reason) or 'the spread is undefined'}.")
    effect = max(1.0, found.design_effect or 1.0) if aim.by_topic else 1.0
    return replace(_needed(labels, aim, found, effect, check=check), sample=judged_sample(campaign).sentence)


def _labels(campaign: Campaign, criterion: Criterion) -> Labels:
    matrix, labels = labels_of(criterion, read_inputs(campaign))
    if len(matrix.annotators) < 2:
        raise Refused("Fewer than two annotators have judged, so there is no pilot. Use an assumed agreement instead.")
    return labels


def _block(labels: Labels, aim: Aim) -> str:
    """A difference is people less machine; else people where there are two, and everyone where there are not."""
    if aim.difference is not None:
        return "HH-GH"
    if len(labels.columns_of(Kind.HUMAN)) >= 2:
        return "HH"
    return "mean" if statistic(aim.statistic).is_averaged else "all"


def _needed(labels: Labels, aim: Aim, found: Pilot, effect: float, *, check: bool) -> Needed:
    sigma = found.sigma or 0.0
    try:
        if aim.difference is not None:
            n_items = items_for_difference(sigma, aim.difference, power=aim.power, design_effect=effect)
        else:
            n_items = items_for_half_width(sigma, aim.half_width or 0.0, design_effect=effect)
    except ValueError as error:
        raise Refused(f"{str(error).capitalize()}.") from None
    simulated = None
    if check:
        rng = make_rng(n_items)
        delta = aim.difference
        simulated = simulate(
            labels, aim.statistic, found.block, n_items=n_items, rng=rng, delta=delta, data_sets=DATA_SETS
        ).to_json()
    curve = [_point(sigma, aim, size, effect) for size in sorted({*SIZES, n_items})]
    return Needed(
        aim, found.block, n_items, found.n_items, found.value, found.sigma, found.design_effect, curve, simulated
    )


def _point(sigma: float, aim: Aim, size: int, effect: float) -> dict[str, Any]:
    point: dict[str, Any] = {"n_items": size, "half_width": half_width(sigma, size, design_effect=effect)}
    if aim.difference is not None:
        point["power"] = power_for_difference(sigma, aim.difference, size, design_effect=effect)
    return point
