"""The adjudication screen: the queue, one item with its votes, the decision. Works by keys and by plain forms."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import push_url

from accounts.models import User
from accounts.refusal_messages import RefusalReport, refusals_in_form, refusals_in_message
from accounts.refused_forms import form_again
from accounts.requests import OpenRequest
from adjudication.agreement.forms import vote_form
from adjudication.labels.ballots import current_votes, fetch_ballots, fingerprint
from adjudication.labels.counts import fetch_vote_standing, newest_count
from adjudication.labels.items import NAMED_BY
from adjudication.labels.pages import Scope, fetch_scope, whole_number
from adjudication.labels.queue import FILTERS, Queue, count_filters, count_open, fetch_queue, is_acceptable
from adjudication.labels.rules import (
    OWN_ITEM,
    can_adjudicate,
    can_override_own,
    check_can_adjudicate,
    decides_own,
    is_alone,
    judged_item,
)
from adjudication.labels.staleness import Standing
from adjudication.labels.too_few import too_few_votes
from adjudication.models import Cause, Method, Verdict, VoteRun
from adjudication.procedure import procedure_of
from adjudication.verdicts.decisions import ACCEPTABLE, decide_own_items, open_own_item, withdraw_decision
from adjudication.verdicts.due import AWAITED
from adjudication.verdicts.extra_judges import (
    has_judges_left,
    judge_name,
    recall_item,
    send_back_item,
    waiting_judge,
)
from adjudication.verdicts.forms import first_error, moment_of
from annotation.campaigns.progress import counted_large_at
from annotation.models import Criterion, UnparsedAnswer
from corpus.long_lists import MOST_COUNTED

QUEUE_SHOWN = 40
PAIR = ("item__topic", "item__document")  # what names the open item


@dataclass(frozen=True)
class VerdictPlace:
    """Where in the queue the person is: criterion, filter, topic; kept in every address of the screen."""

    scope: Scope
    criterion: Criterion
    chosen: str
    topic: int | None

    @cached_property
    def run(self) -> VoteRun | None:
        return newest_count(self.scope.campaign.pk)

    @cached_property
    def is_large(self) -> bool:
        return counted_large_at(self.scope.campaign) is not None

    @cached_property
    def queue(self) -> Queue:
        return fetch_queue(self.criterion, self.chosen, topic=self.topic, run=self.run, is_large=self.is_large)

    def query(self, **more: object) -> str:
        known = {"criterion": self.criterion.key, "filter": self.chosen, "topic": self.topic, **more}
        return urlencode({name: value for name, value in known.items() if value})

    def address(self, **more: object) -> str:
        where = (self.scope.collection.slug, self.scope.campaign.slug)
        return f"{reverse('adjudication_screen', args=where)}?{self.query(**more)}"


@require_safe
def adjudication_screen(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The queue under a filter with one of its items open: `?verdict=`, else the first."""
    scope = fetch_scope(request, slug, campaign)
    check_can_adjudicate(scope.membership)
    screen = procedure_of(scope.campaign).screen
    if screen is not None:
        return screen(request, scope)
    place = _place(request, scope)
    standing = fetch_vote_standing(scope.campaign)
    if place is None or (standing.run is None and not Verdict.objects.filter(item__campaign=scope.campaign).exists()):
        return _show_nothing(request, scope, standing)
    verdict, last = (whole_number(request.GET.get(name)) for name in ("verdict", "last"))
    return _show(request, place, standing, verdict, last=last)


