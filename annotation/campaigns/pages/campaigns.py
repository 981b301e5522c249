"""Campaigns: the list, a new one, its progress, its settings, its state."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.contrib import messages
from django.db import transaction
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.counting import counted
from accounts.edits import edited_values, remember_shown
from accounts.languages import language_of
from accounts.refusal_messages import refusals_in_form
from annotation.assignment.annotators import add_invited, add_members
from annotation.campaigns.campaigns import (
    campaigns_for,
    count_unreviewed,
    fetch_readiness,
    has_submissions,
    is_filled_at_opening,
)
from annotation.campaigns.forms.campaigns import (
    CampaignFilterForm,
    CampaignForm,
    CopyForm,
    KindForms,
    SettledForm,
    settings_of,
)
from annotation.campaigns.items import build_first_items, needs_job, request_item_build
from annotation.campaigns.lifecycle import (
    close_campaign,
    copy_campaign,
    create_campaign,
    open_campaign,
    update_campaign,
)
from annotation.campaigns.own_counts import own_counts
from annotation.campaigns.pages.context import campaign_context, fetch_for_manager, fetch_for_participant
from annotation.campaigns.pages.costs import foresee_cost, new_campaign_form
from annotation.campaigns.progress import annotator_rows, estimate_end, fetch_progress
from annotation.campaigns.rules import missing_of, why_cannot_delete, why_cannot_open, why_people_wait
from annotation.inquiries.inquiries import WorkPage, notes_for
from annotation.models import Annotator, AnnotatorState, Campaign, CampaignState, Strategy
from annotation.rubric.rewrites import reviews_for
from corpus.collections.pages.context import collection_context, form_page
from corpus.collections.rules import can_manage, can_oversee, check_can_manage, fetch_manager, fetch_membership
from corpus.models import Membership
from corpus.tables import Column, Step, Table, read_table, wants_file
from engines.definitions.campaign_file import SETTINGS

COLUMNS = (
    Column("campaign", "Campaign", str, (Lower("name"),)),
    Column("short_name", "", lambda one: one.slug),
    Column("kind", "", lambda one: one.kind),
    Column("state", "State", lambda one: one.get_state_display(), ("state",)),
    Column("split", "Split", lambda one: one.get_split_display(), ("split",)),
    Column("per_item", "Per item", lambda one: one.overlap, ("overlap",), is_number=True),
)
LAST_COLUMNS = (
    Column("since", "Since", lambda one: one.created_at.date(), ("created_at",)),
    Column("deadline", "", lambda one: one.deadline, ("deadline",)),
)

QUEUED = "the open queue, which is filled when the campaign is opened"


@require_http_methods(["GET", "HEAD", "POST"])
def campaign_list(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The campaigns one may see: overseers all of them, annotators their own. Managers open and close several."""
    membership = fetch_membership(request.user, slug)
    if request.method == "POST":
        check_can_manage(membership)
    form = CampaignFilterForm(request.GET)
    table = _campaign_table(request, membership)
    campaigns = table.ordered(form.narrow(campaigns_for(membership)))
    if request.method == "POST":
        return table.carry_out(request, campaigns)
    if wants_file(request):
        return table.download(campaigns)
    context = collection_context(membership, "campaigns", table=table, form=form, campaigns=campaigns)
    context["is_narrowed"] = any(request.GET.get(name) for name in form.fields)
    return render(request, "annotation/campaigns/campaign_list.html", context)


def _campaign_table(request: HttpRequest, membership: Membership) -> Table:
    """Counts are of the whole campaign for overseers, of their own part for annotators: see `campaigns_for`."""
    words = ("Items", "Judgments") if can_oversee(membership) else ("Mine", "Judged")
    counts = (
        Column("items", words[0], lambda one: one.items_count, ("items_count",), is_number=True),
        Column("judgments", words[1], lambda one: one.done, ("done",), is_number=True),
        Column("counted_at", "", lambda one: one.counted_at),
    )
    who: dict[str, Any] = {"by": membership.user, "at": timezone.now()}
    steps = (
        Step("open", "Open", "Campaigns opened", lambda one: open_campaign(campaign=one, **who)),
        Step("close", "Close", "Campaigns closed", lambda one: close_campaign(campaign=one, **who)),
    )
    columns = COLUMNS + counts + LAST_COLUMNS
    return read_table(request, f"{membership.collection.slug}-campaigns", columns, steps * can_manage(membership))


