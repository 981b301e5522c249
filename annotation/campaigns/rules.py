"""Who may see and change a campaign, and what stands in the way of opening, closing, changing or deleting it."""

from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.counting import counted
from accounts.languages import translated
from accounts.models import User
from accounts.refusals import NotAllowed, NotHere, Reason, Refused
from annotation.campaigns.campaigns import Readiness, drafts_of
from annotation.models import AnnoCycle, AnnotatorState, Campaign, CampaignState, Strategy
from corpus.collections.rules import can_oversee, check_manager
from corpus.models import Membership
from engines.definitions.drafts import problems_of
from engines.definitions.settings import Length, Limits


def fetch_managed(campaign: Campaign, by: User | None, *, lock: bool = False) -> Campaign:
    """The campaign as it is now with its collection, after checking that `by` manages it. Errors: NotAllowed.

    `lock`: against every other change.
    """
    rows = Campaign.objects.select_related("collection")
    if lock:
        rows = rows.select_for_update(of=("self",), no_key=True)
    campaign = rows.get(pk=campaign.pk)
    check_manager(campaign.collection, by)
    return campaign


def check_can_see(membership: Membership, campaign: Campaign) -> None:
    """Overseers see every campaign of the collection, annotators those they judge in."""
    if can_oversee(membership):
        return
    judges = campaign.annotators.exclude(state=AnnotatorState.REMOVED).filter(user=membership.user_id)
    if not judges.exists():
        text = _("You are not among the annotators of {name}. A manager of the collection can add you.")
        raise NotAllowed(text.format(name=campaign))


def can_see(membership: Membership, campaign: Campaign) -> bool:
    """Whether `check_can_see` lets them."""
    try:
        check_can_see(membership, campaign)
    except Refused:
        return False
    return True


def why_cannot_open(campaign: Campaign, ready: Readiness) -> str:
    """Why the campaign cannot be opened now, or ""."""
    if campaign.state == CampaignState.OPEN:
        return "It is already open."
    return next(iter(missing_of(campaign, ready).values()), "")


def missing_of(campaign: Campaign, ready: Readiness) -> dict[str, Reason]:
    """What is missing before the campaign can be opened, in the order in which it is mended, by the page that does."""
    kind, found = campaign.kind_object, list[tuple[str, str, str]]()
    if not kind.no_criteria:
        found += [("criteria_edit", "Change the levels", text) for text in problems_of(drafts_of(campaign))[:1]]
    if not ready.has_guideline:
        text = "It has no guideline yet. Write one, so that everybody judges by the same rules."
        found.append(("guideline_edit", "Write the guideline", text))
    if not ready.items:
        found.append(("item_build", "Add items", f"It has no items yet. Add them from {kind.words.material}."))
    if campaign.for_what.is_practice and (unknown := campaign.items.filter(known_answers=None).count()):
        text = f"The answer to {counted(unknown, 'item')} is not known. Add the known answers, or remove these items."
        found.append(("gold_detail", "Add known answers", text))
    if not ready.annotators:
        files = ", or import their judgments" if "judgments" in kind.tabs else ""
        found.append(("annotator_list", "Add annotators", f"Nobody can judge in it yet. Add annotators{files}."))
    if not ready.slots and not ready.fills:
        text = "No item is assigned yet. Plan the assignment, so that everybody has something to judge."
        if campaign.strategy == Strategy.QUEUE:
            text = "Its open queue is empty. Plan the assignment to fill it."
        found.append(("assignment_plan", "Plan the assignment", text))
    where = (campaign.collection.slug, campaign.slug)
    return {view: Reason(text, label, view, *where) for view, label, text in found}


def why_people_wait(campaign: Campaign, ready: Readiness) -> str:
    """That fewer people judge in it than each item needs, and what comes of it, or "". An open queue opens so."""
    lacking = campaign.overlap - ready.annotators
    if lacking <= 0:
        return ""
    each = counted(campaign.overlap, "person judges", "people judge")
    follows = f"Items can be assigned once {lacking} more can judge."
    if campaign.strategy == Strategy.QUEUE:
        follows = f"If it is opened now, each item waits for {lacking} more."
    text = f"{each} each item, but only {ready.annotators} can judge so far. {follows}"
    return Reason(text, "Add annotators", "annotator_list", campaign.collection.slug, campaign.slug)


def check_can_open(campaign: Campaign, ready: Readiness) -> None:
    """Errors: Refused with the first thing that is missing."""
    if reason := why_cannot_open(campaign, ready):
        raise Refused(reason)


def check_can_close(campaign: Campaign) -> None:
    """Only what is open can be closed."""
    if campaign.state != CampaignState.OPEN:
        raise Refused(f"Only an open campaign can be closed; this one is {campaign.get_state_display()}.")


def check_is_draft(campaign: Campaign) -> None:
    """What everything else is built on can only be changed before anybody judges."""
    if campaign.state != CampaignState.DRAFT:
        raise Refused(
            f"{campaign} is {campaign.get_state_display()}, so this can no longer be changed. Copy"
            " the campaign to use other settings."
        )


def check_not_closed(campaign: Campaign) -> None:
    """A closed campaign takes nothing more."""
    if campaign.state == CampaignState.CLOSED:
        raise Refused(f"{campaign} is closed. Reopen it first.")


def check_serves_no_cycle(campaign: Campaign) -> None:
    """The dev and test sets of Anno-GPT stay what they were when a machine was tuned and tested on them."""
    cycle = AnnoCycle.objects.filter(Q(dev=campaign.pk) | Q(test=campaign.pk)).first()
    if cycle is not None:
        raise Refused(
            f"{campaign} is used by Anno-GPT {cycle}, so it cannot be deleted or change its split. Copy it instead."
        )


def why_cannot_change_criteria(judgments: bool) -> str:
    """Why the criteria cannot be changed now, or "". Answers mean what the levels said when they were given."""
    if not judgments:
        return ""
    return (
        "Judgments use these levels, so the levels can no longer change. Explain finer points in the"
        " guideline, which keeps its versions, or copy the campaign to use other levels."
    )


def why_cannot_delete(campaign: Campaign, submissions: bool) -> str:
    """Why the campaign cannot be deleted, or ""."""
    where = ("Go to its page", "campaign_detail", campaign.collection.slug, campaign.slug)
    if submissions:
        return Reason("It has answers, and answers are never deleted. Close it instead.", *where)
    return Reason("It is open. Close it first.", *where) if campaign.state == CampaignState.OPEN else ""


def check_has_page(campaign: Campaign, key: str) -> None:
    """Errors: NotHere (404) where campaigns of this kind have no page with this key of `Kind.tabs`."""
    if key not in campaign.kind_object.tabs:
        raise NotHere(_("{campaign} has no such page: it is for campaigns of another kind.").format(campaign=campaign))


def check_within(limits: Limits | Length, value: Any) -> None:
    """Errors: Refused with the limits. None is not set, which is fine."""
    if value is not None and (problem := limits.problem(value)):
        raise Refused(translated(problem))
