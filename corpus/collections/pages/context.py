"""What every page inside a collection needs: the frame of corpus/collection_base.html, and what the member may do."""

from typing import Any

from django.views.decorators.http import require_http_methods

from accounts.middleware import View
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


def form_page(view: View) -> View:
    """A page that is there to write: a form, and nothing to read that other pages do not have. GET and POST.

    An archived collection refuses the form as well, not only what is sent with it (corpus/middleware.py).
    """
    page: Any = require_http_methods(["GET", "HEAD", "POST"])(view)
    page.is_form = True
    return page