@form_page
def campaign_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a campaign with its people and items."""
    membership = fetch_manager(request.user, slug)
    data = request.POST or None
    form = new_campaign_form(membership, data, request.FILES or None, request.GET.get("template", ""))
    kinds = KindForms(data, membership.collection, form.begun)
    if form.is_valid() and kinds.is_valid():
        with refusals_in_form(form):
            campaign = _create(membership, form.cleaned_data, kinds)
            messages.success(request, f"{campaign} created as a draft.")
            return redirect("campaign_detail", slug, campaign.slug)
    context = collection_context(membership, "campaigns", form=form, kinds=kinds)
    context["cost"] = foresee_cost(membership.collection, form, kinds)
    status = 422 if form.errors or kinds.has_errors else 200
    return render(request, "annotation/campaigns/campaign_create.html", context, status=status)


@require_safe
def campaign_cost(request: HttpRequest, slug: str) -> HttpResponse:
    """What a campaign would cost as its form is filled now, with the settings of its template."""
    membership = fetch_manager(request.user, slug)
    form = new_campaign_form(membership, request.GET)
    kinds = KindForms(request.GET, membership.collection, form.begun)
    context = collection_context(membership, "campaigns", form=form)
    context["cost"] = foresee_cost(membership.collection, form, kinds)
    return render(request, "annotation/campaigns/_campaign_cost.html", context)


@require_safe
def campaign_detail(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """How far the campaign is, for those who oversee it; their own part and the guideline for its annotators."""
    membership, found = fetch_for_participant(request, slug, campaign)
    guideline = found.guidelines.first()
    context = campaign_context(
        membership, found, "progress", guideline=guideline, criteria=found.criteria.prefetch_related("levels")
    )
    context["mine"] = _own_part(membership, found)
    has_rewrites = "rewrites" in found.kind_object.tabs
    if context["mine"]:
        page = WorkPage(found.kind_object, slug, campaign)
        notes = notes_for(context["mine"]["annotator"].pk, found.pk, page)
        context["notes"] = [note for note in notes if note.is_mine or note.href or note.whole_topic]
        context["has_new"] = any(note.is_new for note in notes)
    context["to_confirm"] = reviews_for(membership.user, found).count() if has_rewrites else 0
    if not can_oversee(membership):
        asks = membership.collection.archived_at is None and membership.collection.consent_texts.exists()
        context["asks_consent"] = asks
        translation.activate(language_of(request))  # this page of theirs has the address of that of managers
        return render(request, "annotation/campaigns/campaign_part.html", context)
    return render(request, "annotation/campaigns/campaign_detail.html", context | _progress(found))


@require_http_methods(["GET", "POST"])
def campaign_edit(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Change what is not settled yet."""
    membership, found = fetch_for_manager(request, slug, campaign)
    form = _settings_form(found, request.POST or None)
    options = _options_form(found, request.POST or None)
    if found.state == CampaignState.CLOSED and request.method == "POST":
        form.add_error(None, f"{found} is closed. Reopen it first.")
    elif form.is_valid() and (options is None or options.is_valid()):
        changes = edited_values(form)
        if options and edited_values(options):
            changes["options"] = options.as_json()
        with refusals_in_form(form):
            update_campaign(campaign=found, by=membership.user, at=timezone.now(), **changes)
            messages.success(request, "Settings saved.")
            return redirect("campaign_edit", slug, campaign)
    copy_form = CopyForm(initial={"name": f"{found.name} (copy)"})
    return _show_settings(request, membership, found, form=form, copy_form=copy_form, options=options)


