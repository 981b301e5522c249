"""Machine annotators of a campaign: what there is, asking for runs, following one, deciding what it could not say."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.refusal_messages import refusals_in_form, refusals_in_message
from annotation.campaigns.rules.seals import sealed_by
from annotation.campaigns.views.context import campaign_context, fetch_for_manager, fetch_for_overseer
from annotation.labelling.rules.labels import why_cannot_read_replies
from annotation.machines.actions.machines import continue_machine_run, request_machine_runs
from annotation.machines.actions.recipes import criterion_of, fitting_prompt, recipe_of
from annotation.machines.actions.replies import decide_reply
from annotation.machines.forms import DecisionForm, MachineForm
from annotation.machines.reads.machines import (
    count_replies,
    estimate_runs,
    imported_machines,
    prompts_of,
    replies_in_state,
    run_rows,
    runs_of,
)
from annotation.models import Campaign, CampaignState, MachineKind, MachineReply, MachineRun, ReplyState
from annotation.prompting.recipes import Estimate
from corpus.collections.reads.endpoints import chat_endpoint
from corpus.models import Membership

PER_PAGE = 20


@require_safe
def machine_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Runs of machines over the campaign, imported machines, and the prompts there are."""
    membership, found = fetch_for_overseer(request, slug, campaign, page="machines")
    context = campaign_context(
        membership,
        found,
        "machines",
        rows=run_rows(found),
        imported=imported_machines(found),
        prompts=list(prompts_of(membership.collection)),
        why_cannot_run=_why_cannot_run(found),
        endpoint=chat_endpoint(),
    )
    return render(request, "annotation/machines/machine_list.html", context)


@require_http_methods(["GET", "POST"])
def machine_create(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Ask for runs, or only for what they would take."""
    membership, found = fetch_for_manager(request, slug, campaign, page="machines")
    first = {"prompt": request.GET["prompt"]} if request.GET.get("prompt", "").isdecimal() else {}
    form = MachineForm(request.POST or None, campaign=found, initial=first)
    estimate = None
    if form.is_valid():
        with refusals_in_form(form):
            if request.POST.get("step") != "estimate":
                return _begin(request, membership, found, form)
            estimate = _estimate(found, form)
    context = campaign_context(
        membership,
        found,
        "machines",
        form=form,
        estimate=estimate,
        why_cannot_run=_why_cannot_run(found),
        endpoint=chat_endpoint(),
        prompts=prompts_of(membership.collection).exists(),
    )
    return render(request, "annotation/machines/machine_create.html", context, status=422 if form.errors else 200)


def _begin(request: HttpRequest, membership: Membership, campaign: Campaign, form: MachineForm) -> HttpResponse:
    runs = request_machine_runs(campaign=campaign, by=membership.user, at=timezone.now(), wish=form.wish)
    where = (membership.collection.slug, campaign.slug)
    if len(runs) == 1:
        return redirect("machine_detail", *where, runs[0].pk)
    messages.success(request, f"{len(runs)} runs are on their way.")
    return redirect("machine_list", *where)


def _estimate(campaign: Campaign, form: MachineForm) -> Estimate:
    wish = form.wish
    criterion = criterion_of(campaign, wish.criterion)
    recipe = recipe_of(wish, criterion)
    prompt = fitting_prompt(wish.prompt, criterion) if wish.kind == MachineKind.ENDPOINT else None
    return estimate_runs(campaign, recipe, prompt, wish.prices, criterion, runs=wish.runs)


def _why_cannot_run(campaign: Campaign) -> str:
    """Why no machine can run on the campaign now, or ""."""
    if campaign.state == CampaignState.CLOSED:
        return "The campaign is closed. Reopen it to let a machine judge."
    if no_machines := campaign.kind_object.no_machines:
        return no_machines
    if not campaign.items.exists():
        return "The campaign has no items yet. Build them first."
    cycle = sealed_by(campaign)
    if cycle is not None:
        return f"This test campaign is sealed until Anno-GPT cycle {cycle.number} has frozen its machine."
    return ""


@require_safe
def machine_detail(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """One run: how far, what it is, what it cost, and the replies that could not be read."""
    membership, found = fetch_for_overseer(request, slug, campaign, page="machines")
    return _show(request, membership, found, get_object_or_404(runs_of(found), pk=pk))


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
    """Say what an invalid reply states."""
    membership, found = fetch_for_manager(request, slug, campaign, page="machines")
    run = get_object_or_404(runs_of(found), pk=pk)
    chosen = get_object_or_404(MachineReply, pk=reply, run=run)
    form = DecisionForm(request.POST, criterion=run.criterion)
    if not form.is_valid():
        messages.error(request, "Choose one of the levels, or that it states nothing.")
    else:
        value = form.cleaned_data["value"]
        with refusals_in_message(request):
            decide_reply(reply=chosen, by=membership.user, at=timezone.now(), value=value)
    return redirect("machine_detail", slug, campaign, pk)


def _show(request: HttpRequest, membership: Membership, campaign: Campaign, run: MachineRun) -> HttpResponse:
    hidden = why_cannot_read_replies(campaign, membership.user)
    replies = MachineReply.objects.none() if hidden else replies_in_state(run, ReplyState.INVALID)
    invalid = Paginator(replies, PER_PAGE).get_page(request.GET.get("page"))
    counts = count_replies([run], campaign.items.count())[run.pk]
    context = campaign_context(
        membership,
        campaign,
        "machines",
        job=run,
        counts=counts,
        page=invalid,
        hidden=hidden,
        errors=list(replies_in_state(run, ReplyState.ERROR)[:PER_PAGE]),
        levels=list(run.criterion.levels.all()),
        may_go_on=run.is_final and counts.left > 0 and campaign.state != CampaignState.CLOSED,
    )
    return render(request, "annotation/machines/machine_detail.html", context)
