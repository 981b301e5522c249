"""What a retrieval measure is, and what all of them are made of.

Values are NaN inside this package where they are undefined (nothing relevant, a cut of length 0).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from engines.stats.rankings import View, ordinals
from engines.stats.results import BoolArray, FloatArray, IntArray

Parameter = float | bool | str
Parameters = Mapping[str, Parameter]


class UnjudgedError(ValueError):
    """A ranking holds a document that is not judged, for a measure that re-ranks a judged pool."""


@dataclass(frozen=True, eq=False)
class Definition:
    """One kind of measure. `cut` says what may follow @: nothing, a rank ("rank", "rank?"), a share of the ranking
    ("share"), either or nothing ("any?"), or a level of recall ("recall"). `parameters` have their defaults; `bounds`
    is the range of its values. `by_ranks`: it depends on the ranks of relevant documents alone. With unjudged documents
    taken as not relevant it is then the lowest possible value, and the highest possible one is known too."""

    name: str
    about: str
    function: "Function"
    cut: str = ""
    parameters: Parameters = field(default_factory=dict)
    bounds: tuple[float, float] = (0.0, 1.0)
    by_ranks: bool = False

    @property
    def spelling(self) -> str:
        """How it is written: k is a rank, x% a share of the ranking, r a level of recall."""
        at = {"": "", "rank": "@k", "rank?": "[@k]", "share": "@x%", "any?": "[@k or x%]", "recall": "@r"}[self.cut]
        return f"{self.name}{at}"


@dataclass(frozen=True)
class Measure:
    """A measure as somebody asked for it. `cut` is a rank, a share from 0 to 1 where `is_share`, or None."""

    definition: Definition
    cut: float | None = None
    is_share: bool = False
    options: tuple[tuple[str, Parameter], ...] = ()
    condensed: bool = False  # asked of all measures at once, so it is not in the name

    @property
    def name(self) -> str:
        """As ir-measures writes it."""
        inside = ",".join(f"{key}={value!r}" for key, value in self.options)
        return f"{self.definition.name}{f'({inside})' if inside else ''}{self._at}"

    @property
    def _at(self) -> str:
        if self.cut is None:
            return ""
        if self.is_share:
            return f"@{100 * self.cut:g}%"
        return f"@{self.cut}" if self.definition.cut == "recall" else f"@{self.cut:.0f}"

    @property
    def rank(self) -> int | None:
        """The rank at which it cuts every ranking off."""
        return None if self.cut is None or self.is_share or self.definition.cut == "recall" else int(self.cut)

    def values(self, view: View) -> FloatArray:
        """(T,) its value for each topic, NaN where undefined. Errors: UnjudgedError."""
        parameters = {**self.definition.parameters, **dict(self.options)}
        if parameters.get("rel") is None:
            parameters["rel"] = view.relevance
        if self._leaves_unjudged_out:
            view = view.condensed
        return self.definition.function(Ranked(view, self._cut_of(view), parameters))

    def _cut_of(self, view: View) -> "Cut":
        return np.floor(self.cut * view.length + 1e-9) if self.is_share and self.cut is not None else self.cut

    def is_empty_share(self, view: View) -> BoolArray:
        """(T,) where a topic is ranked, but the share that the measure looks at is no document."""
        shown = view.condensed if self._leaves_unjudged_out else view
        return np.asarray((shown.length > 0) & (np.asarray(self._cut_of(shown)) < 1))

    @property
    def _leaves_unjudged_out(self) -> bool:
        parameters = {**self.definition.parameters, **dict(self.options)}
        return bool(parameters.get("judged_only") or (self.condensed and "judged_only" in parameters))

    def highest(self, view: View) -> FloatArray | None:
        """(T,) its value if every unjudged document that is ranked were relevant.

        None for measures that also ask how many relevant documents there are, which nobody knows then, and for those
        that leave unjudged documents out.
        """
        if not self.definition.by_ranks or self._leaves_unjudged_out:
            return None
        return self.values(view.hopeful(self.rank))


Cut = float | FloatArray | None  # the last rank that counts: one for all topics, or (T,)


@dataclass(frozen=True, eq=False)
class Ranked:
    """What a measure is computed from: the rankings of T topics with H judged hits, the cut, and the parameters."""

    view: View
    cut: Cut
    parameters: Parameters

    @property
    def level(self) -> float:
        """The grade from which on a document is relevant."""
        return float(self.parameters["rel"])

    @property
    def relevant(self) -> BoolArray:
        """(H,) whether a hit is relevant."""
        return np.asarray(self.view.level >= self.level)

    @property
    def found(self) -> BoolArray:
        """(H,) whether a hit is relevant and stands before the cut."""
        return self.relevant & self.within

    @property
    def n_relevant(self) -> FloatArray:
        """(T,) how many relevant documents a topic has."""
        return self.view.n_relevant(self.level)

    @property
    def within(self) -> BoolArray:
        """(H,) whether a hit stands before the cut."""
        return self.is_within(self.view.topic, self.view.rank)

    def is_within(self, topic: IntArray, rank: IntArray) -> BoolArray:
        """(N,) whether ranks of topics, both (N,), stand before the cut."""
        if self.cut is None:
            return np.ones(len(rank), dtype=bool)
        return np.asarray(rank <= (self.cut[topic] if isinstance(self.cut, np.ndarray) else self.cut))

    def if_relevant(self, values: FloatArray) -> FloatArray:
        """(T,) the values, NaN for topics without a relevant document."""
        return np.where(self.n_relevant > 0, values, np.nan)

    @property
    def inverse_ranks(self) -> FloatArray:
        """(H,) 1 / rank."""
        return np.asarray(1.0 / self.view.rank, dtype=np.float64)

    @property
    def precisions(self) -> tuple[BoolArray, FloatArray]:
        """(H,) the relevant hits, and at each of them the precision at its rank."""
        hits, view = self.relevant, self.view
        found = np.zeros(len(hits))
        found[hits] = (ordinals(view.topic[hits]) + 1) / view.rank[hits]
        return hits, found


Function = Callable[[Ranked], FloatArray]


def divide(above: FloatArray, below: FloatArray | float) -> FloatArray:
    """The quotient, of the shape of `above`; NaN where there is nothing to divide by."""
    below = np.broadcast_to(np.asarray(below, dtype=np.float64), above.shape)
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)


def quotient(above: FloatArray, below: FloatArray | float) -> FloatArray:
    """The quotient; 0 where there is nothing to divide by."""
    return np.nan_to_num(divide(above, below))
