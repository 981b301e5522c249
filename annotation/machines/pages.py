"""Machine annotators of a campaign: runs requested and followed, unreadable replies decided, prompts written."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.refusal_messages import refusals_in_form, refusals_in_message
from annotation.campaigns.pages.context import campaign_context, fetch_for_manager, fetch_for_overseer
from annotation.campaigns.seals import sealed_by
from annotation.labelling.forms import read_number
from annotation.labelling.rules import why_cannot_read_replies
from annotation.machines.forms import MachineForm, ReplyDecisionForm, TrialForm
from annotation.machines.machines import (
    count_replies,
    imported_machines,
    missing_replies,
    run_rows,
    runs_of,
    unreadable_values,
)
from annotation.machines.prompts import examples_of, preview_of, write_relevance_prompt
from annotation.machines.recipes import estimate_machine
from annotation.machines.replies import decide_reply
from annotation.machines.requests import continue_machine_run, request_machine_runs
from annotation.machines.trials import read_trial, request_trial, spending_on
from annotation.models import Campaign, CampaignState, MachineRun, PromptTrial, ReplyValue
from corpus.collections.pages.context import form_page
from corpus.endpoints.endpoints import why_no_language_model
from corpus.models import PromptPurpose
from corpus.questions.prompts import prompt_versions
from engines.prompting.prompts import STARTERS
from engines.text.differences import compare_texts

PER_PAGE = 20


@require_safe
def machine_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Runs of machines over the campaign, imported machines, and the prompts there are."""
    membership, found = fetch_for_overseer(request, slug, campaign, page="machines")
    rows = run_rows(found)
    to_read = next((row for row in rows if row.counts.waiting), None)
    context = campaign_context(
        membership,
        found,
        "machines",
        rows=rows,
        to_read=to_read,
        is_free=bool(rows) and to_read is None and all(row.run.is_final for row in rows),
        imported=imported_machines(found),
        prompts=list(prompt_versions(membership.collection, PromptPurpose.RELEVANCE)),
        why_cannot_run=_why_cannot_run(found),
        no_model=why_no_language_model(membership.collection, membership.user),
    )
    return render(request, "annotation/machines/machine_list.html", context)


