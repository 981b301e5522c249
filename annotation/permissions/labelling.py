"""Who may judge now: people active in an open campaign."""

from accounts.refusals import Refused
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
    if desk.hindrance:
        raise NotNow(desk.hindrance, REASONS[desk.hindrance])


def can_label(desk: Desk) -> bool:
    return not desk.hindrance
