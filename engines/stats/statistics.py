"""Every statistic of agreement in one record: pages, tables, files, the API and the commands read what it says.

A new statistic is a function and a record in `STATISTICS`; another package brings one through an entry point of the
group `litmus.statistics` that names its `Statistic`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from engines.plugins import Registry
from engines.stats.coincidence import GroupSums, fleiss_kappa, group_alpha, gwet
from engines.stats.pairwise import (
    Tables,
    accuracy,
    cohen_kappa,
    kendall_tau_b,
    macro_f1,
    pair_alpha,
    spearman,
)
from engines.stats.reasons import Reason
from engines.stats.results import FloatArray

SCALES = {  # what levels must be; each asks for all that those before it ask for
    "nominal": "different",
    "ordinal": "in order",
    "interval": "in order, equally far apart",
}


@dataclass(frozen=True)
class Statistic:
    """One statistic: what it is called, what it says, how it is computed.

    label      as pages and tables print it
    about      one sentence for the help page
    formula    in words and symbols, as the help page prints it
    pair       (K, K, ...) tables of two annotators to values (...), NaN where undefined; None: not for pairs
    group      label counts of several annotators to values (...), NaN where undefined; None: means over pairs instead
    scale      the least that a criterion must have: "nominal" (levels differ), "ordinal" (they have an order),
               "interval" (they are equally spaced). Litmus takes the levels of an ordered criterion as equally spaced
    lowest     smallest value of the pair figure; the largest is 1
    is_share   printed as a percentage
    is_proportion  a share of items, so the rule of three and the binomial sample size hold
    undefined  why there is no value although items carry two labels
    single_labels  whether items with one label enter the group figure
    """

    name: str
    label: str
    about: str
    formula: str
    source: str = ""
    pair: Callable[[Tables], FloatArray] | None = None
    group: Callable[[GroupSums], FloatArray] | None = None
    scale: str = "nominal"
    lowest: float = -1.0
    higher_is_better: bool = True
    is_share: bool = False
    is_proportion: bool = False
    undefined: Reason = Reason.ONE_CLASS_ONLY
    single_labels: bool = False

    @property
    def is_averaged(self) -> bool:
        """Whether several annotators are measured by the mean over their pairs."""
        return self.group is None

    @property
    def is_pairwise(self) -> bool:
        """Whether a pair of annotators has it."""
        return self.pair is not None

    @property
    def is_installed(self) -> bool:
        """False for a stored name whose package is missing."""
        return self.pair is not None or self.group is not None

    @property
    def range(self) -> str:
        """Smallest and largest value as they are printed."""
        if not self.is_pairwise:
            return "up to 1"
        scale, suffix = (100, "%") if self.is_share else (1, "")
        return f"{scale * self.lowest:g}{suffix} to {scale}{suffix}".replace("-", "−")

    @property
    def needs(self) -> str:
        """What the levels of a criterion must be, in words."""
        return SCALES[self.scale]

    def fits(self, scale: str) -> bool:
        """Whether a criterion of this scale has the statistic; an ordered one has all."""
        return scale != "nominal" or self.scale == "nominal"

    def text(self, value: float | None, places: int | None = None) -> str:
        """A value as it is printed: percentages with one decimal, coefficients with three; "" for none."""
        if value is None:
            return ""
        if self.is_share:
            return f"{100 * value:.{1 if places is None else places}f}%".replace("-", "−")
        return f"{value:.{3 if places is None else places}f}".replace("-", "−")

    def difference_text(self, value: float | None) -> str:
        """A difference of two values: shares in percentage points."""
        text = self.text(value)
        return f"{text.removesuffix('%')} pp" if text.endswith("%") else text

    def why_undefined(self, total: float) -> Reason:
        """Why the pair figure is NaN on a table of `total` items."""
        if total:
            return self.undefined
        return Reason.NO_OVERLAP if self.is_averaged else Reason.NO_ITEM_WITH_TWO_LABELS


_KAPPA = "1 − N Σ v·n_ij / Σ v·r_i c_j, v = {}"
_ALPHA = "1 − (n−1) Σ o_ck d² / Σ n_c n_k d², d = {}"
STATISTICS: Registry[Statistic] = Registry(
    "litmus.statistics",
    Statistic,
    Statistic(
        "accuracy",
        "Agreement",
        "The share of items on which both chose the same level.",
        "Σ n_ii / N",
        pair=accuracy,
        lowest=0.0,
        is_share=True,
        is_proportion=True,
    ),
    Statistic(
        "macro_f1",
        "Macro F1",
        "The mean F1 of the levels that either of the two used, as DORIS-MAE computes it.",
        "mean of 2 n_kk / (r_k + c_k)",
        pair=macro_f1,
        lowest=0.0,
        is_share=True,
    ),
    Statistic(
        "cohen_kappa",
        "Cohen’s κ",
        "Agreement beyond what chance gives with each annotator’s own shares of the levels.",
        _KAPPA.format("[i ≠ j]"),
        "Cohen 1960",
        pair=partial(cohen_kappa, power=0),
    ),
    Statistic(
        "cohen_kappa_linear",
        "Cohen’s κ, linear weights",
        "As Cohen’s κ; a disagreement counts by its distance on the scale.",
        _KAPPA.format("|i − j|"),
        "Cohen 1968",
        pair=partial(cohen_kappa, power=1),
        scale="interval",
    ),
    Statistic(
        "cohen_kappa_quadratic",
        "Cohen’s κ, quadratic weights",
        "As Cohen’s κ; a disagreement counts by its squared distance on the scale.",
        _KAPPA.format("(i − j)²"),
        "Cohen 1968",
        pair=partial(cohen_kappa, power=2),
        scale="interval",
    ),
    Statistic(
        "spearman",
        "Spearman’s ρ",
        "Whether both put the items in the same order: the correlation of their ranks, equal ranks shared.",
        "Pearson’s correlation of the midranks",
        pair=spearman,
        scale="ordinal",
        undefined=Reason.CONSTANT_ANNOTATOR,
    ),
    Statistic(
        "kendall_tau_b",
        "Kendall’s τ-b",
        "Pairs of items in the same order less pairs in the opposite order, corrected for ties.",
        "(C − D) / √((N0 − Ta)(N0 − Tb))",
        pair=kendall_tau_b,
        scale="ordinal",
        undefined=Reason.CONSTANT_ANNOTATOR,
    ),
    Statistic(
        "fleiss_kappa",
        "Fleiss’ κ",
        "Agreement of several annotators beyond what chance gives with their common shares of the levels.",
        "(P_o − Σ p_k²) / (1 − Σ p_k²)",
        "Fleiss 1971; for varying numbers of labels Gwet 2014",
        group=fleiss_kappa,
        single_labels=True,
    ),
    Statistic(
        "alpha_nominal",
        "Krippendorff’s α, nominal",
        "Disagreement observed against disagreement expected; any two different levels count the same.",
        _ALPHA.format("[c ≠ k]"),
        "Krippendorff 2011",
        pair=partial(pair_alpha, metric="nominal"),
        group=partial(group_alpha, metric="nominal"),
    ),
    Statistic(
        "alpha_ordinal",
        "Krippendorff’s α, ordinal",
        "As nominal α; levels are as far apart as there are labels between them.",
        _ALPHA.format("M_c − M_k, M_c = n_0 + … + n_c / 2"),
        "Krippendorff 2011",
        pair=partial(pair_alpha, metric="ordinal"),
        group=partial(group_alpha, metric="ordinal"),
        scale="ordinal",
    ),
    Statistic(
        "alpha_interval",
        "Krippendorff’s α, interval",
        "As nominal α; levels are as far apart as their places on the scale.",
        _ALPHA.format("c − k"),
        "Krippendorff 2011",
        pair=partial(pair_alpha, metric="interval"),
        group=partial(group_alpha, metric="interval"),
        scale="interval",
    ),
    Statistic(
        "gwet_ac1",
        "Gwet’s AC1",
        "Agreement beyond chance, where chance stays small although one level is much more frequent.",
        "(P_o − P_e) / (1 − P_e), P_e = Σ p_k (1 − p_k) / (K − 1)",
        "Gwet 2008",
        group=partial(gwet, power=0),
        single_labels=True,
    ),
    Statistic(
        "gwet_ac2",
        "Gwet’s AC2",
        "As AC1, with quadratic weights over the whole scale.",
        "(P_o − P_e) / (1 − P_e), w = 1 − (i − j)² / (K − 1)²",
        "Gwet 2014",
        group=partial(gwet, power=2),
        scale="interval",
        single_labels=True,
    ),
)
TABLE_ONE = ("macro_f1", "accuracy", "spearman")  # DORIS-MAE's Table 1, whose tests are planned together
REPORT = ("macro_f1", "accuracy", "cohen_kappa", "spearman", "alpha_ordinal", "gwet_ac1")  # the table for a paper


def statistic(name: str) -> Statistic:
    """The record of a name; of a stored name whose package is missing one that shows the name."""
    if name in STATISTICS:
        return STATISTICS[name]
    return Statistic(name, STATISTICS.label_of(name), "The package that computes it is not installed.", "")


def rank(name: str) -> int:
    """The place of a statistic in lists; those that are not installed come last."""
    return next((place for place, known in enumerate(STATISTICS) if known == name), len(STATISTICS))


def statistics_for(scale: str) -> tuple[str, ...]:
    """The statistics that a criterion of this scale has."""
    return tuple(name for name, each in STATISTICS.items() if each.fits(scale))
