"""Who did what, when."""

import csv
from collections.abc import Iterable, Iterator, Sequence

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import AuditEvent
from corpus.collections.reads.audit import Hidden, audit_of, audit_rows, concealed, hidden_labels, verbs_of
from corpus.collections.rules import fetch_manager
from corpus.collections.views.context import collection_context
from corpus.models import Membership

PAGE_SIZE = 50


@require_safe
def audit_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The log, newest first, by person and verb."""
    membership = fetch_manager(request.user, slug)
    page = Paginator(_chosen(request, membership), PAGE_SIZE).get_page(request.GET.get("page"))
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
    return csv_response(_chosen(request, membership), slug, hidden)


def csv_response(events: QuerySet[AuditEvent], slug: str, hidden: Sequence[Hidden] = ()) -> StreamingHttpResponse:
    """The events as a file named after the collection's slug, without what is hidden from the person."""
    response = StreamingHttpResponse(_csv_lines(audit_rows(events, hidden)), content_type="text/csv")
    response["Content-Disposition"] = f'attachment; filename="{slug}-audit.csv"'
    return response


def _chosen(request: HttpRequest, membership: Membership) -> QuerySet[AuditEvent]:
    return audit_of(membership.collection, person=request.GET.get("person", ""), verb=request.GET.get("verb", ""))


class _Echo:
    """A file that gives back what is written to it, one line at a time."""

    def write(self, line: str) -> str:
        return line


def _csv_lines(rows: Iterable[list[str]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    for row in rows:
        yield writer.writerow([_inert(cell) for cell in row])


def _inert(cell: str) -> str:
    """Text that a spreadsheet would take for a formula gets an apostrophe in front."""
    return "'" + cell if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
