"""The page for staff: what this Litmus has, and whether it works. Files of the tutorials, for everybody."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.refusal_messages import refusals_in_message
from accounts.refusals import NotAllowed
from accounts.requests import Request
from config.demo.removal import demo_collection, remove_demo
from config.example_files import NAMES, archive_files
from config.state import TESTS, Outcome, parts, try_part
from config.watching.figure_page import find_troubles, read_figures


def check_staff(user: User) -> None:
    if not user.is_staff:
        raise NotAllowed("Only staff, the people who run this Litmus, can see its state.")


@require_safe
def state(request: Request) -> HttpResponse:
    """Mail, language model, embeddings, storage, workers, versions."""
    check_staff(request.user)
    context = {"cards": [(part, None) for part in parts()], "demo": demo_collection()}
    return render(request, "config/state.html", context)


@require_safe
def state_figures(request: Request) -> HttpResponse:
    """Jobs, queue, requests, database: the figures that /metrics gives to programs."""
    check_staff(request.user)
    tables, pages = read_figures()
    now, is_served = timezone.now(), bool(settings.METRICS_TOKEN)
    of_jobs = sorted((each for each in tables if each.is_of_jobs), key=lambda each: len(each.figures))
    shown = {"of_jobs": of_jobs, "of_servers": [each for each in tables if not each.is_of_jobs], "pages": pages}
    shown |= {"now": now, "is_served": is_served, "troubles": find_troubles(tables)}
    return render(request, "config/figures.html", shown)


@require_POST
def demo_remove(request: Request) -> HttpResponse:
    """Remove the demo, its collection and its people."""
    with refusals_in_message(request):
        messages.success(request, str(remove_demo(by=request.user, at=timezone.now())))
    return redirect("state" if request.user.is_staff else "home")


@require_POST
def state_test(request: Request, part: str) -> HttpResponse:
    """Test one part and show what came of it: its card for htmx, else the whole page."""
    check_staff(request.user)
    if part not in TESTS:
        raise Http404
    found: dict[str, Outcome] = {part: try_part(part, request.user)}
    cards = [(each, found.get(each.key)) for each in parts()]
    if not request.htmx:
        return render(request, "config/state.html", {"cards": cards})
    card, outcome = next((each, result) for each, result in cards if result)
    return render(request, "config/_state_part.html", {"part": card, "outcome": outcome})


@require_safe
def example_download(request: Request, name: str) -> HttpResponse:  # noqa: ARG001 - they are the same for all
    """The small files that a tutorial starts with, as a ZIP."""
    if name not in NAMES:
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    return HttpResponse(archive_files(name), content_type="application/zip", headers=headers)
