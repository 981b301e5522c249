"""How probable a verdict's value is by Dawid and Skene's (1979) model of the people who judged; it decides nothing.

The model is fitted to the labels of people alone, also where machines have a vote; weights of votes do not enter it. It
assumes that annotators err independently of each other and of the item.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudication.labels.labels import IntArray, LabelMatrix, Positions
from adjudication.models import Unknown
from engines.stats.dawid_skene import DawidSkene, fit
from engines.stats.labels import MISSING
from engines.stats.results import BoolArray, FloatArray

DUST = 1e-6  # items: what the rounding of the model leaves of a level that is never true
PLACES = 4  # decimals that are stored: a new label elsewhere then leaves most verdicts as they are


@dataclass(frozen=True)
class PeoplesModel:
    """The model of one criterion, for the n items and K levels of the matrix it was made of.

    fitted: of the items that a person judged, None where no item has labels of two people; posterior (n, K), which
    holds nothing for items that no person judged; judges (n,) people who judged the item; used (K,) whether any person
    gave the level; fault: why nothing is known of any item, or "".
    """

    fitted: DawidSkene | None
    posterior: FloatArray
    judges: IntArray
    used: BoolArray
    fault: str

    def of_value(self, item: int, level: int) -> tuple[float | None, str]:
        """The probability that the level (-1: no value) is true of the item in this row, or None and the reason."""
        if level < 0:
            return None, Unknown.NO_VALUE
        if self.judges[item] < 2:
            return None, Unknown.FEW_VOTES
        if self.fault:
            return None, self.fault
        if not self.used[level]:
            return None, Unknown.UNUSED_LEVEL
        return round(float(self.posterior[item, level]), PLACES), ""


def fit_people(matrix: LabelMatrix, is_person: BoolArray, levels: int) -> PeoplesModel:
    """The model of the people among the annotators of `matrix`; `is_person` (m,) says who they are."""
    panel: Positions = matrix.positions[:, is_person]
    judges = (panel >= 0).sum(axis=1, dtype=np.int64)
    used = np.isin(np.arange(levels), panel)
    posterior = np.zeros((len(panel), levels))
    if judges.max(initial=0) < 2:
        return PeoplesModel(None, posterior, judges, used, Unknown.FEW_VOTES)
    fitted = fit(panel[judges > 0], levels)
    posterior[judges > 0] = fitted.posterior
    return PeoplesModel(fitted, posterior, judges, used, _fault(fitted, used))


def confusion(model: PeoplesModel, matrix: LabelMatrix, is_machine: BoolArray) -> list[dict[str, Any]]:
    """How often each annotator of `matrix` says what, by what the model of the people takes to be true.

    [{"annotator" (id), "machine", "n_items", "rates" (K lists of K shares, None for a level that is never true of
    their items)}], [] where the model can say nothing. People's labels have made the model; machines' have not.
    """
    if model.fitted is None or model.fault:
        return []
    known, levels = model.judges > 0, range(len(model.used))
    found = []
    for annotator, machine, column in zip(matrix.annotators, is_machine, matrix.positions.T, strict=True):
        said = np.array([model.posterior[known & (column == level)].sum(axis=0) for level in levels]).T
        rates = [[round(float(one), PLACES) for one in row / row.sum()] if row.sum() > DUST else None for row in said]
        n_items = int((known & (column != MISSING)).sum())
        found.append({"annotator": int(annotator), "machine": bool(machine), "n_items": n_items, "rates": rates})
    return found


def _fault(fitted: DawidSkene, used: BoolArray) -> str:
    if used.sum() < 2:  # the model would be certain, although nothing has shown who errs
        return Unknown.ONE_LEVEL
    if not fitted.converged:
        return Unknown.NOT_CONVERGED
    return Unknown.SWITCHED if fitted.label_switching_suspected else ""
