"""What every page inside a collection needs: the frame of corpus/collection_base.html, and what the member may do."""

from typing import Any

from corpus.collections.rules import can_manage, can_oversee, is_manager
from corpus.models import Membership


def collection_context(membership: Membership, tab: str, **more: Any) -> dict[str, Any]:
    """The context of a page of the collection; `tab` is the key of the tab it belongs to."""
    return {
        "collection": membership.collection,
        "membership": membership,
        "tab": tab,
        "is_manager": is_manager(membership),
        "may_manage": can_manage(membership),
        "may_oversee": can_oversee(membership),
        **more,
    }
