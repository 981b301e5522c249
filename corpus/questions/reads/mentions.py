"""Citation mentions as they are found, sampled and shown."""

from collections.abc import Collection as Several
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.postgres.search import SearchQuery
from django.db.models import CharField, Count, Exists, F, OuterRef, Prefetch, Q, QuerySet, Value
from django.db.models.functions import MD5, Cast, Concat

from corpus.models import CitationMention, Collection, GenerationReply, MentionReference


@dataclass(frozen=True)
class MentionFilter:
    """Which mentions: "" does not matter. `source` is inside or outside the collection, `target` yes or no (cites a
    document of it), `state` usable or discarded, `used` yes or no (a question was asked for).

    `sample` > 0 takes so many at random: the same seed takes the same ones of the same set, however it came in.
    """

    source: str = ""
    target: str = ""
    state: str = "usable"
    used: str = ""
    text: str = ""
    sample: int = 0
    seed: int = 0

    @property
    def as_parameters(self) -> dict[str, Any]:
        """The values that differ from the defaults, for links and job parameters."""
        usual = asdict(MentionFilter())
        changed = {name: value for name, value in asdict(self).items() if value != usual[name]}
        return changed | ({"seed": self.seed} if self.sample else {})


def find_mentions(collection: Collection, criteria: MentionFilter) -> QuerySet[CitationMention]:
    """The mentions a filter lets through: by source and place, or in random order where a sample is taken."""
    found = CitationMention.objects.filter(collection=collection)
    if criteria.source:
        found = found.inside() if criteria.source == "inside" else found.outside()
    if criteria.target:
        linked = Exists(MentionReference.objects.filter(mention=OuterRef("pk"), document__isnull=False))
        found = found.filter(linked if criteria.target == "yes" else ~linked)
    if criteria.state:
        found = found.filter(discarded_at__isnull=criteria.state == "usable")
    if criteria.used:
        used = Exists(GenerationReply.objects.filter(mention=OuterRef("pk")))
        found = found.filter(used if criteria.used == "yes" else ~used)
    if criteria.text:
        found = found.filter(search=SearchQuery(criteria.text, config="english", search_type="websearch"))
    if not criteria.sample:
        return found.order_by("source_key", "position")
    place = Concat(Value(f"{criteria.seed}:"), F("source_key"), Value(":"), Cast("position", CharField()))
    return found.annotate(lot=MD5(place)).order_by("lot", "pk")[: criteria.sample]


def for_pages(found: QuerySet[CitationMention]) -> QuerySet[CitationMention]:
    """With everything a card shows, in three queries for a page."""
    references = MentionReference.objects.select_related("document").order_by("position")
    return found.select_related("source_document", "discarded_by").prefetch_related(
        Prefetch("references", queryset=references)
    )


@dataclass(frozen=True)
class Piece:
    """A piece of a paragraph. A marker has keys; `is_target` says that one of them is among the targets."""

    text: str
    keys: tuple[str, ...] = ()
    is_marker: bool = False
    is_target: bool = False


def pieces_of(mention: CitationMention, targets: Several[str] = ()) -> list[Piece]:
    """The paragraph cut into text and markers; joined they are the text."""
    pieces: list[Piece] = []
    at = 0
    for marker in mention.markers:
        start, end, keys = marker["start"], marker["end"], tuple(marker["keys"])
        if start > at:
            pieces.append(Piece(mention.text[at:start]))
        pieces.append(Piece(mention.text[start:end], keys, True, any(key in targets for key in keys)))
        at = end
    return [*pieces, Piece(mention.text[at:])] if at < len(mention.text) else pieces


@dataclass(frozen=True)
class MentionCounts:
    """How many mentions a collection has, by what matters for questions."""

    mentions: int
    sources: int
    inside: int
    with_target: int
    discarded: int
    used: int


def count_mentions(collection: Collection) -> MentionCounts:
    """The figures above the list."""
    linked = Exists(MentionReference.objects.filter(mention=OuterRef("pk"), document__isnull=False))
    used = Exists(GenerationReply.objects.filter(mention=OuterRef("pk")))
    found = CitationMention.objects.filter(collection=collection).annotate(is_linked=linked, is_used=used)
    return MentionCounts(
        **found.aggregate(
            mentions=Count("pk"),
            sources=Count("source_key", distinct=True),
            inside=Count("pk", filter=Q(source_document__isnull=False)),
            with_target=Count("pk", filter=Q(is_linked=True)),
            discarded=Count("pk", filter=Q(discarded_at__isnull=False)),
            used=Count("pk", filter=Q(is_used=True)),
        )
    )
