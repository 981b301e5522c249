"""How somebody likes their labelling screen: shortcuts, keys, highlights, the delay after a digit."""

from dataclasses import dataclass

from accounts.models import User

# What each key does, by default; digits are the grades' own and cannot be given away.
KEYS = {
    "submit": "Enter",
    "undo": "u",
    "earlier": "ArrowLeft",
    "later": "ArrowRight",
    "skip": "x",
    "flag": "f",
    "note": "n",
    "guideline": "g",
    "highlights": "h",
    "help": "?",
    "rewrite": "r",
    "search": "s",
    "too_many": "m",
}
KEY_WORDS = {
    "submit": "Submit and go to the next item",
    "undo": "Take back the last submit",
    "earlier": "Back through my own history",
    "later": "Forward through my own history",
    "skip": "Skip, with a reason",
    "flag": "Flag for the adjudicators",
    "note": "Write a note",
    "guideline": "Go to the guideline",
    "highlights": "Highlights on or off",
    "help": "Show these keys",
}
RUBRIC_KEY_WORDS = {
    "rewrite": "Rewrite the question",
    "search": "Search the collection for papers that fit",
    "too_many": "Discard it: too many papers fit",
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


def preferences_of(user: User) -> Preferences:
    """How the person labels; what they never chose is as it comes."""
    stored = user.preferences.get("labelling", {})
    return Preferences(
        shortcuts=user.preferences.get("shortcuts", True),
        highlights=stored.get("highlights", True),
        delay=stored.get("delay", DEFAULT_DELAY),
        keys={**KEYS, **stored.get("keys", {})},
    )
