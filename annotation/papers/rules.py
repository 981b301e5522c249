"""Who may see and change an extraction."""

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.refusals import NotAllowed, Refused
from annotation.assignment.participation import lacks_consent
from annotation.assignment.rules import NOT_NOW, NotNow
from annotation.kind import Judged
from annotation.models import AnnotatorState, Assignment, AssignmentState, CampaignState

WORKABLE = (AssignmentState.PENDING, AssignmentState.DONE)


def check_can_extract(assignment: Assignment, by: User) -> None:
    """Refuse everybody but the annotator whose paper it is, and also them while the campaign takes no work.

    Errors: those of `check_can_work`; Refused for a paper that was skipped or taken away.
    """
    check_can_work(assignment, by)
    if assignment.state == AssignmentState.SKIPPED:
        raise Refused(_("You have skipped this paper. Reopen it first."))
    if assignment.state not in WORKABLE:
        raise Refused(_("This paper is no longer assigned to you."))


def check_can_work(assignment: Assignment, by: User) -> None:
    """Refuse as `check_can_extract` does, but in any state of the assignment. Errors: NotAllowed, Refused."""
    annotator, campaign = assignment.annotator, assignment.item.campaign
    if annotator is None or annotator.user_id != by.pk:
        raise NotAllowed(_("This paper is assigned to somebody else."))
    if campaign.kind_object.judges != Judged.PAPERS:
        raise Refused(_("This item is graded, not worked on."))
    if campaign.state != CampaignState.OPEN:
        raise Refused(NOT_NOW[campaign.state])
    if annotator.withdrew_at:
        raise Refused(NOT_NOW["withdrew"])
    if annotator.state != AnnotatorState.ACTIVE:
        raise Refused(NOT_NOW[annotator.state])
    if lacks_consent(campaign.collection_id, by.pk):
        raise NotNow("consent", NOT_NOW["consent"])
