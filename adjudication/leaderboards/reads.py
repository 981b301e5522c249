"""Leaderboards as everybody sees them, the test topics a collection offers, and how a run is scored on one.

This module returns only rounded means over all test topics: no topic, no document and no judgment.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.refusals import Refused
from adjudication.evaluation.golds.kind import QUERY, Choices
from adjudication.evaluation.golds.registry import GOLDS, parse_selector, read_gold
from adjudication.evaluation.reads.spec import EvaluationSpec
from adjudication.evaluation.reads.subsets import STORED, attributes_of
from adjudication.models import Leaderboard, LeaderboardEntry
from adjudication.stats.evaluation import mean_scores, score
from adjudication.stats.rankings import RankedList, make_gold, match
from corpus.models import Collection, CollectionAddress

FEWEST_TOPICS = 10  # a mean over fewer gives single judgments away
PLACES = 3  # of what is shown
RESAMPLES, SEED = 2_000, 1
Cell = tuple[str, float | None, float | None, float | None, bool]  # measure, value, low, high, whether the best


@dataclass(frozen=True)
class EntryRow:
    """A run as the table shows it.

    How many test topics it ranks is not shown, only whether it lacks some: the number would tell which they are.
    """

    entry: LeaderboardEntry
    cells: tuple[Cell, ...]
    lacks_topics: bool


def offered_topics(collection: Collection) -> Choices:
    """What can be chosen as test topics: all, each part of each split, and splits that topics were imported with."""
    found = [("", "All topics")]
    for split in collection.splits.all():
        found += [(f"{STORED}{split.name}={part}", f"Part {part} of the split {split.name}") for part in split.parts]
    numbers = list(collection.topics.exclude(extra={}).values_list("number", flat=True))
    values = attributes_of(collection, QUERY, numbers, ["split"])["split"].values() if numbers else ()
    return found + [(f"split={each}", f"Topics imported as {each}") for each in sorted({v for v in values if v})]


def freeze_gold(collection: Collection, selector: str, attribute: str, part: str) -> dict[str, Any]:
    """The gold of the test topics as it is now, as fields of a leaderboard; its label is its kind: it names no person.

    Errors: Refused where it is empty, or of too few topics.
    """
    found = read_gold(collection, selector)
    gold, topics = found.gold, list(range(len(found.gold.topics)))
    if attribute:
        values = attributes_of(collection, found.unit, gold.topics, [attribute])[attribute]
        topics = [place for place in topics if values[gold.topics[place]] == part]
    if len(topics) < FEWEST_TOPICS:
        raise Refused(
            f"The gold has {len(topics):,} of these topics. A leaderboard needs at least {FEWEST_TOPICS}: a mean over "
            "fewer would give single judgments away."
        )
    gains = {gold.topics[t]: {doc: float(gold.gain[at]) for doc, at in gold.places[t].items()} for t in topics}
    levels = {gold.topics[t]: {doc: float(gold.level[at]) for doc, at in gold.places[t].items()} for t in topics}
    stored = {"gains": gains, "levels": levels, "relevance": gold.relevance}
    label = GOLDS[parse_selector(selector).kind].label
    return {"label": label, "unit": found.unit, "gold": stored, "n_topics": len(topics)}


def score_run(board: Leaderboard, rankings: Iterable[RankedList]) -> tuple[dict[str, Any], int]:
    """(means over the board's test topics by measure, how many of these the run ranks); other rankings are ignored.

    A run that ranks none of them scores 0: a refusal would tell, at no cost, which topics are for the test.
    Errors: Refused for a document that is ranked twice.
    """
    gold = make_gold(board.gold["gains"], board.gold["levels"], relevance=board.gold["relevance"])
    measures = EvaluationSpec(gold="", runs=(), measures=tuple(board.measures)).parsed()
    try:
        found = match(rankings, gold)
    except ValueError as error:
        raise Refused(f"The run cannot be scored: {error}.") from None
    means = mean_scores({"": score(found, gold, measures)}, seed=SEED, resamples=RESAMPLES)[""]
    figures = {
        name: {
            "value": _rounded(each.value),
            "low": _rounded(each.ci.low if each.ci else None),
            "high": _rounded(each.ci.high if each.ci else None),
        }
        for name, each in means.items()
    }
    return figures, int(np.count_nonzero(found.length))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), PLACES)


def newest_board(collection: Collection) -> Leaderboard | None:
    """The collection's open board, else the one closed last; without its gold."""
    return boards(Leaderboard.objects.filter(collection=collection)).order_by("-pk").first()


def open_boards() -> QuerySet[Leaderboard]:
    """The boards that everybody may read."""
    return boards(Leaderboard.objects.filter(closed_at__isnull=True))


def open_board_at(slug: str) -> QuerySet[Leaderboard]:
    """The open board at this address, the collection's present one or a former one: readers keep addresses."""
    return open_boards().filter(collection__in=CollectionAddress.objects.filter(slug=slug).values("collection_id"))


def boards(rows: QuerySet[Leaderboard]) -> QuerySet[Leaderboard]:
    """With their collections and without their golds, which nothing that is shown needs."""
    return rows.select_related("collection").defer("gold")


def table_of(board: Leaderboard) -> list[EntryRow]:
    """The runs that are shown, best first by the first measure, undefined ones last. One query."""
    entries = list(board.entries.filter(withdrawn_at__isnull=True).select_related("submitted_by").order_by("pk"))
    values = {name: [each.figures[name]["value"] for each in entries] for name in board.measures}
    best = {name: max((value for value in found if value is not None), default=None) for name, found in values.items()}

    def falling(entry: LeaderboardEntry) -> tuple[bool, float]:
        value = entry.figures[board.measures[0]]["value"]
        return value is None, -(value or 0.0)

    def cell(entry: LeaderboardEntry, name: str) -> Cell:
        value, low, high = (entry.figures[name][key] for key in ("value", "low", "high"))
        return name, value, low, high, value is not None and value == best[name]

    return [
        EntryRow(each, tuple(cell(each, name) for name in board.measures), each.ranked < board.n_topics)
        for each in sorted(entries, key=falling)
    ]


def uploads_today(board: Leaderboard, user: User, at: datetime) -> int:
    """How many runs the person has uploaded since midnight in the site's time zone, withdrawn ones included."""
    midnight = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    return board.entries.exclude(sha256="").filter(submitted_by=user, submitted_at__gte=midnight).count()


def board_as_json(board: Leaderboard) -> dict[str, Any]:
    """What everybody may know of the board, as commands and the API give it."""
    return {
        "collection": board.collection.slug,
        "title": board.collection.title,
        "gold": board.label,
        "test_topics": board.topics_label,
        "n_topics": board.n_topics,
        "measures": board.measures,
        "uploads": board.uploads,
        "opened_at": board.opened_at,
        "closed_at": board.closed_at,
        "runs": [entry_as_json(row.entry) for row in table_of(board)],
    }


def entry_as_json(entry: LeaderboardEntry) -> dict[str, Any]:
    return {
        "id": entry.pk,
        "name": entry.name,
        "team": entry.team,
        "about": entry.about,
        "submitted_at": entry.submitted_at,
        "ranks_all": entry.ranked == entry.leaderboard.n_topics,
        "figures": entry.figures,
    }
