"""What may no longer change because somebody has judged it. The judging app sits above this one: its rows are
reached through the reverse relations of topics and aspects only."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from corpus.models import Aspect, Document, PoolEntry, Topic

ANSWERED = Q(items__assignments__submissions__isnull=False)


def judged_topics(topics: Iterable[Topic]) -> set[int]:
    """The ids of those topics of which anything was ever judged."""
    ids = [topic.pk for topic in topics]
    return set(Topic.objects.filter(ANSWERED, pk__in=ids).order_by().values_list("pk", flat=True).distinct())


def is_judged(topic: Topic) -> bool:
    return bool(judged_topics([topic]))


def judged_aspects(topics: Iterable[Topic]) -> set[int]:
    """The ids of the aspects of these topics that were ever judged."""
    return set(Aspect.objects.filter(ANSWERED, topic__in=list(topics)).values_list("pk", flat=True).distinct())


def aspects_in_campaigns(topics: Iterable[Topic]) -> dict[int, int]:
    """How many items campaigns have made of each aspect of these topics; aspects without any are left out."""
    counted = Aspect.objects.filter(topic__in=list(topics)).annotate(n_items=Count("items")).filter(n_items__gt=0)
    return dict(counted.values_list("pk", "n_items"))


def with_judged(entries: QuerySet[PoolEntry]) -> QuerySet[Any]:
    """Pool entries with `has_items`, a campaign has made items of them, and `is_judged`, somebody has answered one."""
    pair = {"pk": OuterRef("document"), "items__topic": OuterRef("topic")}
    return entries.annotate(
        has_items=Exists(Document.objects.filter(**pair)),
        is_judged=Exists(Document.objects.filter(**pair, items__assignments__submissions__isnull=False)),
    )
