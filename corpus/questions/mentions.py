"""Citation mentions: found, sampled, shown, discarded and restored, their links looked up again."""

from collections.abc import Collection as Several
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.contrib.postgres.search import SearchQuery
from django.db import transaction
from django.db.models import CharField, Count, Exists, F, OuterRef, Prefetch, Q, QuerySet, Value
from django.db.models.functions import MD5, Cast, Concat

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from corpus.collections.rules import check_manager
from corpus.models import CitationMention, Collection, DiscardReason, GenerationReply, MentionReference
from corpus.questions.mention_storing import link_mentions
from engines.text.languages import ENGLISH


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
        found = found.filter(_with_words(criteria.text, collection.language))
    if not criteria.sample:
        return found.order_by("source_key", "position")
    place = Concat(Value(f"{criteria.seed}:"), F("source_key"), Value(":"), Cast("position", CharField()))
    return found.annotate(lot=MD5(place)).order_by("lot", "pk")[: criteria.sample]


def _with_words(text: str, language: str) -> Q:
    """Mentions' vectors are English: other languages are searched letter by letter."""
    if language == ENGLISH:
        return Q(search=SearchQuery(text, config="english", search_type="websearch"))
    words = text.replace('"', " ").split()
    return Q(*(Q(text__icontains=word) | Q(source_title__icontains=word) for word in words))


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


def cited_in(mention: CitationMention) -> list[tuple[str, MentionReference]]:
    """What the paragraph cites, each with the first marker that names it, or "" where none does."""
    markers: dict[str, str] = {}
    for piece in pieces_of(mention):
        markers = dict.fromkeys(piece.keys, piece.text) | markers
    return [(markers.get(reference.key, ""), reference) for reference in mention.references.all()]


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


LONGEST_NOTE = 500
UNDISCARDED: dict[str, Any] = {"discarded_at": None, "discarded_by": None, "discard_reason": "", "discard_note": ""}


@transaction.atomic
def discard_mention(
    *, by: User | None, at: datetime, mention: CitationMention, reason: DiscardReason, note: str = ""
) -> None:
    """Leave a mention out of all samples; questions that were written from it stay."""
    check_manager(mention.collection, by)
    note = " ".join(note.split())
    if reason not in DiscardReason.values:
        raise Refused("Choose a reason.")
    if len(note) > LONGEST_NOTE:
        raise Refused(f"A note has at most {LONGEST_NOTE} characters.")
    if reason == DiscardReason.OTHER and not note:
        raise Refused("Describe the other reason in the note.")
    values: dict[str, Any] = {"discarded_at": at, "discarded_by": by, "discard_reason": reason, "discard_note": note}
    _change(by, at, mention, "discard_mention", values, reason=reason, note=note)


@transaction.atomic
def restore_mention(*, by: User | None, at: datetime, mention: CitationMention) -> None:
    """Take a discarded mention among the usable ones again."""
    check_manager(mention.collection, by)
    _change(by, at, mention, "restore_mention", UNDISCARDED, was=mention.discard_reason)


@transaction.atomic
def relink_mentions(*, by: User | None, at: datetime, collection: Collection) -> int:
    """Look up again which documents the mentions cite and come from; returns how many links changed."""
    check_manager(collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    changed = link_mentions(collection.pk)
    if changed:
        record_event(by=by, at=at, verb="relink_mentions", target=collection, scope=collection, changed=changed)
    return changed


def _change(
    by: User | None, at: datetime, mention: CitationMention, verb: str, values: dict[str, Any], **facts: object
) -> None:
    """Write if nobody was faster: discarded ones are restored, others discarded."""
    is_restoring = values["discarded_at"] is None
    found = CitationMention.objects.filter(pk=mention.pk, discarded_at__isnull=not is_restoring)
    if not found.update(**values):
        raise Conflict("It is no longer discarded." if is_restoring else "It has been discarded already.")
    mention.refresh_from_db(fields=list(values))
    record_event(by=by, at=at, verb=verb, target=mention, scope=mention.collection, **facts)
