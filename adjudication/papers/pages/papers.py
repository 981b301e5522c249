"""The adjudication screen for papers: several versions side by side, one taken at each difference, one accepted.

Works by plain forms; the script sends the same forms and takes the parts that changed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.management.reporting import valid
from accounts.refusal_messages import RefusalReport
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.labels.pages import Scope, fetch_scope, whole_number
from adjudication.labels.rules import OWN_ITEM, can_override_own, check_can_adjudicate, judged_item
from adjudication.papers.extraction_agreement import MOST_PAPERS, NAMES, compare_annotators
from adjudication.papers.forms import ChoiceForm, PaperAcceptanceForm
from adjudication.papers.merging import (
    accept_paper,
    choose_versions,
    open_own_paper,
    step_adjudication,
    withdraw_acceptance,
)
from adjudication.papers.paper_view import PaperView, fetch_paper_view
from adjudication.papers.papers import FILTERS, OPEN, PaperCase, QueuedPaper, fetch_case, paper_rows
from adjudication.verdicts.extra_judges import judge_name, send_back_paper
from annotation.models import Item
from annotation.papers.extracting import BLOCKING
from engines.definitions.extractions import findings_of

QUEUE_SHOWN = 60
SEEN_OWN = "adjudicating_own_papers"  # in the session: items whose versions a manager asked to see, which was logged


@dataclass(frozen=True)
class PaperPlace:
    """Where in the queue the person is."""

    scope: Scope
    rows: list[QueuedPaper]
    chosen: str

    @property
    def shown(self) -> list[QueuedPaper]:
        return [row for row in self.rows if row.is_under(self.chosen)]

    def address(self, item: int | None = None, **more: object) -> str:
        where = reverse("adjudication_screen", args=[self.scope.collection.slug, self.scope.campaign.slug])
        known = {"filter": self.chosen if self.chosen != OPEN else "", "item": item, **more}
        query = urlencode({name: value for name, value in known.items() if value})
        return f"{where}?{query}" if query else where

    def neighbour(self, item: int, step: int) -> int | None:
        """The item `step` places further in the queue, None at its ends; the first one for an item outside of it."""
        ids = [row.item.pk for row in self.shown]
        if item not in ids:
            return ids[0] if ids and step > 0 else None
        place = ids.index(item) + step
        return ids[place] if 0 <= place < len(ids) else None


def paper_screen(request: HttpRequest, scope: Scope) -> HttpResponse:
    """The queue of papers under a filter with one of them open: `?item=`, else the first."""
    place = _place(request, scope)
    pk = whole_number(request.GET.get("item"))
    shown = place.shown
    item = fetch_paper_item(scope, pk) if pk else (shown[0].item if shown else None)
    return _show(request, place, item)


@require_safe
def extraction_agreement(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The figures of every pair over the papers that both have finished, computed now."""
    scope = fetch_scope(request, slug, campaign, page="comparison")
    compared = compare_annotators(scope.campaign)
    context = scope.context(section="comparison", compared=compared, columns=NAMES.values(), most=MOST_PAPERS)
    return render(request, "adjudication/papers/extraction_agreement.html", context)


