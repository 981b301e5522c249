"""Who did what, when."""

from collections.abc import Sequence

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import AuditEvent
from corpus.collections.audit import (
    AUDIT_COLUMNS,
    Hidden,
    audit_of,
    audit_rows,
    concealed,
    hidden_labels,
    verbs_of,
)
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import fetch_manager
from corpus.models import Membership
from engines.formats.csv_text import write_csv

PAGE_SIZE = 50


@require_safe
def audit_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The log, newest first, by person and verb."""
    membership = fetch_manager(request.user, slug)
    page = Paginator(_filtered(request, membership), PAGE_SIZE).get_page(request.GET.get("page"))
    hidden = hidden_labels(membership.collection, membership.user)
    page.object_list = list(concealed(page.object_list, hidden))
    context = collection_context(membership, "audit") | {
        "page": page,
        "hidden": hidden,
        "verbs": [(each, each.replace("_", " ")) for each in verbs_of(membership.collection)],
        "person": request.GET.get("person", ""),
        "verb": request.GET.get("verb", ""),
        "is_narrowed": bool(request.GET.get("person") or request.GET.get("verb")),
    }
    return render(request, "corpus/collections/audit_list.html", context)


@require_safe
def audit_download(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """The whole filtered log as CSV."""
    membership = fetch_manager(request.user, slug)
    hidden = hidden_labels(membership.collection, membership.user)
    return audit_file(_filtered(request, membership), slug, hidden)


def audit_file(events: QuerySet[AuditEvent], slug: str, hidden: Sequence[Hidden] = ()) -> StreamingHttpResponse:
    """The events as a CSV file named after the collection's slug, without what is hidden from the person."""
    rows = ([_inert(cell) for cell in row] for row in audit_rows(events, hidden))
    response = StreamingHttpResponse(write_csv(AUDIT_COLUMNS, rows, guarded=False), content_type="text/csv")
    response["Content-Disposition"] = f'attachment; filename="{slug}-audit.csv"'
    return response


def _filtered(request: HttpRequest, membership: Membership) -> QuerySet[AuditEvent]:
    return audit_of(membership.collection, person=request.GET.get("person", ""), verb=request.GET.get("verb", ""))


def _inert(cell: str) -> str:
    """Text that a spreadsheet would take for a formula, also a negative number, gets an apostrophe in front."""
    return "'" + cell if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