@require_POST
def campaign_copy(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """A new draft like this one."""
    membership, found = fetch_for_manager(request, slug, campaign)
    form = CopyForm(request.POST)
    if form.is_valid():
        with refusals_in_form(form, "name"):
            copy = copy_campaign(campaign=found, by=membership.user, at=timezone.now(), **form.cleaned_data)
            messages.success(
                request, f"{copy} has the settings, levels, guideline and people of {found}, but no items."
            )
            return redirect("campaign_detail", slug, copy.slug)
    return _show_settings(request, membership, found, form=_settings_form(found, None), copy_form=form)


@transaction.atomic
def _create(membership: Membership, values: dict[str, Any], kinds: KindForms) -> Campaign:
    """The campaign with its people and, where there is something to judge, its items: all of it or nothing."""
    at, by = timezone.now(), membership.user
    file = values["file"]
    campaign = create_campaign(
        collection=membership.collection,
        by=by,
        at=at,
        criteria=file.criteria,
        guideline=file.guideline,
        options=file.options or kinds.options(),
        template=values["template"],
        **{name: values[name] for name in SETTINGS if name not in ("sample", "kind")},
    )
    add_members(campaign=campaign, users=list(values["annotators"]), by=by, at=at)
    add_invited(campaign=campaign, invited=list(values.get("invited", ())), by=by, at=at)
    build = request_item_build if needs_job(campaign, values["sample"]) else build_first_items
    build(
        campaign=campaign,
        by=by,
        at=at,
        sample=values["sample"],
        stratified=values["stratified"],
        choice=kinds.choice(),
        calibration=kinds.calibration_sample(),
    )
    return campaign


def _settings_form(campaign: Campaign, data: Any) -> CampaignForm | SettledForm:
    """What is not settled yet, as a form."""
    form = (CampaignForm if campaign.state == CampaignState.DRAFT else SettledForm)(data, initial=settings_of(campaign))
    remember_shown(form)
    return form


def _options_form(campaign: Campaign, data: Any) -> Any:
    """The form of the options of its kind; None where the kind has none."""
    options = campaign.kind_object.options
    if options is None:
        return None
    form = options.form(data, stored=campaign.options)
    remember_shown(form)
    return form


class DraftStep(NamedTuple):
    """Something that is needed before a campaign can be opened; `reason` says what is missing, "" once it is done."""

    label: str
    view: str
    words: str
    reason: str


def _steps(campaign: Campaign, missing: Mapping[str, str], items: int) -> list[DraftStep]:
    """What is needed before it can be opened, in the order in which it is done."""
    kind = campaign.kind_object
    queue = campaign.strategy == Strategy.QUEUE
    why = f"at least {campaign.overlap}, because {counted(campaign.overlap, 'judges', 'judge')} each item"
    pages = [
        ("Levels", "criteria_edit", "the answers to choose from"),
        ("Guideline", "guideline_edit", "the rules for annotators"),
        ("Items", "item_build", f"{kind.words.step}, {items:,} of them"),
        ("Annotators", "annotator_list", why),
        ("Assignment", "assignment_plan", QUEUED if queue else "who judges what"),
    ]
    return [DraftStep(*page, missing.get(page[1], "")) for page in pages[bool(kind.no_criteria) :]]


def _progress(campaign: Campaign) -> dict[str, Any]:
    now = timezone.now()
    progress, rows = fetch_progress(campaign, now), annotator_rows(campaign, now)
    ready = fetch_readiness(campaign)
    missing = missing_of(campaign, ready)
    is_draft = campaign.state == CampaignState.DRAFT
    return {
        "progress": progress,
        "is_filled_at_opening": is_filled_at_opening(campaign),
        "rows": rows,
        "plans_next": not is_filled_at_opening(campaign) and not why_people_wait(campaign, ready),
        "estimate": estimate_end(progress, rows, now, campaign.state).text(campaign.deadline),
        "steps": _steps(campaign, {"annotator_list": why_people_wait(campaign, ready)} | missing, progress.items),
        "left_to_do": f"{counted(len(missing), 'step')} above must be done first.",
        "no_opening": why_cannot_open(campaign, ready),
        "build": campaign.item_builds.order_by("-pk").first(),
        "unreviewed": count_unreviewed(campaign) if is_draft else 0,
        "is_only_draft": is_draft and not progress.judgments,
        "came_judged": is_draft and progress.judgments and not progress.left,  # all of it was imported
    }


def _own_part(membership: Membership, campaign: Campaign) -> dict[str, Any] | None:
    """The member's own part in the campaign, or None if they do not judge in it."""
    annotator = Annotator.objects.filter(campaign=campaign, user=membership.user_id).first()
    if annotator is None or annotator.state == AnnotatorState.REMOVED:
        return None
    return {"annotator": annotator, "own": own_counts([annotator.pk])[annotator.pk]}


def _show_settings(
    request: HttpRequest,
    membership: Membership,
    campaign: Campaign,
    *,
    form: Any,
    copy_form: CopyForm,
    options: Any = None,
) -> HttpResponse:
    context = campaign_context(
        membership,
        campaign,
        "settings",
        form=form,
        copy_form=copy_form,
        options_form=options if options is not None else _options_form(campaign, None),
        no_deleting=why_cannot_delete(campaign, has_submissions(campaign)),
    )
    status = 422 if form.errors or copy_form.errors or (options is not None and options.errors) else 200
    return render(request, "annotation/campaigns/campaign_edit.html", context, status=status)
