"""The leaderboard of a collection: for its members, with uploads, and for everybody, to read."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.refusal_messages import refusals_in_form, refusals_in_message
from accounts.refusals import refusal_reason
from adjudication.leaderboards.actions import (
    add_run,
    close_leaderboard,
    open_leaderboard,
    reopen_leaderboard,
    upload_run,
    withdraw_entry,
)
from adjudication.leaderboards.forms import OpeningForm, UploadForm
from adjudication.leaderboards.reads import newest_board, open_board_at, table_of, uploads_today
from adjudication.leaderboards.rules import check_can_upload
from adjudication.models import Leaderboard, LeaderboardEntry
from corpus.collections.rules import can_manage, can_oversee, fetch_manager, fetch_membership
from corpus.collections.views.context import collection_context
from corpus.models import Membership, RetrievalRun


@require_safe
def leaderboard_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """The table for members, who upload runs here; managers open and close it."""
    return _show(request, fetch_membership(request.user, slug))


@login_not_required
@require_safe
def public_leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """The table for everybody, while it is open."""
    board = get_object_or_404(open_board_at(slug))
    context = {"board": board, "collection": board.collection, "rows": table_of(board)}
    return render(request, "adjudication/leaderboards/public_leaderboard.html", context)


@require_POST
def leaderboard_open(request: HttpRequest, slug: str) -> HttpResponse:
    """Open a leaderboard by a new gold."""
    membership = fetch_manager(request.user, slug)
    form = OpeningForm(request.POST, collection=membership.collection)
    if form.is_valid():
        with refusals_in_form(form):
            open_leaderboard(
                collection=membership.collection, by=membership.user, at=timezone.now(), **form.cleaned_data
            )
            messages.success(request, "The leaderboard is open to everybody.")
            return redirect("leaderboard_detail", slug)
    return _show(request, membership, opening=form)


@require_POST
def leaderboard_close(request: HttpRequest, slug: str) -> HttpResponse:
    """Close the board, or open the closed one again (`reopen`)."""
    membership, board = _managed(request, slug)
    act = reopen_leaderboard if "reopen" in request.POST else close_leaderboard
    with refusals_in_message(request):
        act(board=board, by=membership.user, at=timezone.now())
    return redirect("leaderboard_detail", slug)


@require_POST
def leaderboard_upload(request: HttpRequest, slug: str) -> HttpResponse:
    """Have a run scored."""
    membership = fetch_membership(request.user, slug)
    board, form = _board(membership), UploadForm(request.POST, request.FILES)
    if form.is_valid():
        values = dict(form.cleaned_data)
        file = values.pop("file")
        with refusals_in_form(form):
            entry = upload_run(
                board=board, by=membership.user, at=timezone.now(), file=file.name, stream=file.file, **values
            )
            messages.success(request, f"{entry.name} is scored.")
            return redirect("leaderboard_detail", slug)
    return _show(request, membership, upload=form)


@require_POST
def leaderboard_run_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a run of the collection on the board."""
    membership, board = _managed(request, slug)
    run = get_object_or_404(RetrievalRun, collection=membership.collection, name=request.POST.get("run", ""))
    with refusals_in_message(request):
        add_run(board=board, run=run, by=membership.user, at=timezone.now())
    return redirect("leaderboard_detail", slug)


@require_POST
def leaderboard_entry_withdraw(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show a run no longer."""
    membership = fetch_membership(request.user, slug)
    rows = LeaderboardEntry.objects.select_related("leaderboard__collection").defer("leaderboard__gold")
    entry = get_object_or_404(rows, pk=pk, leaderboard__collection=membership.collection)
    with refusals_in_message(request):
        withdraw_entry(entry=entry, by=membership.user, at=timezone.now())
        messages.success(request, f"{entry.name} is withdrawn.")
    return redirect("leaderboard_detail", slug)


def _managed(request: HttpRequest, slug: str) -> tuple[Membership, Leaderboard]:
    membership = fetch_manager(request.user, slug)
    return membership, _board(membership)


def _board(membership: Membership) -> Leaderboard:
    board = newest_board(membership.collection)
    if board is None:
        raise Http404
    return board


def _show(
    request: HttpRequest,
    membership: Membership,
    *,
    opening: OpeningForm | None = None,
    upload: UploadForm | None = None,
) -> HttpResponse:
    collection, user = membership.collection, membership.user
    board = newest_board(collection)
    context = collection_context(membership, "leaderboard", board=board)
    if can_manage(membership) and (board is None or not board.is_open):
        context["opening"] = opening or OpeningForm(collection=collection)
    if board is not None:
        left = max(0, board.uploads - uploads_today(board, user, timezone.now()))
        context |= {"rows": table_of(board), "left": left, "why_not": refusal_reason(check_can_upload, board, user)}
        context["upload"] = upload or UploadForm()
    if can_oversee(membership):
        context["runs"] = collection.retrieval_runs.order_by("name").values_list("name", flat=True)
    bad = any(form is not None and form.errors for form in (opening, upload))
    return render(request, "adjudication/leaderboards/leaderboard_detail.html", context, status=422 if bad else 200)
