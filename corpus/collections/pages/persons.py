"""A person's data: their own, and for staff that of everyone."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.refusal_messages import refusals_in_form, refusals_in_message
from accounts.requests import Request
from corpus.collections.collections import ERASED, is_erased, memberships_of, people
from corpus.collections.forms import ErasureForm, ErasureRequestForm, PersonFilterForm
from corpus.collections.persons import (
    data_of,
    request_erasure,
    request_person_erasure,
    take_out_data,
    withdraw_erasure_request,
)
from corpus.collections.rules import check_can_see_people

PAGE_SIZE = 50


@require_safe
def own_data(request: Request) -> JsonResponse:
    """Everything that Litmus stores about the signed-in person, as a JSON file."""
    return _file(data_of(request.user), "my-litmus-data.json")


@require_POST
def own_erasure(request: Request) -> HttpResponse:
    """Ask for one's data to be erased, or with `withdraw` take the request back."""
    form = ErasureRequestForm(request.POST)
    with refusals_in_message(request):
        if "withdraw" in request.POST:
            withdraw_erasure_request(by=request.user, at=timezone.now())
            messages.success(request, _("Request withdrawn. Your data stays as it is."))
        elif form.is_valid():
            request_erasure(by=request.user, at=timezone.now(), keep_labels=form.keeps_labels)
            messages.success(request, _("Request sent to the staff of this installation."))
        else:
            messages.error(request, _("Choose what happens to your labels."))
    return redirect("account_profile")


@require_safe
def person_list(request: Request) -> HttpResponse:
    """Everyone with an account; requests for erasure come first."""
    check_can_see_people(request.user)
    form = PersonFilterForm(request.GET)
    filters = form.cleaned_data if form.is_valid() else {"q": "", "show": ""}
    found = people(text=filters["q"], requests=filters["show"] == "requests")
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {"form": form, "page": page, "erased": ERASED, "is_narrowed": any(filters.values())}
    return render(request, "corpus/collections/person_list.html", context)


@require_safe
def person_detail(request: Request, pk: int) -> HttpResponse:
    """One person: their collections, the export of their data, and its erasure."""
    person = _person(request, pk)
    erasure_request = getattr(person, "erasure_request", None)
    form = ErasureForm(initial={"labels": "exclude" if erasure_request and not erasure_request.keep_labels else "keep"})
    return render(request, "corpus/collections/person_detail.html", _context(person, form))


@require_POST
def person_data(request: Request, pk: int) -> HttpResponse:
    """Everything that Litmus stores about the person, as a JSON file; logged, so it is no GET."""
    person = _person(request, pk)
    data = take_out_data(by=request.user, at=timezone.now(), user=person)
    return _file(data, f"litmus-data-of-person-{person.pk}.json")


@require_POST
def person_erase(request: Request, pk: int) -> HttpResponse:
    """End the person's access, and let a job replace name and address by a pseudonym everywhere."""
    person = _person(request, pk)
    form = ErasureForm(request.POST)
    if form.is_valid():
        with refusals_in_form(form, "confirm"):
            request_person_erasure(
                by=request.user,
                at=timezone.now(),
                user=person,
                confirm=form.cleaned_data["confirm"],
                keep_labels=form.keeps_labels,
            )
            return redirect("person_detail", pk)
    return render(request, "corpus/collections/person_detail.html", _context(person, form), status=422)


def _person(request: Request, pk: int) -> User:
    check_can_see_people(request.user)
    return get_object_or_404(User.objects.select_related("erasure_request"), pk=pk)


def _context(person: User, form: ErasureForm) -> dict[str, Any]:
    erasure = person.erasures.order_by("-pk").first()
    return {
        "person": person,
        "memberships": memberships_of(person),
        "form": form,
        "is_erased": is_erased(person),
        "erasure": erasure,
        "can_erase": bool(form.errors) or (not is_erased(person) and (erasure is None or erasure.is_final)),
    }


def _file(data: dict[str, Any], name: str) -> JsonResponse:
    response = JsonResponse(data, json_dumps_params={"indent": 1, "ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
