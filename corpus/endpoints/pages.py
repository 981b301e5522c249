"""Model endpoints, for staff."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.requests import Request
from corpus.endpoints.endpoints import default_service
from corpus.endpoints.rules import check_staff
from corpus.models import ModelEndpoint, ModelPurpose
from engines.endpoints.prices import Prices


@require_safe
def endpoint_list(request: Request) -> HttpResponse:
    """Those of the environment, which cannot be changed here, and those that staff have set up."""
    check_staff(request.user)
    currency = settings.LLM_CURRENCY
    fixed = [(label, default_service(purpose)) for purpose, label in ModelPurpose.choices]
    stored = ModelEndpoint.objects.order_by("name")
    context = {
        "fixed": [(label, service, service.prices.in_words(currency)) for label, service in fixed if service],
        "endpoints": [(each, Prices(each.price_in, each.price_out).in_words(currency)) for each in stored],
    }
    return render(request, "corpus/endpoints/endpoint_list.html", context)
