"""Rewrites that count now, and what a second person decides about them: requested and made, never withdrawn."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit import record_event
from accounts.counting import numeral
from accounts.models import User
from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.campaigns.unjudged import left_to
from annotation.labelling.rules import check_can_read_labels
from annotation.models import Asked, Campaign, Item, Judgment, ReviewDecision, Rewrite, RewriteReview, VotesSeen
from corpus.collections.rules import DECIDE, check_not_archived
from corpus.models import Membership, Role
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
    judging = Rewrite.objects.filter(submission__assignment__repeat=Asked.TO_JUDGE)
    found = judging.filter(Exists(counts), submission__assignment__item__campaign=campaign)
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


LONGEST_COMMENT = 500
UNDECIDED = gettext_lazy("Confirm the rewrite or reject it.")
OWN = gettext_lazy("The author of a rewrite cannot confirm it: somebody else has to.")


@transaction.atomic
def ask_for_reviews(
    *, campaign: Campaign, rewrites: Sequence[int], reviewer: User, by: User, at: datetime
) -> list[RewriteReview]:
    """Ask a member of the collection to confirm these rewrites; those they were asked about already are left out.

    Errors: NotAllowed unless `by` manages or adjudicates; Refused for viewers, strangers, and the writer of one.
    """
    check_not_archived(campaign.collection)
    _check_decider(campaign, by)
    roles = dict(Membership.objects.filter(collection=campaign.collection_id).values_list("user", "role"))
    if roles.get(reviewer.pk) in (None, Role.VIEWER):
        raise Refused(f"{reviewer} does not judge in this collection.")
    current = current_rewrites(campaign).select_related("submission__assignment__annotator")
    chosen = list(current.filter(pk__in=rewrites))
    if not chosen:
        raise Refused("Choose at least one current rewrite.")
    if any(_author(rewrite) == reviewer.pk for rewrite in chosen):
        raise Refused(f"{reviewer} wrote one of these. {OWN}")
    wording = ("rewrite__submission__assignment", "rewrite__text")
    known = set(reviews_like(chosen).filter(reviewer=reviewer).values_list(*wording))
    made = RewriteReview.objects.bulk_create(
        [
            RewriteReview(rewrite=rewrite, reviewer=reviewer, asked_by=by, asked_at=at)
            for rewrite in chosen
            if (rewrite.submission.assignment_id, rewrite.text) not in known
        ]
    )
    if made:
        facts = {"reviewer": reviewer.email, "rewrites": [review.rewrite_id for review in made][:100]}
        record_event(by=by, at=at, verb="ask_for_reviews", target=campaign, scope=campaign.collection, **facts)
    return made


@transaction.atomic
def decide_rewrite(
    *, campaign: Campaign, rewrite: int, by: User, at: datetime, decision: str, comment: str = ""
) -> RewriteReview:
    """Confirm or reject a rewrite: allowed to the person asked, and every manager or adjudicator who did not write it.

    They are not asked to rate the question afterwards: they have seen what somebody made of it.
    Errors: NotAllowed for others and for people who still have to rate it, Refused for one's own, Conflict where the
    rewrite no longer counts.
    """
    check_not_archived(campaign.collection)
    if decision not in ReviewDecision.values:
        raise Refused(UNDECIDED)
    if len(comment.strip()) > LONGEST_COMMENT:
        raise Refused(
            _("A comment has at most {most} characters; this one has {length}.").format(
                most=numeral(LONGEST_COMMENT), length=numeral(len(comment.strip()))
            )
        )
    asked_for = Rewrite.objects.filter(pk=rewrite, submission__assignment__item__campaign=campaign).first()
    found = current_like(asked_for).select_related("submission__assignment__annotator").first() if asked_for else None
    if found is None:
        raise Conflict(
            _("This rewrite no longer counts: the question has been rated again since, or the rating undone.")
        )
    if _author(found) == by.pk:
        raise Refused(OWN)
    review = reviews_like([found]).filter(reviewer=by).select_for_update(of=("self",)).last()
    if review is None:
        _check_decider(campaign, by)
        review = RewriteReview(rewrite=found, reviewer=by, asked_by=by, asked_at=at)
    item = found.submission.assignment.item_id
    if Item.objects.filter(left_to(by, "pk"), pk=item).exists():
        raise NotAllowed(
            _("You still have to rate this question yourself. Rate it first, then decide about the rewrite.")
        )
    VotesSeen.objects.get_or_create(item_id=item, user=by, defaults={"at": at})
    review.decision, review.comment, review.decided_at = decision, comment.strip(), at
    review.save()
    facts = {"rewrite": found.pk, "decision": decision}
    record_event(by=by, at=at, verb="decide_rewrite", target=campaign, scope=campaign.collection, **facts)
    return review


def _author(rewrite: Rewrite) -> int | None:
    annotator = rewrite.submission.assignment.annotator
    return annotator.user_id if annotator else None


def _check_decider(campaign: Campaign, by: User) -> None:
    if not Membership.objects.filter(collection=campaign.collection_id, user=by, role__in=DECIDE).exists():
        raise NotAllowed(
            _("Only managers and adjudicators of the collection, and the people they ask, can decide about rewrites.")
        )
    check_can_read_labels(campaign, by)
