"""The labelling screen: the page, and what its plain forms send when there is no script."""

import uuid
from collections.abc import Sequence
from dataclasses import asdict, replace

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.refusals import Refused
from annotation.assignment.participation import Participation, Visit, fetch_participation
from annotation.campaigns.preferences import preferences_of, usual_keys
from annotation.inquiries.inquiries import WorkPage, notes_for, of_unit
from annotation.labelling.answers import AnswerInput, ChangedElsewhere, Receipt
from annotation.labelling.feedback import fetch_feedback, in_words
from annotation.labelling.forms import MalformedSubmission, read_form, read_number
from annotation.labelling.guidelines import note_first_guideline
from annotation.labelling.pages.answers import person_of
from annotation.labelling.pages.asking import asking_context
from annotation.labelling.pages.browsers import Browser
from annotation.labelling.receipts import TOO_LATE, feedback_of, status_and_code
from annotation.labelling.screen import (
    HISTORY_KINDS,
    LOOKED_AT,
    fetch_history,
    fetch_progress,
    screen_context,
    why_empty,
)
from annotation.labelling.submissions import submit
from annotation.labelling.units import Unit, fetch_units
from annotation.labelling.units_ahead import begin_visit
from annotation.models import Assignment, Campaign, Level, SubmissionKind, SubmissionOutcome

ADDRESSES = (
    *("submission_create", "label_next", "label_leave", "label_history", "label_guideline", "label_search"),
    *("label_questions", "label_answers_seen"),
)
COMMON_ADDRESSES = ("label_session", "label_preferences", "label_worker", "account_login")
HISTORY_PAGE = 20  # units