@require_POST
def paper_choose(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Take a version (`take`), everything (`everything`) or all that is undecided (`rest`) of one side."""
    scope, item = open_paper(request, slug, campaign, pk)
    if request.POST.get("override") and not {"take", "everything", "rest"} & set(request.POST):
        open_own_paper(item=item, by=scope.user, at=timezone.now())
        request.session[SEEN_OWN] = [*request.session.get(SEEN_OWN, []), item.pk]
        return _back(request, scope, item)
    chosen = ChoiceForm.of(request.POST)
    chosen.is_valid()  # which of them makes sense is said by the action
    given = chosen.cleaned_data

    def act(earlier: PaperCase | None, **by: Any) -> None:
        choose_versions(item=item, earlier=earlier, **by)

    return _change(request, scope, item, act, anchor=given["difference"], **given)


@require_POST
def paper_step(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """One step back, or forward again (`step` is undo or redo)."""
    scope, item = open_paper(request, slug, campaign, pk)
    step = request.POST.get("step", "undo")
    return _change(request, scope, item, lambda _, **by: step_adjudication(item=item, step=step, **by))


@require_POST
def paper_accept(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Accept the paper and go on to the next, or reopen it (`withdraw`)."""
    scope, item = open_paper(request, slug, campaign, pk)
    place = _place(request, scope)
    by: dict[str, Any] = {"by": scope.user, "at": timezone.now(), "override": sees_own(request, item)}
    reasons: list[str] = []
    form = PaperAcceptanceForm(request.POST)
    with RefusalReport(reasons.append):
        if "withdraw" in request.POST:
            withdraw_acceptance(item=item, seen=None, **by)
            return _go_on(request, scope, item.pk)
        accept_paper(item=item, **valid(form), **by)
        following = place.neighbour(item.pk, 1) or place.neighbour(item.pk, -1)
        return _go_on(request, scope, following, last=item.pk)
    return paper_refused(request, scope, item, reasons[0])


@require_POST
def paper_send_back(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Ask for one more annotator, then on to the next paper."""
    scope, item = open_paper(request, slug, campaign, pk)
    reasons: list[str] = []
    with RefusalReport(reasons.append):
        sent = send_back_paper(item=item, by=scope.user, at=timezone.now(), override=sees_own(request, item))
        text = f"Sent back to {judge_name(sent)}. Their submission will be added to the versions of this paper."
        messages.success(request, text)
        place = _place(request, scope)
        return HttpResponseRedirect(place.address(place.neighbour(item.pk, 1) or item.pk))
    return paper_refused(request, scope, item, reasons[0])


def _go_on(request: HttpRequest, scope: Scope, pk: int | None, *, last: int | None = None) -> HttpResponse:
    """The screen with this paper: the page's script gets it in this very answer, a form without it by an address.

    `last` is the paper that was accepted just now.
    """
    place = _place(request, scope)
    address = place.address(pk, last=last)
    if request.headers.get("X-Requested-With") != "XMLHttpRequest":
        return HttpResponseRedirect(address)
    answer = _show(request, place, fetch_paper_item(scope, pk) if pk else None, last=last)
    answer["Content-Location"] = address
    return answer


def open_paper(request: HttpRequest, slug: str, campaign: str, pk: int) -> tuple[Scope, Item]:
    """Scope and paper of a form that was sent; only for those who may adjudicate."""
    scope = fetch_scope(request, slug, campaign)
    check_can_adjudicate(scope.membership)
    return scope, fetch_paper_item(scope, pk)


def fetch_paper_item(scope: Scope, pk: int) -> Item:
    """A paper of this extraction campaign; 404 for anything else."""
    rows = Item.objects.select_related("campaign__collection", "paper")
    return get_object_or_404(rows, pk=pk, campaign=scope.campaign, paper__isnull=False)


def paper_refused(request: HttpRequest, scope: Scope, item: Item, reason: str) -> HttpResponse:
    """The page of the paper with why something was not done."""
    return _show(request, _place(request, scope), item, refused=reason, status=422)


def sees_own(request: HttpRequest, item: Item) -> bool:
    """Whether a manager has asked to see this paper although it is one they worked on."""
    return item.pk in request.session.get(SEEN_OWN, [])


def _change(
    request: HttpRequest, scope: Scope, item: Item, act: Callable[..., object], *, anchor: str = "", **given: Any
) -> HttpResponse:
    """Do it; answer with the parts of the page that changed, or with the page at the place where it changed."""
    is_from_script = request.headers.get("X-Requested-With") == "XMLHttpRequest"
    before = _whole(item) if is_from_script else None
    try:
        act(before and before[0], by=scope.user, at=timezone.now(), override=sees_own(request, item), **given)
    except NotAllowed:
        raise
    except Refused as refusal:
        if before is None:
            messages.error(request, refusal.reason)
            return _back(request, scope, item, anchor)
        if isinstance(refusal, Conflict):
            messages.warning(request, refusal.reason)
        return HttpResponse(refusal.reason, status=409 if isinstance(refusal, Conflict) else 422)
    if before is None:
        return _back(request, scope, item, anchor)
    case, after = _whole(item, before[0])
    if [each.key for each in before[1].paragraphs] != [each.key for each in after.paragraphs]:
        return HttpResponse(status=409)
    old = before[1].parts
    changed = [part for key, part in after.parts.items() if old.get(key) != part]
    gone = before[1].added != after.added or bool(old.keys() - after.parts.keys())
    context = scope.context(case=case, view=after, changed=changed, **_bar(case, after))
    return HttpResponse(status=409) if gone else render(request, "adjudication/papers/_paper_changed.html", context)


def _whole(item: Item, earlier: PaperCase | None = None) -> tuple[PaperCase, PaperView]:
    case = fetch_case(item, earlier)
    return case, fetch_paper_view(case)


def _back(request: HttpRequest, scope: Scope, item: Item, anchor: str = "") -> HttpResponse:
    place = PaperPlace(scope, [], _filter(request))
    return redirect(place.address(item.pk) + (f"#d-{anchor}" if anchor else ""))


def _filter(request: HttpRequest) -> str:
    given = (request.POST if request.method == "POST" else request.GET).get("filter", "")
    return given if given in FILTERS else OPEN


def _place(request: HttpRequest, scope: Scope) -> PaperPlace:
    return PaperPlace(scope, paper_rows(scope.campaign), _filter(request))


def _show(
    request: HttpRequest,
    place: PaperPlace,
    item: Item | None,
    *,
    last: int | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    context = place.scope.context(
        section="adjudication",
        chosen=place.chosen,
        filters=_filters(place),
        queue=[(row, place.address(row.item.pk)) for row in place.shown[:QUEUE_SHOWN]],
        hidden=max(0, len(place.shown) - QUEUE_SHOWN),
        any=bool(place.rows),
        item=item,
        refused=refused,
        last=_last(place, last or whole_number(request.GET.get("last"))),
    )
    if item is not None:
        context |= _item_context(request, place, item)
    return render(request, "adjudication/papers/paper_screen.html", context, status=status)


def _filters(place: PaperPlace) -> list[tuple[str, int, str, bool]]:
    """(label, count, address, whether it is the chosen one) of each filter that has any, the chosen one and the first.

    Of filters with the same papers the first is shown.
    """
    found: dict[tuple[int, ...], list[str]] = {}
    for name in FILTERS:
        papers = tuple(row.item.pk for row in place.rows if row.is_under(name))
        if papers or name in (place.chosen, OPEN):
            found.setdefault(papers, []).append(name)
    return [
        (FILTERS[names[0]], len(papers), PaperPlace(place.scope, [], names[0]).address(), place.chosen in names)
        for papers, names in found.items()
    ]


def _last(place: PaperPlace, pk: int | None) -> QueuedPaper | None:
    """The paper that was accepted just now, to reopen it."""
    return next((row for row in place.rows if row.item.pk == pk and row.state == "decided"), None)


def _item_context(request: HttpRequest, place: PaperPlace, item: Item) -> dict[str, Any]:
    """The open paper. People who worked on it see nobody's version of it, unless they are managers and asked to."""
    own = judged_item(item.pk, place.scope.user)
    may_override = own and can_override_own(place.scope.membership)
    earlier, later = place.neighbour(item.pk, -1), place.neighbour(item.pk, 1)
    context: dict[str, Any] = {
        "paper": item.paper,
        "row": next((row for row in place.rows if row.item.pk == item.pk), None),
        "own_reason": OWN_ITEM,
        "may_override": may_override,
        "earlier": place.address(earlier) if earlier else "",
        "later": place.address(later) if later else "",
        "is_own": own,
    }
    if own and not (may_override and sees_own(request, item)):
        return context
    case, view = _whole(item)
    steps = case.extraction.revisions.count() - 1 if case.extraction else 0
    return context | {"case": case, "view": view, "steps": steps} | _bar(case, view)


def _bar(case: PaperCase, view: PaperView) -> dict[str, Any]:
    """The panel next to the differences: progress, and what can be done with the whole."""
    findings, made = findings_of(case.result), case.extraction
    return {
        "item": case.item,
        "findings": findings,
        "grave": [each for each in findings if each.rule in BLOCKING],
        "can_undo": made is not None and made.revisions.filter(number=made.current, parent__isnull=False).exists(),
        "can_redo": made is not None and made.revisions.filter(parent=made.current).exists(),
        "percent": round(100 * view.decided / view.total) if view.total else 100,
    }
