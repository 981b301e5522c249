"""Who may judge now: people active in an open campaign of a collection that is not archived."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts.refusals import Refused
from annotation.assignment.participation import Participation


class NotNow(Refused):
    """The campaign or the annotator takes no judgments at present; `code` is that of `why_cannot_judge`."""

    def __init__(self, code: str, reason: str | Promise) -> None:
        super().__init__(reason)
        self.code = code


NOT_NOW = {
    "archived": gettext_lazy(
        "The collection is archived, so it can be read but not changed. A manager can reopen it in its settings."
    ),
    "draft": gettext_lazy("The campaign is not open yet. Its manager opens it when it is ready."),
    "closed": gettext_lazy(
        "The campaign is closed: it no longer takes judgments. Ask its manager if yours should still count."
    ),
    "paused": gettext_lazy("A manager has paused your part in this campaign. Ask them when you can continue."),
    "removed": gettext_lazy("A manager has removed you from this campaign. Your judgments are kept."),
    "withdrew": gettext_lazy("You have withdrawn your consent. A manager can add you again if you change your mind."),
    "consent": gettext_lazy(
        "You have not agreed to the consent text of this collection, or it has changed. Read it first."
    ),
}


def check_can_label(participation: Participation) -> None:
    """Refuse with NotNow where the person cannot judge now."""
    if participation.why_cannot_judge:
        raise NotNow(participation.why_cannot_judge, NOT_NOW[participation.why_cannot_judge])


def can_label(participation: Participation) -> bool:
    return not participation.why_cannot_judge
