"""Splits of topics: drawn, shown with how many topics of which attributes each part has, deleted."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db import transaction
from django.db.models import Q

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused, taken_is_conflict
from adjudication.evaluation.golds.kind import QUERY
from adjudication.evaluation.subsets import attributes_of
from adjudication.exports.exporters.topics import published_topics
from adjudication.models import Split, SplitTopic
from annotation.campaigns.rules import check_within
from annotation.kinds.relevance.choosing import TopicParts
from corpus.collections.rules import check_manager
from corpus.models import Collection
from engines.definitions.settings import SEED
from engines.stats.splits import Unit, divide, join


@dataclass(frozen=True)
class SplitLine:
    """The topics that have these values of the attributes a split is balanced by, in each part."""

    label: str
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True)
class SplitFigures:
    """A split with its counts; `left` are topics that came after it, which are in no part."""

    split: Split
    counts: tuple[int, ...]
    lines: tuple[SplitLine, ...]
    left: int

    @property
    def parts(self) -> list[tuple[str, int]]:
        return list(zip(self.split.parts, self.counts, strict=True))

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def asked(self) -> list[float]:
        """The share of the topics that each part was to have, from 0 to 1."""
        shares = [share for _, share in self.split.parameters["parts"]]
        return [share / sum(shares) for share in shares]

    @property
    def is_uneven(self) -> bool:
        """Whether a part is a topic or more away from its share."""
        return any(abs(count - share * self.total) > 0.5 for count, share in zip(self.counts, self.asked, strict=True))


def members_of(split: Split) -> dict[str, str]:
    """{topic number: part}, in the order of topics."""
    rows = split.members.order_by("topic__position", "topic_id").values_list("topic__number", "part")
    return dict(rows)


def _part_names(collection: Collection) -> list[str]:
    return [f"{split.name}/{part}" for split in collection.splits.all() for part in split.parts]


def _part_topics(collection: Collection, names: Sequence[str]) -> list[int]:
    """Ids of the topics in any of these parts."""
    condition = Q()
    for name in names:
        split, _, part = name.partition("/")
        condition |= Q(split__name=split, part=part)
    members = SplitTopic.objects.filter(condition, split__collection=collection)
    return list(members.values_list("topic", flat=True).distinct())


PARTS_OF_SPLITS = TopicParts(_part_names, _part_topics)


def figures_of(split: Split) -> SplitFigures:
    """Its counts by part, and by values of the attributes it was balanced by."""
    members, collection = members_of(split), split.collection
    within = split.parameters["within"]
    values: Mapping[str, Mapping[str, str | None]] = (
        attributes_of(collection, QUERY, list(members), within) if within and members else {}
    )
    counted: Counter[tuple[str, str]] = Counter()
    for number, part in members.items():
        counted[" · ".join(values[name][number] or "none" for name in values), part] += 1
    labels = dict.fromkeys(label for label, _ in sorted(counted)) if values else ()
    lines = tuple(SplitLine(label, tuple(counted[label, part] for part in split.parts)) for label in labels)
    by_part = Counter(members.values())
    left = collection.topics.count() - len(members)
    return SplitFigures(split, tuple(by_part[part] for part in split.parts), lines, left)


MOST_PARTS = 10
MOST_ATTRIBUTES = 4
_word = re.compile(r"[A-Za-z0-9_-]{1,40}").fullmatch


@transaction.atomic
def make_split(
    *,
    by: User | None,
    at: datetime,
    collection: Collection,
    name: str,
    parts: Mapping[str, float],
    within: Sequence[str] = (),
    together: Sequence[str] = (),
    seed: int = 1,
) -> Split:
    """Draw the parts, {name: share}, from all topics that are not withdrawn, and store them.

    Every part gets its share of the topics of each value of the attributes `within`. A topic made from another one,
    topics of the same text, and topics of one value of an attribute `together` are always in the same part. The same
    seed over the same topics draws the same parts. Errors: Refused for invalid options and where a part would be
    empty, Conflict for a name that is taken.
    """
    check_manager(collection, by)
    _check_words(name, parts, within, together)
    check_within(SEED, seed)
    drawn = _draw(collection, parts, within, together, seed)
    if empty := [part for part in parts if part not in drawn.values()]:
        raise Refused(f"There are too few topics to draw: part “{empty[0]}” would be empty.")
    parameters = {
        "parts": [[part, share] for part, share in parts.items()],
        "within": [*within],
        "together": [*together],
    }
    with taken_is_conflict(f"There is a split “{name}” already. Choose another name, or delete it first."):
        split = Split.objects.create(
            collection=collection, name=name, seed=seed, parameters=parameters, created_by=by, created_at=at
        )
    SplitTopic.objects.bulk_create(
        (SplitTopic(split=split, topic_id=topic, part=part) for topic, part in drawn.items()), batch_size=5000
    )
    record_event(by=by, at=at, verb="make_split", target=split, scope=collection, seed=seed, **parameters)
    return split


@transaction.atomic
def delete_split(*, by: User | None, at: datetime, split: Split) -> Split:
    """Delete a split; with its seed and the same topics it can be drawn again."""
    check_manager(split.collection, by)
    facts = {"name": split.name, "seed": split.seed, **split.parameters}
    record_event(by=by, at=at, verb="delete_split", target=split, scope=split.collection, **facts)
    split.delete()
    return split


def _check_words(name: str, parts: Mapping[str, float], within: Sequence[str], together: Sequence[str]) -> None:
    for word in (name, *parts):
        if not _word(word):
            text = "is not a valid name. Use up to 40 characters: letters a to z, digits, hyphens and underscores."
            raise Refused(f"“{word[:40]}” {text}")
    if not 2 <= len(parts) <= MOST_PARTS:
        raise Refused(f"A split has between 2 and {MOST_PARTS} parts.")
    if wrong := [part for part, share in parts.items() if not 0 < share < 1_000_000]:
        raise Refused(f"The share of “{wrong[0]}” must be a number above 0 and below a million.")
    if len({*within, *together}) > MOST_ATTRIBUTES:
        raise Refused(f"A split uses at most {MOST_ATTRIBUTES} attributes.")
    if both := set(within) & set(together):
        raise Refused(
            f"Topics of one {min(both)} cannot both be spread over the parts and stay together. Choose one of the two."
        )


def _draw(
    collection: Collection, parts: Mapping[str, float], within: Sequence[str], together: Sequence[str], seed: int
) -> dict[int, str]:
    """{topic id: part}, in the order of topics."""
    topics = list(published_topics(collection).values_list("pk", "number", "parent_id", "text"))
    if not topics:
        raise Refused("The collection has no topics yet.")
    names = list(dict.fromkeys([*within, *together]))
    values = attributes_of(collection, QUERY, [number for _, number, *_ in topics], names) if names else {}
    keys: dict[int, list[tuple[str, object]]] = {}
    strata: dict[int, tuple[str, ...]] = {}
    for pk, number, parent, text in topics:
        shared = [(name, value) for name in together if (value := values[name][number]) is not None]
        keys[pk] = [("topic", pk), ("topic", parent or pk), ("text", " ".join(text.lower().split())), *shared]
        strata[pk] = tuple(values[name][number] or "" for name in within)
    units = [Unit(members, strata[members[0]]) for members in join(keys)]
    drawn = divide(units, parts, np.random.default_rng(seed))
    return {pk: drawn[pk] for pk, *_ in topics}
