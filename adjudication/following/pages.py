"""The work of a campaign over time and by person, for its managers."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.jobs import fragment_context
from accounts.refusal_messages import refusals_in_message
from adjudication.following import figures
from adjudication.following.costs import as_csv, as_latex, as_markdown, cost_sentence, costs_of
from adjudication.following.figures import figure_rows, newest_count
from adjudication.following.pay import COLUMNS, csv_rows, current_sheet, pay_sheet
from adjudication.following.requests import request_count
from adjudication.following.work import MOST_NEWER, count_newer, fetch_work
from adjudication.labels.pages import named_criterion, one_of, whole_number
from adjudication.models import PayRate
from annotation.campaigns.pages.context import campaign_context, fetch_for_manager
from annotation.labelling.rules import check_can_read_replies
from annotation.models import WorkSummary
from corpus.tables import csv_response


@require_safe
def work_detail(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The newest count; `?person=` draws one person's days, `?criterion=` says whose answers are compared."""
    membership, found = fetch_for_manager(request, slug, campaign)
    context = campaign_context(membership, found, "work")
    summary = WorkSummary.objects.filter(campaign=found).first()
    if summary is not None:
        summary.campaign = found
        if not summary.is_final or summary.state == "failed":
            context |= fragment_context(summary, membership)
    if summary is not None and summary.counted_at is not None:
        criteria = list(found.criteria.prefetch_related("levels"))
        criterion = one_of(criteria, named_criterion(request))
        person = whole_number(request.GET.get("person"))
        context |= {
            "criteria": criteria,
            "criterion": criterion,
            "work": fetch_work(
                summary, membership.user, criterion=criterion, person=person, today=timezone.localdate()
            ),
            "time_zone": settings.TIME_ZONE,
            "pay": PayRate.objects.filter(campaign=found).first(),
            "newer": count_newer(summary),
            "most_newer": MOST_NEWER,
        }
        if context["pay"]:
            context["pay"].campaign = found
            context["sheet"] = pay_sheet(context["pay"], context["work"].by_person)
    return render(request, "adjudication/following/work_detail.html", context)


@require_safe
def pay_sheet_file(request: HttpRequest, slug: str, campaign: str) -> StreamingHttpResponse:
    """What everybody has earned up to now, as CSV."""
    _, found = fetch_for_manager(request, slug, campaign)
    return csv_response(f"{slug}-{campaign}-pay", COLUMNS, csv_rows(current_sheet(found)))


@require_safe
def cost_detail(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """What an answer costs, of people and of machines; `?as=csv` is a file of it."""
    membership, found = fetch_for_manager(request, slug, campaign)
    costs = costs_of(found)
    if request.GET.get("as") == "csv":
        return HttpResponse(as_csv(costs), content_type="text/csv; charset=utf-8")
    tables = {"markdown": as_markdown(costs), "latex": as_latex(costs)}
    sentence, has_rate = cost_sentence(found, costs), PayRate.objects.filter(campaign=found).exists()
    shown = {"costs": costs, "sentence": sentence, "has_rate": has_rate}
    context = campaign_context(membership, found, "work", **shown, **tables)
    return render(request, "adjudication/following/cost_detail.html", context)


@require_safe
def quality_file(request: HttpRequest, slug: str, campaign: str) -> StreamingHttpResponse:
    """Every figure of everybody, as CSV."""
    membership, found = fetch_for_manager(request, slug, campaign)
    check_can_read_replies(found, membership.user)
    return csv_response(f"{slug}-{campaign}-quality", figures.COLUMNS, figure_rows(newest_count(found)))


@require_POST
def work_count(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Count again now."""
    membership, found = fetch_for_manager(request, slug, campaign)
    with refusals_in_message(request):
        request_count(campaign=found, by=membership.user, at=timezone.now())
        messages.success(request, "The work is being counted again.")
    return redirect("work_detail", slug, campaign)