@form_page
def machine_create(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Request runs, or only an estimate of what they would take."""
    membership, found = fetch_for_manager(request, slug, campaign, page="machines")
    first = {"prompt": request.GET["prompt"]} if request.GET.get("prompt", "").isdecimal() else {}
    form = MachineForm(request.POST or None, campaign=found, initial=first)
    estimate = None
    if form.is_valid():
        with refusals_in_form(form):
            if request.POST.get("step") == "estimate":
                _, estimate = estimate_machine(found, form.options)
            else:
                runs = request_machine_runs(campaign=found, by=membership.user, at=timezone.now(), options=form.options)
                if len(runs) == 1:
                    return redirect("machine_detail", slug, campaign, runs[0].pk)
                messages.success(request, f"{len(runs)} runs have started.")
                return redirect("machine_list", slug, campaign)
    context = campaign_context(
        membership,
        found,
        "machines",
        form=form,
        estimate=estimate,
        why_cannot_run=_why_cannot_run(found),
        no_model=why_no_language_model(membership.collection, membership.user),
        prompts=prompt_versions(membership.collection, PromptPurpose.RELEVANCE).exists(),
    )
    return render(request, "annotation/machines/machine_create.html", context, status=422 if form.errors else 200)


def _why_cannot_run(campaign: Campaign) -> str:
    """Why no machine can run on the campaign now, or ""."""
    if campaign.state == CampaignState.CLOSED:
        return "The campaign is closed. Reopen it to let a machine judge."
    if no_machines := campaign.kind_object.no_machines:
        return no_machines
    if not campaign.items.exists():
        return "The campaign has no items yet. Add them first."
    cycle = sealed_by(campaign)
    if cycle is not None:
        return f"This test campaign is sealed until Anno-GPT cycle {cycle.number} has frozen its machine."
    return ""


@require_safe
def machine_detail(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """One run: its progress, settings and cost, and the replies that could not be read."""
    membership, found = fetch_for_overseer(request, slug, campaign, page="machines")
    run = get_object_or_404(runs_of(found), pk=pk)
    hidden = why_cannot_read_replies(found, membership.user)
    unreadable = ReplyValue.objects.none() if hidden else unreadable_values(run)
    counts = count_replies([run], found.items.count())[run.pk]
    context = campaign_context(
        membership,
        found,
        "machines",
        job=run,
        counts=counts,
        page=Paginator(unreadable, PER_PAGE).get_page(request.GET.get("page")),
        hidden=hidden,
        errors=list(missing_replies(run)[:PER_PAGE]),
        may_go_on=run.is_final and counts.left > 0 and found.state != CampaignState.CLOSED,
    )
    return render(request, "annotation/machines/machine_detail.html", context)


@require_POST
def machine_continue(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Ask for what has no reply yet."""
    membership, found = fetch_for_manager(request, slug, campaign, page="machines")
    run = get_object_or_404(MachineRun, pk=pk, campaign=found)
    with refusals_in_message(request):
        continue_machine_run(run=run, by=membership.user, at=timezone.now())
    return redirect("machine_detail", slug, campaign, pk)


@require_POST
def reply_decide(request: HttpRequest, slug: str, campaign: str, pk: int, reply: int) -> HttpResponse:
    """Decide what an invalid reply states of a criterion; `reply` is the number of that."""
    membership, found = fetch_for_manager(request, slug, campaign, page="machines")
    run = get_object_or_404(runs_of(found), pk=pk)
    chosen = get_object_or_404(ReplyValue.objects.select_related("criterion"), pk=reply, reply__run=run)
    form = ReplyDecisionForm(request.POST, criterion=chosen.criterion)
    if not form.is_valid():
        messages.error(request, "Choose one of the levels, or “nothing”.")
    else:
        value = form.cleaned_data["value"]
        with refusals_in_message(request):
            decide_reply(stated=chosen, by=membership.user, at=timezone.now(), value=value)
    return redirect("machine_detail", slug, campaign, pk)


@form_page
def prompt_edit(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Write a prompt or its next version, next to the message that it gives for one of the items."""
    membership, found = fetch_for_manager(request, slug, campaign, page="machines")
    trial = found.prompt_trials.filter(pk=read_number(request.GET.get("trial", "")) or 0).first()
    form = TrialForm(request.POST or None, initial=_initial_prompt(request, found, trial))
    if form.is_valid() and (step := request.POST.get("step")) != "preview":
        values: dict[str, Any] = form.cleaned_data | {"by": membership.user, "at": timezone.now()}
        items = values.pop("items")
        with refusals_in_form(form, "body"):
            if step == "try":
                seed = trial.seed + 1 if trial and trial.seed is not None else None  # each time others
                tried = request_trial(campaign=found, items=items, seed=seed, **values)
                return redirect(f"{request.path}?trial={tried.pk}#trial")
            prompt = write_relevance_prompt(collection=membership.collection, **values)
            messages.success(request, f"{prompt} is saved. Its hash is {prompt.sha256[:12]}….")
            return redirect("machine_prompt_detail", slug, campaign, prompt.pk)
    preview = _preview(found, str(form["body"].value() or ""), request)
    context = campaign_context(
        membership,
        found,
        "machines",
        form=form,
        starters=list(STARTERS),
        places=examples_of(preview["item"], found),
        preview=preview,
        trial=trial,
        tried=read_trial(trial) if trial else [],
        spending=spending_on(trial) if trial else None,
    )
    return render(request, "annotation/machines/prompt_edit.html", context, status=422 if form.errors else 200)


@require_POST
def prompt_preview(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The message for one item, for htmx."""
    _, found = fetch_for_manager(request, slug, campaign, page="machines")
    preview = _preview(found, request.POST.get("body", ""), request)
    return render(request, "annotation/machines/_prompt_preview.html", {"preview": preview})


@require_safe
def prompt_detail(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """One version word for word, with its hash, and how it differs from the version before."""
    membership, found = fetch_for_overseer(request, slug, campaign, page="machines")
    prompt = get_object_or_404(prompt_versions(membership.collection, PromptPurpose.RELEVANCE), pk=pk)
    versions = list(prompt_versions(membership.collection, PromptPurpose.RELEVANCE, prompt.name))
    before = next((one for one in versions if one.version == prompt.version - 1), None)
    context = campaign_context(
        membership,
        found,
        "machines",
        prompt=prompt,
        versions=versions,
        differences=compare_texts(before.body, prompt.body) if before else None,
        why_cannot_run=_why_cannot_run(found) or why_no_language_model(membership.collection, membership.user),
        preview=_preview(found, prompt.body, request),
    )
    return render(request, "annotation/machines/prompt_detail.html", context)


def _initial_prompt(request: HttpRequest, campaign: Campaign, trial: PromptTrial | None) -> dict[str, str]:
    """The text to begin with: that of a trial or a version, a starter by name, or the first starter."""
    if trial is not None:
        return {"name": trial.name, "body": trial.body}
    source = request.GET.get("from", "")
    if pk := read_number(source):
        prompt = prompt_versions(campaign.collection, PromptPurpose.RELEVANCE).filter(pk=pk).first()
        if prompt is not None:
            return {"name": prompt.name, "body": prompt.body}
    name = source if source in STARTERS else next(iter(STARTERS))
    return {"name": name, "body": STARTERS[name]}


def _preview(campaign: Campaign, body: str, request: HttpRequest) -> dict[str, Any]:
    """Of `?item=` or the first item."""
    return preview_of(campaign, body, read_number(request.GET.get("item", "") or request.POST.get("item", "")))
