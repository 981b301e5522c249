"""The audits of a campaign's machine labels: what was drawn, and what it shows."""

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from adjudication.labels.labels import judging_annotators
from adjudication.labels.pages import Scope, fetch_scope
from adjudication.machine_audits.forms import FiguresForm
from adjudication.machine_audits.reading import audits_of
from adjudication.machine_audits.report import Findings
from adjudication.machine_audits.strata import Stratum
from adjudication.machine_audits.tables import COLUMNS, elsewhere_of, rows_of, sentences_of
from annotation.campaigns.pages.context import campaign_context, fetch_for_overseer
from annotation.models import AnnotatorKind
from corpus.tables import csv_response


@require_safe
def machine_audit_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Every audit with how many items people have judged; nothing of what they answered."""
    membership, found = fetch_for_overseer(request, slug, campaign, "machines")
    machines = judging_annotators(found).filter(kind=AnnotatorKind.MACHINE)
    more = {"audits": list(audits_of(found)), "has_labels": machines.exists()}
    context = campaign_context(membership, found, "audits", **more)
    return render(request, "adjudication/machine_audits/machine_audit_list.html", context)


@require_safe
def machine_audit_detail(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """The figures now."""
    scope, form, found = _found(request, slug, campaign, pk)
    one = found.evidence.audit
    levels = list(one.criterion.levels.order_by("value"))
    context = scope.context(section="audits", audit=one, form=form, found=found, levels=levels)
    context |= {
        "rows": rows_of(found),
        "sentences": sentences_of(found),
        "elsewhere": elsewhere_of(found),
        "matrix": list(zip(levels, found.report.matrix, strict=True)),
        "strata": [Stratum(**each) for each in one.strata],
    }
    return render(request, "adjudication/machine_audits/machine_audit_detail.html", context)


@require_safe
def machine_audit_file(request: HttpRequest, slug: str, campaign: str, pk: int) -> StreamingHttpResponse:
    """The figures as CSV."""
    _, _, found = _found(request, slug, campaign, pk)
    return csv_response(f"{slug}-{campaign}-audit-{pk}", COLUMNS, (row.cells for row in rows_of(found)))


def _found(request: HttpRequest, slug: str, campaign: str, pk: int) -> tuple[Scope, FiguresForm, Findings]:
    scope = fetch_scope(request, slug, campaign, page="machines")
    one = get_object_or_404(audits_of(scope.campaign), pk=pk)
    one.campaign = scope.campaign
    form = FiguresForm(request.GET, audit=one)
    if not form.is_valid():
        raise Http404("There is no such figure.")
    return scope, form, form.findings()
