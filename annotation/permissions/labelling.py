"""Who may judge now: people active in an open campaign."""

from accounts.refusals import Refused
from annotation.models import AnnotatorState, CampaignState
from annotation.queries.desks import Desk


class NotNow(Refused):
    """The campaign or the annotator takes no judgments at present; `code` is draft, closed, paused or removed."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


REASONS = {
    "draft": "The campaign is not open yet. Its manager opens it when it is ready.",
    "closed": "The campaign is closed: it takes no more judgments. Ask its manager if yours should still count.",
    "paused": "A manager has paused your part in this campaign. Ask them when you are to go on.",
    "removed": "A manager has taken you off this campaign. What you have judged is kept.",
}


def check_can_label(desk: Desk) -> None:
    """Refuse with NotNow while the campaign is not open or the annotator is paused or removed."""
    code = hindrance(desk)
    if code:
        raise NotNow(code, REASONS[code])


def can_label(desk: Desk) -> bool:
    return not hindrance(desk)


def hindrance(desk: Desk) -> str:
    """Why nobody may judge at this desk now, as a code, or ""."""
    if desk.campaign_state != CampaignState.OPEN:
        return desk.campaign_state
    return "" if desk.annotator_state == AnnotatorState.ACTIVE else desk.annotator_state
