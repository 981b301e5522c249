"""Prompts of machine annotators: written with a preview on a real item, read in any version."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.refusal_messages import refusals_in_form
from annotation.campaigns.views.context import campaign_context, fetch_for_manager, fetch_for_overseer
from annotation.machines.actions.recipes import write_relevance_prompt
from annotation.machines.forms import PromptForm
from annotation.machines.reads.machines import prompts_of
from annotation.machines.reads.prompts import preview_of
from annotation.models import Campaign
from annotation.prompting.prompts import PLACEHOLDERS
from annotation.prompting.starters import STARTERS
from corpus.text.differences import compare_texts


@require_http_methods(["GET", "POST"])
def prompt_edit(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Write a prompt or its next version, next to the message that it gives for one of the items."""
    membership, found = fetch_for_manager(request, slug, campaign, page="machines")
    initial = _initial(request, found)
    form = PromptForm(request.POST or None, initial=initial)
    if form.is_valid() and request.POST.get("step") != "preview":
        with refusals_in_form(form, "body"):
            written = write_relevance_prompt(
                collection=membership.collection, by=membership.user, at=timezone.now(), **form.cleaned_data
            )
            messages.success(request, f"{written} is saved. Its hash is {written.sha256[:12]}….")
            return redirect("machine_prompt_detail", slug, campaign, written.pk)
    body = str(form["body"].value() or "")
    context = campaign_context(
        membership,
        found,
        "machines",
        form=form,
        starters=list(STARTERS),
        places=PLACEHOLDERS,
        preview=_preview(found, body, request),
    )
    return render(request, "annotation/machines/prompt_edit.html", context, status=422 if form.errors else 200)


@require_POST
def prompt_preview(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The message one item would make, for htmx."""
    _, found = fetch_for_manager(request, slug, campaign, page="machines")
    preview = _preview(found, request.POST.get("body", ""), request)
    return render(request, "annotation/machines/_prompt_preview.html", {"preview": preview})


@require_safe
def prompt_detail(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """One version word for word, with its hash, and how it differs from the one before."""
    membership, found = fetch_for_overseer(request, slug, campaign, page="machines")
    prompt = get_object_or_404(prompts_of(membership.collection).select_related("created_by"), pk=pk)
    versions = list(prompts_of(membership.collection).filter(name=prompt.name))
    before = next((one for one in versions if one.version == prompt.version - 1), None)
    context = campaign_context(
        membership,
        found,
        "machines",
        prompt=prompt,
        versions=versions,
        differences=compare_texts(before.body, prompt.body) if before else None,
        preview=_preview(found, prompt.body, request),
    )
    return render(request, "annotation/machines/prompt_detail.html", context)


def _initial(request: HttpRequest, campaign: Campaign) -> dict[str, str]:
    """The text to begin with: that of a version, a starter by name, or the first starter."""
    wanted = request.GET.get("from", "")
    if wanted.isdecimal() and len(wanted) < 19:
        prompt = prompts_of(campaign.collection).filter(pk=int(wanted)).first()
        if prompt is not None:
            return {"name": prompt.name, "body": prompt.body}
    name = wanted if wanted in STARTERS else next(iter(STARTERS))
    return {"name": name, "body": STARTERS[name]}


def _preview(campaign: Campaign, body: str, request: HttpRequest) -> dict[str, Any]:
    """Of `?item=` or the first item."""
    wanted = request.GET.get("item", "") or request.POST.get("item", "")
    return preview_of(campaign, body, int(wanted) if wanted.isdecimal() and len(wanted) < 19 else None)
