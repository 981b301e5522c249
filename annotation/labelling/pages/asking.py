"""Questions to the managers, as annotators ask and read them on their screens, for items of every kind."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.edge import body_of
from accounts.refusal_messages import refusals_in_message
from annotation.assignment.participation import fetch_participation
from annotation.inquiries.asking import ask_managers, note_answers_seen
from annotation.inquiries.inquiries import MOST, Note, WorkPage, own_notes
from annotation.labelling.forms import json_object, read_number, read_question, read_seen
from annotation.labelling.pages.answers import answer_json, for_script, person_of

JSON = "application/json"


@login_not_required
@require_http_methods(["GET", "POST"])
def label_questions(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """What the annotator asked and what was answered to all; POST asks: JSON from the script, fields from a form."""
    if request.method == "POST" and request.content_type != JSON:
        return _receive_form(request, slug, campaign)
    return questions_json(request, slug, campaign)


@for_script
def questions_json(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    if request.method == "POST":
        _ask(request, slug, campaign, json_object(body_of(request)))
    return answer_json(own_notes(collection=slug, campaign=campaign, user=person_of(request)))


def _receive_form(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """From a page without a script: ask, then back to the item."""
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("campaign_detail", args=[slug, campaign]))
    participation = fetch_participation(collection=slug, campaign=campaign, user=person_of(request), any_kind=True)
    fields = request.POST.dict()
    number = read_number(fields.get("assignment", "")) or 0
    with refusals_in_message(request):
        _ask(request, slug, campaign, {**fields, "assignment": number})
        messages.success(request, _("Question sent. The answer appears next to the item and on the campaign's page."))
    if not number:
        return redirect("campaign_detail", slug, campaign)
    return redirect(WorkPage(participation.kind, slug, campaign).address(number))


def _ask(request: HttpRequest, slug: str, campaign: str, question: dict[str, Any]) -> None:
    by, at = person_of(request), timezone.now()
    ask_managers(collection=slug, campaign=campaign, by=by, at=at, **read_question(question))


@login_not_required
@require_POST
def label_answers_seen(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The annotator has seen answers: those of `seen` from the script, all from a form."""
    if request.content_type == JSON:
        return seen_json(request, slug, campaign)
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("campaign_detail", args=[slug, campaign]))
    note_answers_seen(collection=slug, campaign=campaign, by=person_of(request), at=timezone.now())
    return redirect("campaign_detail", slug, campaign)


@for_script
def seen_json(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    uuids = read_seen(body_of(request), MOST)
    found = note_answers_seen(collection=slug, campaign=campaign, by=person_of(request), at=timezone.now(), only=uuids)
    return answer_json({"seen": found})


# --- for the pages ---------------------------------------------------------------------------------------------------


def asking_context(
    notes: Sequence[Note], shown: Sequence[Note], assignments: Sequence[tuple[int, str | None]]
) -> dict[str, Any]:
    """What `_asking.html` and `_asking_news.html` draw: notes next to the item, the first new answer about another one.

    `notes` are all of the annotator, `shown` those about the item, `assignments` their own of it, (id, aspect) each.
    """
    elsewhere = [note for note in notes if note.is_new and note.href and note not in shown]
    return {
        "notes": shown,
        "answered": elsewhere[0] if elsewhere else None,
        "assignments": assignments,
        "asking_uuid": uuid4(),
    }
