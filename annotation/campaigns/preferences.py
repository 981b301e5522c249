"""How somebody likes their labelling screen: shortcuts, keys, highlights, the delay after a digit."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation.kind import Key, kinds

# Keys of every labelling screen by what they do; digits are the grades' own and cannot be given away.
KEYS = {
    "submit": Key("Enter", gettext_lazy("Submit and go to the next item")),
    "undo": Key("u", gettext_lazy("Undo the last submission")),
    "earlier": Key("ArrowLeft", gettext_lazy("Back through my own history")),
    "later": Key("ArrowRight", gettext_lazy("Forward through my own history")),
    "skip": Key("x", gettext_lazy("Skip, with a reason")),
    "flag": Key("f", gettext_lazy("Flag for the adjudicators")),
    "note": Key("n", gettext_lazy("Write a note")),
    "ask": Key("q", gettext_lazy("Ask the managers about this item")),
    "guideline": Key("g", gettext_lazy("Open or fold the guideline")),
    "guideline_read": Key("y", gettext_lazy("Mark the changed guideline as read")),
    "highlights": Key("h", gettext_lazy("Highlights on or off")),
    "help": Key("?", gettext_lazy("Show these keys")),
}
DELAYS = (0, 250, 500, 1000, 2000)  # milliseconds between a digit and the next item
DEFAULT_DELAY = 250


@dataclass(frozen=True, slots=True)
class Preferences:
    """`delay` is None when a digit only chooses and the submit key sends."""

    shortcuts: bool
    highlights: bool
    delay: int | None
    keys: dict[str, str]


def keys_of_kinds() -> dict[str, Key]:
    """The keys that only the screens of some kinds have."""
    return {action: key for kind in kinds() if kind.labelling for action, key in kind.labelling.keys.items()}


def usual_keys() -> dict[str, str]:
    """The key of each action of any labelling screen, for people who have not chosen others."""
    return {action: key.usual for action, key in {**KEYS, **keys_of_kinds()}.items()}


def preferences_of(user: User) -> Preferences:
    """How the person labels; what they never chose is as it comes."""
    stored = user.preferences.get("labelling", {})
    return Preferences(
        shortcuts=user.preferences.get("shortcuts", True),
        highlights=stored.get("highlights", True),
        delay=stored.get("delay", DEFAULT_DELAY),
        keys={**usual_keys(), **stored.get("keys", {})},
    )
