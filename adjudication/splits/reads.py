"""Splits of a collection, with how many topics of which attributes each part has."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from adjudication.evaluation.golds.kind import QUERY
from adjudication.evaluation.reads.subsets import attributes_of
from adjudication.models import Split, SplitTopic
from annotation.kinds.relevance.choosing import TopicParts
from corpus.models import Collection


@dataclass(frozen=True)
class Line:
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
    lines: tuple[Line, ...]
    left: int

    @property
    def parts(self) -> list[tuple[str, int]]:
        return list(zip(self.split.parts, self.counts, strict=True))

    @property
    def total(self) -> int:
        return sum(self.counts)


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
    lines = tuple(Line(label, tuple(counted[label, part] for part in split.parts)) for label in labels)
    by_part = Counter(members.values())
    left = collection.topics.count() - len(members)
    return SplitFigures(split, tuple(by_part[part] for part in split.parts), lines, left)
