"""How somebody likes their labelling screen: shortcuts, keys, highlights, the delay after a digit."""

from dataclasses import dataclass

from accounts.models import User
from annotation.kind import Key, kinds

# Keys of every labelling screen by what they do; digits are the grades' own and cannot be given away.
KEYS = {
    "submit": Key("Enter", "Submit and go to the next item"),
    "undo": Key("u", "Undo the last submission"),
    "earlier": Key("ArrowLeft", "Back through my own history"),
    "later": Key("ArrowRight", "Forward through my own history"),
    "skip": Key("x", "Skip, with a reason"),
    "flag": Key("f", "Flag for the adjudicators"),
    "note": Key("n", "Write a note"),
    "ask": Key("q", "Ask the managers about this item"),
    "guideline": Key("g", "Open or fold the guideline"),
    "guideline_read": Key("y", "Mark the changed guideline as read"),
    "highlights": Key("h", "Highlights on or off"),
    "help": Key("?", "Show these keys"),
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
