"""Who may read the questions of a campaign's annotators: its managers, but not about items left to themselves."""

from accounts.models import User
from accounts.refusals import NotAllowed
from annotation.inquiries.inquiries import hidden_from
from annotation.models import Inquiry


def check_can_read(inquiry: Inquiry, user: User) -> None:
    """Refuse what could sway how the person judges the item (docs/adr/0011). The role is checked elsewhere.

    Errors: NotAllowed.
    """
    if hidden_from(user, inquiry.campaign_id).filter(pk=inquiry.pk).exists():
        raise NotAllowed(
            "You still have to judge this item, so questions about it are hidden from you. Judge it"
            " first, or ask another manager to answer."
        )
