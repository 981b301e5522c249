"""Who may judge now: people active in an open campaign of a collection that is not archived."""

from accounts.refusals import Refused
from annotation.assignment.reads.desks import Desk
from corpus.collections.rules import ARCHIVED


class NotNow(Refused):
    """The campaign or the annotator takes no judgments at present; `code` is a desk's hindrance."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


REASONS = {
    "archived": f"The collection {ARCHIVED}",
    "draft": "The campaign is not open yet. Its manager opens it when it is ready.",
    "closed": "The campaign is closed: it takes no more judgments. Ask its manager if yours should still count.",
    "paused": "A manager has paused your part in this campaign. Ask them when you are to go on.",
    "removed": "A manager has taken you off this campaign. What you have judged is kept.",
}


def check_can_label(desk: Desk) -> None:
    """Refuse with NotNow where nobody may judge at the desk."""
    if desk.hindrance:
        raise NotNow(desk.hindrance, REASONS[desk.hindrance])


def can_label(desk: Desk) -> bool:
    return not desk.hindrance
