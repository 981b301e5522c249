"""Machine answers that could not be parsed: listed for a person, and opened on the adjudication screen."""

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.refusal_messages import refusals_in_message
from adjudication.cycles.unparsed_answers import with_standing
from adjudication.labels.pages import fetch_scope
from adjudication.labels.rules import check_can_adjudicate
from adjudication.verdicts.decisions import open_verdict
from annotation.machines.machines import count_invalid_values, unparsed_answers
from annotation.models import Criterion, Item
from corpus.collections.rules import can_manage

PER_PAGE = 20


@require_safe
def unparsed_answer_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Answers of imported machines that could not be parsed, word for word.

    403 for people who still have items to judge, and while the campaign is sealed.
    """
    scope = fetch_scope(request, slug, campaign, page="machines")
    page = Paginator(unparsed_answers(scope.campaign), PER_PAGE).get_page(request.GET.get("page"))
    context = scope.context(section="unparsed", page=page, rows=with_standing(page.object_list))
    context |= {"may_manage": can_manage(scope.membership), "n_invalid": count_invalid_values(scope.campaign)}
    return render(request, "adjudication/cycles/unparsed_answer_list.html", context)


@require_POST
def verdict_open(request: HttpRequest, slug: str, campaign: str, item: int) -> HttpResponse:
    """Open the item on the adjudication screen, whether it was counted or not."""
    scope = fetch_scope(request, slug, campaign)
    check_can_adjudicate(scope.membership)
    found = get_object_or_404(Item, pk=item, campaign=scope.campaign)
    criterion = get_object_or_404(Criterion, key=request.POST.get("criterion", ""), campaign=scope.campaign)
    with refusals_in_message(request):
        verdict = open_verdict(item=found, criterion=criterion, by=scope.user, at=timezone.now())
        where = reverse("adjudication_screen", args=[slug, campaign])
        return redirect(f"{where}?{urlencode({'criterion': criterion.key, 'verdict': verdict.pk})}")
    return redirect("machine_list", slug, campaign)
