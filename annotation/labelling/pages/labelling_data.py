"""What the labelling screen's script asks for and sends. One request for a judgment: it stores and brings the next."""

import json
from functools import cache
from pathlib import Path

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.edge import body_of
from annotation.assignment.participation import fetch_participation
from annotation.labelling.forms import (
    MalformedSubmission,
    read_body,
    read_have_text,
    read_leaving,
    read_number,
    read_preferences,
    read_visit,
)
from annotation.labelling.guidelines import fold_guideline, note_guideline_seen
from annotation.labelling.pages.answers import answer_json, for_script, person_of, problem
from annotation.labelling.pages.labelling import receive_form, show_history
from annotation.labelling.preferences import set_preferences
from annotation.labelling.receipts import submitted
from annotation.labelling.screen import changes_since, describe_next, fetch_history, guideline_html
from annotation.labelling.submissions import submit
from annotation.labelling.units import fetch_units
from annotation.labelling.units_ahead import end_visit, take_units
from annotation.models import Guideline
from corpus.middleware import checks_archive

JSON = "application/json"


@checks_archive
@require_POST
@login_not_required
def submission_create(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Store answers, skips and undos: JSON from the script, fields from a plain form."""
    if request.content_type == JSON:
        return receive_json(request, slug, campaign)
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("labelling_screen", args=[slug, campaign]))
    return receive_form(request, slug, campaign)


@for_script
def receive_json(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """As the API answers; when something was refused, as problem details as well."""
    sent = read_body(body_of(request))
    answer = submit(
        collection=slug,
        campaign=campaign,
        inputs=sent.inputs,
        have=sent.have,
        visit=sent.visit,
        by=person_of(request),
        at=timezone.now(),
    )
    status, data = submitted(sent.inputs, answer)
    if status == 200:
        return answer_json(data)
    first = next(result for result in data["results"] if "code" in result)
    return problem(status, first["code"], first["detail"], **data)


@gzip_page
@require_safe
@for_script
def label_next(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Units that fill the hand up; when there are none and nothing is in hand, why."""
    have = read_have_text(request.GET.get("have", ""))
    if request.method == "HEAD":  # takes nothing
        fetch_participation(collection=slug, campaign=campaign, user=person_of(request))
        return HttpResponse()
    participation, ids = take_units(
        collection=slug,
        campaign=campaign,
        have=have,
        visit=read_visit(request.GET.get("visit")),
        by=person_of(request),
        at=timezone.now(),
        look_back=True,
    )
    return answer_json(describe_next(participation, ids, holds_some=bool(have)))


@require_POST
@for_script
def label_leave(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """What the page sends when it is left: others may have what it held of an open queue, but for the units seen."""
    visit, seen = read_leaving(body_of(request))
    left = end_visit(
        collection=slug, campaign=campaign, visit=visit, seen=seen, by=person_of(request), at=timezone.now()
    )
    return answer_json({"left": left})


@require_safe
@login_not_required
def label_worker(_: HttpRequest) -> HttpResponse:
    """The service worker that keeps labelling pages for when there is no network.

    It lies at the root, not among the static files: a worker serves addresses below its own only.
    """
    return HttpResponse(worker_script(), content_type="text/javascript", headers={"Cache-Control": "no-cache"})


@cache
def worker_script() -> str:
    path = finders.find("js/annotation/labelling/worker.js")
    assert isinstance(path, str)  # noqa: S101 - a file of ours
    return Path(path).read_text(encoding="utf-8")


@login_not_required
@require_safe
def label_history(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The person's own answers and skips, newest first: units for the script, a page for others."""
    wants_json = request.headers.get("Accept", "") == JSON
    return history_json(request, slug, campaign) if wants_json else show_history(request, slug, campaign)


@for_script
def history_json(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """A page of what the person judged, newest first; `before` is where the next page begins."""
    participation = fetch_participation(collection=slug, campaign=campaign, user=person_of(request))
    units, older = fetch_history(participation, before=read_number(request.GET.get("before", "")))
    return answer_json({"units": fetch_units(participation, units), "before": older})


@require_http_methods(["GET", "POST"])
@for_script
def label_guideline(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The newest guideline as HTML.

    POST `version` notes that the person has seen it; with `folded`, yes or no, how they keep it.
    """
    if request.method == "POST":
        version = read_number(request.POST.get("version", "")) or 0
        if "folded" in request.POST:
            folded = request.POST["folded"] == "yes"
            fold_guideline(collection=slug, campaign=campaign, version=version, folded=folded, by=person_of(request))
            return answer_json({"folded": folded})
        seen = note_guideline_seen(collection=slug, campaign=campaign, version=version, by=person_of(request))
        return answer_json({"seen": seen})
    participation = fetch_participation(collection=slug, campaign=campaign, user=person_of(request), any_kind=True)
    newest = Guideline.objects.filter(campaign=participation.campaign).first()
    changes = changes_since(newest, participation.guideline_seen)
    return answer_json(
        {
            "version": newest.version if newest else 0,
            "html": guideline_html(newest),
            "changes": render_to_string("_differences.html", {"differences": changes}) if changes else "",
        }
    )


@require_safe
@for_script
def label_session(request: HttpRequest) -> HttpResponse:
    """Who is signed in, and the token that their next request must carry: asked after signing in in place."""
    return answer_json({"user": person_of(request).pk, "csrf": get_token(request)})


@require_POST
@for_script
def label_preferences(request: HttpRequest) -> HttpResponse:
    """Keep shortcuts, keys, highlights and the delay as the person likes them."""
    try:
        data = json.loads(body_of(request))
    except (ValueError, RecursionError):
        raise MalformedSubmission("body", "it is not JSON.") from None
    set_preferences(by=person_of(request), **read_preferences(data))
    return answer_json({"saved": True})
