"""A second person's decision about rewrites: requested and made, never withdrawn."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.campaigns.reads.unjudged import left_to
from annotation.labelling.rules.labels import check_can_read_labels
from annotation.models import Campaign, Item, ReviewDecision, Rewrite, RewriteReview, VotesSeen
from annotation.rubric.reads import current_like, current_rewrites, reviews_like
from corpus.collections.rules import check_not_archived
from corpus.models import Membership, Role

DECIDERS = (Role.MANAGER, Role.ADJUDICATOR)
LONGEST_COMMENT = 500
UNDECIDED = "Confirm the rewrite or reject it."
OWN = "The author of a rewrite cannot confirm it: somebody else has to."


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
        raise Refused("Choose at least one rewrite that counts now.")
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
        raise Refused(f"A comment has at most {LONGEST_COMMENT} characters; this one has {len(comment.strip()):,}.")
    asked_for = Rewrite.objects.filter(pk=rewrite, submission__assignment__item__campaign=campaign).first()
    found = current_like(asked_for).select_related("submission__assignment__annotator").first() if asked_for else None
    if found is None:
        raise Conflict("This rewrite no longer counts: the question has been rated again since, or the rating undone.")
    if _author(found) == by.pk:
        raise Refused(OWN)
    review = reviews_like([found]).filter(reviewer=by).select_for_update(of=("self",)).last()
    if review is None:
        _check_decider(campaign, by)
        review = RewriteReview(rewrite=found, reviewer=by, asked_by=by, asked_at=at)
    item = found.submission.assignment.item_id
    if Item.objects.filter(left_to(by, "pk"), pk=item).exists():
        raise NotAllowed("You still have to rate this question yourself. Rate it first, then decide about the rewrite.")
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
    if not Membership.objects.filter(collection=campaign.collection_id, user=by, role__in=DECIDERS).exists():
        raise NotAllowed("Only managers and adjudicators of the collection decide about rewrites, and whom they ask.")
    check_can_read_labels(campaign, by)