@require_POST
def verdict_decide(request: OpenRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Store the decision, then on to the next item; what is refused is shown where it was entered."""
    scope, place, verdict = _open(request, slug, campaign, pk)
    procedure = procedure_of(scope.campaign)
    form = procedure.form(request.POST)
    if request.POST.get("override") and "seen" not in request.POST:  # asks to see the votes; nothing is decided yet
        return _show_refused(request, place, verdict, "", status=200)
    if form.is_valid():
        following = place.queue.next_after(verdict)
        with refusals_in_form(form):
            procedure.decide(verdict=verdict, by=scope.user, at=timezone.now(), **form.cleaned_data)
            return _go_on(request, place, following, last=verdict.pk)
    return _show_refused(request, place, verdict, first_error(form))


@require_POST
def own_items_decide(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """A manager who is alone decides what they judged themselves from now on."""
    scope = fetch_scope(request, slug, campaign)
    check_can_adjudicate(scope.membership)
    with refusals_in_message(request):
        decide_own_items(campaign=scope.campaign, by=scope.user, at=timezone.now())
        messages.info(request, "You decide the items that you judged yourself. The audit log records this.")
    return HttpResponseRedirect(reverse("adjudication_screen", args=[slug, campaign]))


@require_POST
def verdict_withdraw(request: OpenRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Take the decision back and show the item again."""
    scope, place, verdict = _open(request, slug, campaign, pk)
    with refusals_in_message(request):
        override = bool(request.POST.get("override"))
        seen = moment_of(request.POST.get("seen", ""))
        withdraw_decision(verdict=verdict, by=scope.user, at=timezone.now(), override=override, seen=seen)
        return _go_on(request, place, verdict, said="Decision undone. The votes count again.")
    return _go_on(request, place, verdict)


@require_POST
def verdict_send_back(request: OpenRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Ask for one more judge, then on to the next item."""
    scope, place, verdict = _open(request, slug, campaign, pk)
    following = place.queue.next_after(verdict)
    override = bool(request.POST.get("override"))
    reasons: list[str] = []
    with RefusalReport(reasons.append):
        sent = send_back_item(verdict=verdict, by=scope.user, at=timezone.now(), override=override)
        text = f"Sent back to {judge_name(sent)}. It returns here when they have judged and the votes are counted."
        if sent.annotator is None and not has_judges_left(verdict.item):
            messages.warning(request, "All annotators of this campaign have had the item: add an annotator.")
        return _go_on(request, place, following, said=text)
    return _show_refused(request, place, verdict, reasons[0])


@require_POST
def verdict_recall(request: OpenRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Ask nobody after all, and show the item again."""
    scope, place, verdict = _open(request, slug, campaign, pk)
    with refusals_in_message(request):
        recall_item(verdict=verdict, by=scope.user, at=timezone.now())
        return _go_on(request, place, verdict, said="Request cancelled: no further judge is asked about this item.")
    return _go_on(request, place, verdict)


def _open(request: HttpRequest, slug: str, campaign: str, pk: int) -> tuple[Scope, VerdictPlace, Verdict]:
    """Scope, place in the queue and verdict of a form that was sent; only for those who may adjudicate."""
    scope = fetch_scope(request, slug, campaign)
    check_can_adjudicate(scope.membership)
    verdict = _verdict(scope, pk)
    place = _place(request, scope, verdict.criterion)
    return scope, place or VerdictPlace(scope, verdict.criterion, next(iter(FILTERS)), None), verdict


def _verdict(scope: Scope, pk: int) -> Verdict:
    rows = Verdict.objects.select_related("item__campaign__collection", *PAIR, "criterion", "vote_run", "decided_by")
    return get_object_or_404(rows, pk=pk, item__campaign=scope.campaign)


def _place(request: HttpRequest, scope: Scope, criterion: Criterion | None = None) -> VerdictPlace | None:
    query = request.POST if request.method == "POST" else request.GET
    criterion = criterion or scope.criterion
    if criterion is None:
        return None
    chosen = query.get("filter", "")
    topic = whole_number(query.get("topic"))
    return VerdictPlace(scope, criterion, chosen if chosen in FILTERS else next(iter(FILTERS)), topic)


def _show_nothing(request: HttpRequest, scope: Scope, standing: Standing[VoteRun]) -> HttpResponse:
    """No vote has been counted: what to do, and how far a vote that is being counted has come."""
    form = form_again(request, vote_form(scope.campaign))
    context = scope.context(section="adjudication", standing=standing, vote_form=form)
    context["awaited"] = AWAITED if scope.campaign.kind_object.counts_itself else ""
    if standing.job is not None:
        context["job"] = standing.job
    return render(request, "adjudication/verdicts/adjudication_empty.html", context)


def _show(
    request: HttpRequest,
    place: VerdictPlace,
    standing: Standing[VoteRun],
    pk: int | None,
    *,
    last: int | None = None,
    said: str = "",
) -> HttpResponse:
    """The screen with this verdict open, else the first of the queue; `last` and `said` as in `_go_on`."""
    verdict = _verdict(place.scope, pk) if pk else next(iter(place.queue.first(1, PAIR)), None)
    context = _context(place, standing, verdict) | {"said": said}
    context["vote_form"] = form_again(request, context["vote_form"])
    if last:
        context["last"] = Verdict.objects.filter(
            pk=last, item__campaign=place.scope.campaign, decided_by=place.scope.user, method=Method.BY_HAND
        ).first()
    return render(request, "adjudication/verdicts/adjudication_screen.html", context)


def _go_on(
    request: OpenRequest, place: VerdictPlace, following: Verdict | None, *, last: int | None = None, said: str = ""
) -> HttpResponse:
    """The screen with the next item: the page's script gets it in this very answer, a form without it by an address.

    What was done is either `last`, the verdict that was decided, or `said`, a sentence.
    """
    pk = following.pk if following else None
    address = place.address(last=last, verdict=pk)
    if not request.htmx:
        if said:
            messages.success(request, said)
        return HttpResponseRedirect(address)
    shown = _show(request, place, fetch_vote_standing(place.scope.campaign), pk, last=last, said=said)
    return push_url(shown, address)


def _show_refused(
    request: HttpRequest, place: VerdictPlace, verdict: Verdict, reason: str, *, status: int = 422
) -> HttpResponse:
    """The item again, with what was entered and why it was refused."""
    standing = fetch_vote_standing(place.scope.campaign)
    context = _context(place, standing, verdict, answers=request.POST.dict()) | {"refused": reason}
    if context["override"]:
        open_own_item(verdict=verdict, by=place.scope.user, at=timezone.now())
    # The address stays that of the item: a form's own cannot be opened.
    return push_url(render(request, "adjudication/verdicts/adjudication_screen.html", context, status=status), False)


def _context(
    place: VerdictPlace, standing: Standing[VoteRun], verdict: Verdict | None, answers: dict[str, Any] | None = None
) -> dict[str, Any]:
    scope = place.scope
    context = scope.context(
        section="adjudication",
        standing=standing,
        vote_form=vote_form(scope.campaign),
        too_few=too_few_votes(standing.run, place.criterion),
        outcomes=standing.run.outcomes_of(place.criterion.key) if standing.run else "",
        names_criterion=bool(standing.run and standing.run.is_counted_by(place.criterion.key)),
        open_of=_open_of(place),
        criterion=place.criterion,
        chosen=place.chosen,
        topic=scope.collection.topics.filter(pk=place.topic).first() if place.topic else None,
        filters=_filters(place),
        queue=_queue(place, verdict),
        verdict=verdict,
        may_accept=_is_acceptable(place),
        next_open=None if verdict else _next_open(place),
    )
    if standing.job is not None and standing.job != standing.run:
        context["job"] = standing.job
    return context | (_item_context(place, verdict, answers or {}) if verdict else {})


def _next_open(place: VerdictPlace) -> VerdictPlace | None:
    """The next of the other criteria that has an item to decide."""
    criteria = list(place.scope.criteria)
    at = criteria.index(place.criterion) + 1
    others = (replace(place, criterion=each, chosen=next(iter(FILTERS))) for each in criteria[at:] + criteria[: at - 1])
    return next((each for each in others if any(each.queue.first(1, PAIR))), None)


def _open_of(place: VerdictPlace) -> list[tuple[Criterion, int | None]]:
    """The criteria, where there are several, each with how many verdicts need a decision: None in a large campaign."""
    criteria = place.scope.criteria
    if len(criteria) < 2:
        return []
    known = {} if place.is_large else count_open(criteria, topic=place.topic, run=place.run)
    return [(each, None if place.is_large else known.get(each.pk, 0)) for each in criteria]


def _is_acceptable(place: VerdictPlace) -> bool:
    """Whether votes are left that the person may accept in bulk."""
    scope = place.scope
    may = can_adjudicate(scope.membership)
    return may and is_acceptable(place.criterion, list(ACCEPTABLE), user=scope.user, run=place.run)


def _filters(place: VerdictPlace) -> list[tuple[str, str, str, bool]]:
    """(label, count, address, whether it is the chosen one) of each filter that has any, the chosen one and the first.

    Of filters with the same verdicts the first is shown.
    """
    counted = count_filters(place.criterion, topic=place.topic, run=place.run, is_large=place.is_large)
    shown = {place.chosen, next(iter(FILTERS))}
    return [
        (
            FILTERS[each.names[0]],
            f"{MOST_COUNTED:,}+" if place.is_large and each.count > MOST_COUNTED else f"{each.count:,}",
            VerdictPlace(place.scope, place.criterion, each.names[0], place.topic).address(),
            place.chosen in each.names,
        )
        for each in counted
        if each.count or shown & set(each.names)
    ]


def _queue(place: VerdictPlace, verdict: Verdict | None) -> list[tuple[Verdict, str]]:
    """The part of the queue around the open item, each with its address."""
    found = place.queue.first(QUEUE_SHOWN, [f"item__{name}" for name in NAMED_BY])
    if verdict is not None and verdict not in found:
        later = [row for row in (place.queue.next_after(verdict),) if row is not None and row not in found]
        found = [*later, *found][:QUEUE_SHOWN]
    return [(row, place.address(verdict=row.pk)) for row in found]


def _item_context(place: VerdictPlace, verdict: Verdict, answers: dict[str, Any]) -> dict[str, Any]:
    """The open item. People who judged it see neither votes nor form, unless they are managers and ask to override."""
    scope, item_view = place.scope, place.scope.campaign.kind_object.shown
    own = judged_item(verdict.item_id, scope.user)
    may_override = own and can_override_own(scope.membership)
    override = (answers.get("override") or "") if may_override else ""
    if may_override and not override and decides_own(verdict.item_id, scope.user):
        override = "1"
    earlier, later = place.queue.previous_to(verdict), place.queue.next_after(verdict)
    context: dict[str, Any] = {
        "procedure": procedure_of(scope.campaign),
        "item_view": item_view,
        "view": item_view.fetch(verdict.item_id),
        "own": own,
        "own_reason": OWN_ITEM,
        "may_override": may_override,
        "override": override,
        "is_alone": can_override_own(scope.membership) and is_alone(scope.membership),
        "earlier": place.address(verdict=earlier.pk) if earlier else "",
        "later": place.address(verdict=later.pk) if later else "",
        "causes": Cause.choices,
    }
    if own and not override:
        return context
    ballots = fetch_ballots(verdict, item_view.attach)
    votes = current_votes(verdict.item_id, verdict.criterion_id, verdict.vote_run)
    values = {value for _, value in votes}
    selected = answers.get("value", "")  # loading chooses nothing: Enter would decide by it
    return context | {
        "ballots": ballots,
        "opens_machines": place.chosen == "machine" or not ballots.people,
        "unparsed": UnparsedAnswer.objects.filter(item=verdict.item_id, criterion=verdict.criterion_id).order_by("pk"),
        "voted": ",".join(str(value) for value in sorted(values)),
        "selected": selected,
        "cause": answers.get("cause", ""),  # what somebody said of another decision is shown, and not said again
        "comment": answers.get("comment", ""),
        "levels": [(level, str(level.value) == selected) for level in place.criterion.levels.all()],
        "basis": fingerprint(votes),
        "is_sent": waiting_judge(verdict.item_id).exists(),
        "is_outdated": votes != verdict.votes,
        "accepted_by": User.objects.filter(pk=(verdict.reopened_from or {}).get("by", 0)).first(),
    }
