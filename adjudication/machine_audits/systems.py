"""What pairs of topic and document are worth to a system: the weights by which P@k and DCG@k add up their grades."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from adjudication.evaluation.golds.kind import QUERY
from adjudication.evaluation.rankings import tops_of
from annotation.campaigns.campaigns import topics_of
from annotation.models import Campaign, Item
from engines.stats.gain_measures import log2_discount
from engines.stats.results import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Ranked:
    """What a run ranks among the first `depth` of the topics of the audit: places of the items in the population (R,),
    their ranks from 1 (R,), and how many more documents have no label of the machine."""

    run: str
    places: IntArray
    ranks: IntArray
    unlabelled: int

    def weights(self, of: int, topics: int, gains: FloatArray) -> FloatArray:
        """(of,) the share that each pair has in the mean over topics, by the gain of its rank."""
        found = np.zeros(of)
        np.add.at(found, self.places, gains[self.ranks - 1] / topics)
        return found


def precision_gains(depth: int) -> FloatArray:
    """(depth,) what a relevant document at each rank adds to P@depth."""
    return np.full(depth, 1 / depth)


def dcg_gains(depth: int) -> FloatArray:
    """(depth,) what each unit of a grade at each rank adds to DCG@depth (Järvelin & Kekäläinen 2002)."""
    return log2_discount(np.arange(1, depth + 1))


def read_ranked(campaign: Campaign, runs: Sequence[str], depth: int, items: IntArray) -> list[Ranked]:
    """The tops of these runs over the topics of the campaign, against its `items` (M,), rising. Runs that rank nothing
    for them are left out. Three queries."""
    judged = set(topics_of(campaign).values_list("number", flat=True))
    tops = [top for top in tops_of(campaign.collection, runs, QUERY, depth) if top[1] in judged]
    places = _places(campaign, {docno for *_, docnos in tops for docno in docnos}, items)
    found: dict[str, list[tuple[int, int]]] = {run: [] for run, *_ in tops}
    unlabelled = dict.fromkeys(found, 0)
    for run, topic, docnos in tops:
        for rank, docno in enumerate(docnos, 1):
            several = places.get((topic, docno), ())
            found[run] += [(place, rank) for place in several]
            unlabelled[run] += not several
    return [
        Ranked(run, *np.array(found[run], dtype=np.int64).reshape(-1, 2).T, unlabelled[run])
        for run in runs
        if run in found
    ]


def _places(campaign: Campaign, docnos: Iterable[str], items: IntArray) -> dict[tuple[str, str], list[int]]:
    """{(topic, docno): places of its items}; several where a topic is judged aspect by aspect."""
    found: dict[tuple[str, str], list[int]] = {}
    rows = Item.objects.filter(campaign=campaign, document__docno__in=list(docnos)).order_by("pk")
    for pk, topic, docno in rows.values_list("pk", "topic__number", "document__docno"):
        place = int(np.searchsorted(items, pk))
        if place < len(items) and items[place] == pk:
            found.setdefault((topic, docno), []).append(place)
    return found
