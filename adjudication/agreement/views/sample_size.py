"""The sample size helper: how many items for a wish, with this campaign as pilot or without one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.refusals import Refused
from adjudication.agreement.forms.sample_size import SampleSizeForm
from adjudication.agreement.reads.sample_size import items_needed, without_pilot
from adjudication.labels.views import chosen_criterion, fetch_scope


@require_safe
def sample_size(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The form, and the answer once it is sent; nothing is stored."""
    scope = fetch_scope(request, slug, campaign, page="agreement")
    criteria = scope.criteria()
    criterion = chosen_criterion(request, criteria)
    asked = "statistic" in request.GET
    form = SampleSizeForm(request.GET if asked else None)
    context = scope.context(section="sample", criteria=criteria, criterion=criterion, form=form)
    if asked and criterion is not None and form.is_valid():
        try:
            if assumed := form.cleaned_data["assumed"]:
                people = scope.campaign.overlap
                share = form.cleaned_data["points"] / 100
                context["assumed"] = without_pilot(assumed / 100, share, people * (people - 1) // 2)
            else:
                context["needed"] = items_needed(scope.campaign, criterion, form.wish(), check=True)
        except Refused as refusal:
            context["refused"] = refusal.reason
    return render(request, "adjudication/agreement/sample_size.html", context)