@require_safe
def labelling_screen(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The unit to judge now, or with `?item=` one of the person's own; the script takes over from there.

    HEAD takes nothing and begins no visit: it only says whether the person judges here.
    """
    person = person_of(request)
    if request.method == "HEAD":
        fetch_participation(collection=slug, campaign=campaign, user=person)
        return HttpResponse()
    browser = Browser(request)
    participation, ids, visit = begin_visit(
        collection=slug, campaign=campaign, browser=browser.name_for(person), by=person, at=timezone.now()
    )
    if participation.why_cannot_judge == "consent":
        return redirect("consent_give", slug)
    if participation.guideline and not participation.guideline_seen:
        seen = note_first_guideline(
            collection=slug,
            campaign=campaign,
            newest=participation.guideline,
            by=person,
            annotator=participation.annotator,
        )
        participation = replace(participation, guideline_seen=seen)
    item = read_number(request.GET.get("item", ""))
    opened = [] if item is None else fetch_units(participation, [[item]])
    hand = fetch_units(participation, ids)
    page = show_screen(request, slug, participation, units=hand, opened=opened[0] if opened else None, visit=visit)
    if visit is not None:
        browser.keep(page, secure=request.is_secure())
    return page


def receive_form(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Store what a plain form sent, then on to the next unit; what is refused is shown again at its field."""
    try:
        inputs = read_form(request.POST)
        answer = submit(collection=slug, campaign=campaign, inputs=inputs, by=person_of(request), at=timezone.now())
    except MalformedSubmission as refusal:
        messages.error(request, refusal.reason)
        return redirect("labelling_screen", slug, campaign)
    refused = [
        (each, result) for each, result in zip(inputs, answer.results, strict=True) if isinstance(result, Refused)
    ]
    if refused:
        return _show_refused(request, slug, answer.participation, refused)
    if any(
        isinstance(result, Receipt) and result.outcome == SubmissionOutcome.NOT_COUNTED for result in answer.results
    ):
        messages.warning(request, TOO_LATE)
    for words in feedback_of(answer).values():
        messages.info(request, words)
    target = redirect("labelling_screen", slug, campaign)
    if inputs[0].kind == SubmissionKind.UNDO:
        messages.info(request, _("Undone. You can judge the item again."))
        target["Location"] += f"?item={inputs[0].assignment}"
    return target


def _show_refused(
    request: HttpRequest, slug: str, participation: Participation, refused: Sequence[tuple[AnswerInput, Refused]]
) -> HttpResponse:
    """The unit again, with what was entered and why it was refused."""
    units = fetch_units(participation, [[sent.assignment for sent, _ in refused]])
    cells = {cell["assignment"]: cell for cell in units[0]["cells"]} if units else {}
    for sent, refusal in refused:
        cell = cells.get(sent.assignment)
        if cell is None:
            messages.error(request, refusal.reason)
            continue
        cell["error"] = {"reason": refusal.reason, "field": getattr(refusal, "field", "")}
        if isinstance(refusal, ChangedElsewhere):
            cell["current"] = refusal.current
        cell["answer"] = {
            name: getattr(sent, name) for name in ("kind", "answers", "reasons", "reason", "note", "flagged", "rewrite")
        }
        cell["answer"]["found"] = [{"docno": docno, "title": ""} for docno in sent.found]
    status = max(status_and_code(refusal)[0] for _, refusal in refused)
    return show_screen(request, slug, participation, units=units, opened=None, status=status)


def show_screen(
    request: HttpRequest,
    slug: str,
    participation: Participation,
    *,
    units: list[Unit],
    opened: Unit | None,
    visit: Visit | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page, with the first unit drawn and the rest as data for the script."""
    person = person_of(request)
    campaign = Campaign.objects.select_related("collection").get(pk=participation.campaign)
    progress = fetch_progress(participation)
    shown = opened or (units[0] if units else None)
    last = _last(participation) if not opened else None
    for unit in filter(None, (shown, last)):
        for cell in unit["cells"]:
            cell["uuid"] = str(uuid.uuid4())
    preferences = preferences_of(person)
    labelling = participation.labelling
    notes = notes_for(participation.annotator, campaign.pk, WorkPage(participation.kind, slug, campaign.slug))
    mine = [(cell["assignment"], cell.get("aspect")) for cell in shown["cells"]] if shown else []
    data = {
        "owner": f"{person.pk}:{participation.campaign}",
        "page": str(uuid.uuid4()),
        "at": timezone.now(),
        "visit": str(visit or ""),
        "user": person.pk,
        "email": person.email,
        "urls": {name: reverse(name, args=[slug, campaign.slug]) for name in ADDRESSES}
        | {name: reverse(name) for name in COMMON_ADDRESSES},
        "layout": labelling.layout,
        "byDocument": participation.by_document,
        "isQueue": participation.is_queue,
        "criteria": [{"key": s.key, "label": s.label, "reasons": s.reasons} for s in participation.scales],
        "guideline": {
            "version": participation.guideline,
            "seen": participation.guideline_seen or participation.guideline,
            "folded": participation.guideline_folded > 0,
        },
        "hand": units,
        "opened": opened,
        "progress": asdict(progress),
        "preferences": asdict(preferences),
        "defaultKeys": usual_keys(),
        "asked": [asdict(note) for note in notes],
        **labelling.data(participation),
    }
    context = screen_context(
        campaign,
        participation,
        unit=shown,
        progress=progress,
        preferences=preferences,
        empty="" if shown else why_empty(participation, progress),
        last=last,
        data=data,
        **asking_context(notes, of_unit(notes, shown), mine),
    )
    return render(request, "annotation/labelling/label_screen.html", context, status=status)


def _last(participation: Participation) -> Unit | None:
    """The newest unit that can be undone."""
    units = fetch_units(participation, fetch_history(participation, most=1)[0][:1])
    return units[0] if units else None


@login_required
def show_history(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The person's own answers as a list, each leading to the screen where it can be changed."""
    participation = fetch_participation(collection=slug, campaign=campaign, user=person_of(request))
    before, only = request.GET.get("before", ""), request.GET.get("only", "")
    ids, older = fetch_history(participation, before=read_number(before), most=HISTORY_PAGE, only=only)
    judged = Campaign.objects.select_related("collection").get(pk=participation.campaign)
    context = {
        "campaign": judged,
        "collection": judged.collection,
        "units": _with_feedback(participation, _with_dates(fetch_units(participation, ids))),
        "criteria": participation.scales,
        "words": (words := _level_words(judged)),
        "choices": _history_choices(participation, words),
        "only": only,
        "labelling": participation.labelling,
        "older": older,
        "looked_at": LOOKED_AT,
        "is_first": not before,
    }
    return render(request, "annotation/labelling/label_history.html", context)


def _with_dates(units: list[Unit]) -> list[Unit]:
    """The units with the time at which each answer was first given. One query."""
    cells = [cell for unit in units for cell in unit["cells"]]
    rows = Assignment.objects.filter(pk__in=[cell["assignment"] for cell in cells])
    finished = dict(rows.values_list("pk", "finished_at"))
    for cell in cells:
        cell["finished_at"] = finished[cell["assignment"]]
    return units


def _with_feedback(participation: Participation, units: list[Unit]) -> list[Unit]:
    """The units; in training with the known answers. No query elsewhere."""
    cells = {cell["assignment"]: cell for unit in units for cell in unit["cells"]}
    for pk, facts in fetch_feedback(participation, cells).items():
        cells[pk]["learned"] = in_words(facts, many=len(participation.scales) > 1)
    return units


def _history_choices(
    participation: Participation, words: dict[str, dict[int, str]]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """What the history can be narrowed to: [(heading, [(value of `only`, what it is called)])]."""
    grades = [
        (scale.label, [(f"{scale.key}:{value}", f"{value} {word}") for value, word in words.get(scale.key, {}).items()])
        for scale in participation.scales
    ]
    return [("", [(value, str(words)) for value, words in HISTORY_KINDS.items()]), *grades]


def _level_words(campaign: Campaign) -> dict[str, dict[int, str]]:
    """{criterion's key: {value: what it is called}}. One query."""
    words: dict[str, dict[int, str]] = {}
    levels = Level.objects.filter(criterion__campaign=campaign)
    for key, value, label in levels.values_list("criterion__key", "value", "label"):
        words.setdefault(key, {})[value] = label
    return words
