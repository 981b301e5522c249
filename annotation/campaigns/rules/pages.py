"""Which pages a campaign has: its kind names those that not every campaign has (`Kind.tabs`)."""

from accounts.refusals import NotHere
from accounts.slots import tabs
from annotation.models import Campaign


def check_has_page(campaign: Campaign, key: str) -> None:
    """Errors: NotHere (404) where campaigns of this kind have no page with this key of `Kind.tabs`."""
    kind = campaign.kind_object
    if key in kind.tabs:
        return
    label = next((tab.label for tab in tabs("campaign") if tab.key == key), key.capitalize())
    raise NotHere(
        f"{campaign} has no page “{label}”: campaigns of the kind {kind} have none. Its {kind.words.item}s are on the"
        " campaign's other pages."
    )
