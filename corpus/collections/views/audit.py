"""Who did what, when."""

from collections.abc import Sequence

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import AuditEvent
from corpus.collections.reads.audit import (
    AUDIT_COLUMNS,
    Hidden,
    audit_of,
    audit_rows,
    concealed,
    hidden_labels,
    verbs_of,
)
from corpus.collections.rules import fetch_manager
from corpus.collections.views.context import collection_context
from corpus.models import Membership
from corpus.tables import csv_response

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
        "verbs": verbs_of(membership.collection),
        "person": request.GET.get("person", ""),
        "verb": request.GET.get("verb", ""),
    }
    return render(request, "corpus/collections/audit_list.html", context)


@require_safe
def audit_download(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """The same as CSV, all of it."""
    membership = fetch_manager(request.user, slug)
    hidden = hidden_labels(membership.collection, membership.user)
    return audit_file(_filtered(request, membership), slug, hidden)


def audit_file(events: QuerySet[AuditEvent], slug: str, hidden: Sequence[Hidden] = ()) -> StreamingHttpResponse:
    """The events as a file named after the collection's slug, without what is hidden from the person."""
    return csv_response(f"{slug}-audit", AUDIT_COLUMNS, audit_rows(events, hidden))


def _filtered(request: HttpRequest, membership: Membership) -> QuerySet[AuditEvent]:
    return audit_of(membership.collection, person=request.GET.get("person", ""), verb=request.GET.get("verb", ""))
