"""The former addresses of collections, and archived collections, for the pages of all apps."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts.middleware import View, refusal_page
from accounts.prepared_statements import columns, instance, run
from accounts.refusals import Conflict
from accounts.requests import OpenRequest
from corpus.collections.rules import check_not_archived
from corpus.models import Collection, CollectionAddress, Membership

SAFE = ("GET", "HEAD", "OPTIONS")
# Allowed in an archived collection as well: to reopen it, delete it, leave it.
ALWAYS_OPEN = frozenset({"collection_reopen", "collection_delete", "member_remove"})


def takes_archived(view: View) -> View:
    """Mark a view of a room above that archived collections take as well."""
    view.takes_archived = True  # type: ignore[attr-defined]
    return view


def checks_archive(view: View) -> View:
    """Mark a view whose action refuses archived collections by a statement that it runs anyway, so that none is added.

    Only for what people do all day. A test holds each marked view to it.
    """
    view.checks_archive = True  # type: ignore[attr-defined]
    return view


_VISIBLE = f"""
SELECT {columns(Collection, "collection")}
FROM {Collection._meta.db_table} collection
JOIN {Membership._meta.db_table} member ON member.collection_id = collection.id AND member.user_id = %(user)s
"""
_ARCHIVED = f"{_VISIBLE} WHERE collection.slug = %(slug)s AND collection.archived_at IS NOT NULL"
_FORMER = f"""{_VISIBLE}
JOIN {CollectionAddress._meta.db_table} former ON former.collection_id = collection.id
WHERE former.slug = %(slug)s AND collection.slug <> %(slug)s
"""


class HttpResponseTemporaryRedirect(HttpResponseRedirect):
    """Keeps method and body. Temporary, because the collection may take its former address back."""

    status_code = HTTPStatus.TEMPORARY_REDIRECT


class CollectionMiddleware:
    """Former addresses forward members to the present one; archived collections take no writes (the API: api.base)
    and show no form of one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == HTTPStatus.NOT_FOUND:
            return self._forward(request) or response
        return response

    def process_view(self, request: OpenRequest, view: View, _args: object, kwargs: Any) -> HttpResponse | None:
        match = request.resolver_match
        if "slug" not in kwargs or match is None or match.route.startswith("api/"):
            return None
        if request.method in SAFE and not getattr(view, "is_form", False):
            return None
        if match.url_name in ALWAYS_OPEN or hasattr(view, "checks_archive") or hasattr(view, "takes_archived"):
            return None
        for row in run(_ARCHIVED, {"slug": kwargs["slug"], "user": request.user.pk}):
            collection, _ = instance(Collection, row)
            try:
                check_not_archived(collection)
            except Conflict as conflict:
                return refusal_page(request, conflict)
        return None

    def _forward(self, request: HttpRequest) -> HttpResponse | None:
        """To the same page at the collection's present address, for its members; None for everybody else."""
        match = request.resolver_match
        slug = match.kwargs.get("slug") if match else None
        if match is None or slug is None or match.url_name is None:
            return None
        rows = run(_FORMER, {"slug": slug, "user": request.user.pk})
        if not rows:
            return None
        collection, _ = instance(Collection, rows[0])
        path = reverse(match.view_name, args=match.args, kwargs={**match.kwargs, "slug": collection.slug})
        query = request.META.get("QUERY_STRING", "")
        return HttpResponseTemporaryRedirect(f"{path}?{query}" if query else path)
