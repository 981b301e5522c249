"""Rewrites that count now, with what second persons said of them."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from annotation.campaigns.reads.unjudged import left_to
from annotation.models import Campaign, Judgment, ReviewDecision, Rewrite, RewriteReview
from engines.definitions.rubric_options import read_rubric_options
from engines.text.differences import Piece, compare_texts
from engines.text.overlap import Overlap, overlap_with

CONFIRMED, REJECTED, ASKED, OPEN = "confirmed", "rejected", "asked", "open"
STANDINGS = {OPEN: "nobody asked", ASKED: "asked", CONFIRMED: "confirmed", REJECTED: "rejected"}


@dataclass(frozen=True)
class RewriteRow:
    """A rewrite as overseers see it: who proposed it, how it differs, overlap before and after, who said what.

    `definition` names how overlap is counted.
    """

    rewrite: Rewrite
    number: str
    author: str
    removed: tuple[Piece, ...]
    added: tuple[Piece, ...]
    before: Overlap
    after: Overlap
    definition: str
    reviews: list[RewriteReview]

    @property
    def standing(self) -> str:
        return standing_of([review.decision for review in self.reviews])


def standing_of(decisions: list[str]) -> str:
    """One rejection rejects; else one confirmation confirms; else somebody is asked, or nobody."""
    if ReviewDecision.REJECTED in decisions:
        return REJECTED
    if ReviewDecision.CONFIRMED in decisions:
        return CONFIRMED
    return ASKED if decisions else OPEN


def current_rewrites(campaign: Campaign) -> QuerySet[Rewrite]:
    """Rewrites whose submission counts now, in the order of the questions."""
    counts = Judgment.objects.filter(submission=OuterRef("submission"))
    found = Rewrite.objects.filter(Exists(counts), submission__assignment__item__campaign=campaign)
    return found.order_by("submission__assignment__item__topic__position", "pk")


def current_like(rewrite: Rewrite) -> QuerySet[Rewrite]:
    """The rewrite that counts now in the same words, of the same rater and question: rating again makes a new row."""
    assignment = rewrite.submission.assignment
    return current_rewrites(assignment.item.campaign).filter(submission__assignment=assignment, text=rewrite.text)


def reviews_like(rewrites: Iterable[Rewrite]) -> QuerySet[RewriteReview]:
    """What was said of these wordings, whichever time their raters gave them; oldest first."""
    wordings = Q(pk__in=[])
    for rewrite in rewrites:
        wordings |= Q(rewrite__submission__assignment=rewrite.submission.assignment_id, rewrite__text=rewrite.text)
    return RewriteReview.objects.filter(wordings).order_by("pk")


def describe_rewrites(rewrites: QuerySet[Rewrite]) -> list[RewriteRow]:
    """These rewrites with everything shown next to them; four queries."""
    item = "submission__assignment__item"
    topic = f"{item}__topic"
    related = rewrites.select_related(topic, f"{item}__campaign", "submission__assignment__annotator")
    found = list(related.prefetch_related(f"{topic}__targets__document"))
    reviews: dict[tuple[int, str], list[RewriteReview]] = defaultdict(list)
    for review in reviews_like(found).select_related("reviewer", "rewrite__submission"):
        reviews[review.rewrite.submission.assignment_id, review.rewrite.text].append(review)
    return [_row(rewrite, reviews[rewrite.submission.assignment_id, rewrite.text]) for rewrite in found]


def _row(rewrite: Rewrite, reviews: list[RewriteReview]) -> RewriteRow:
    assignment = rewrite.submission.assignment
    topic, annotator = assignment.item.topic, assignment.annotator
    pairs = [(each.document.title, each.document.abstract) for each in topic.targets.all()] if topic else []
    removed, added = pieces_of(rewrite)
    definition = read_rubric_options(assignment.item.campaign.options).overlap_definition
    return RewriteRow(
        rewrite=rewrite,
        number=topic.number if topic else "",
        author=annotator.name if annotator else "",
        removed=removed,
        added=added,
        before=overlap_with(rewrite.original, pairs, definition),
        after=overlap_with(rewrite.text, pairs, definition),
        definition=definition,
        reviews=reviews,
    )


def pieces_of(rewrite: Rewrite) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Original and new wording in pieces, what the other does not have marked."""
    lines = compare_texts(" ".join(rewrite.original.split()), " ".join(rewrite.text.split()))
    removed = tuple(piece for line in lines if line.kind == "removed" for piece in line.pieces)
    added = tuple(piece for line in lines if line.kind == "added" for piece in line.pieces)
    same = (Piece(rewrite.text, changed=False),)  # only white space differs
    return removed or same, added or same


def rewrite_as_json(row: RewriteRow) -> dict[str, Any]:
    """A rewrite as commands and the API give it. Overlaps are shares, null where there is nothing to compare with."""
    return {
        "id": row.rewrite.pk,
        "topic": row.number,
        "original": row.rewrite.original,
        "text": row.rewrite.text,
        "by": row.author,
        "standing": row.standing,
        "overlap": {"before": asdict(row.before), "after": asdict(row.after)},
        "overlap_definition": row.definition,
        "reviews": [
            {
                "reviewer": str(review.reviewer),
                "decision": review.decision or None,
                "comment": review.comment,
                "decided_at": review.decided_at,
            }
            for review in row.reviews
        ],
    }


def reviews_for(user: User, campaign: Campaign) -> QuerySet[RewriteReview]:
    """Rewrites of a campaign that this person is asked to look at and has not decided about.

    Those of questions that they still have to rate wait until they have (docs/adr/0011).
    """
    counts = current_rewrites(campaign).filter(
        submission__assignment=OuterRef("rewrite__submission__assignment"), text=OuterRef("rewrite__text")
    )
    open_ = RewriteReview.objects.filter(Exists(counts), reviewer=user, decision="")
    open_ = open_.exclude(left_to(user, "rewrite__submission__assignment__item"))
    return open_.select_related("rewrite__submission__assignment__item__topic").order_by("pk")
