"""Items: the list, and building them."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods

from accounts.counting import named
from accounts.job_kinds import kind_of
from accounts.refusal_messages import refusals_in_form
from accounts.refused_forms import form_again
from annotation.campaigns.forms.items import CalibrationSampleForm, ItemBuildForm, ItemFilterForm, ItemRemovalForm
from annotation.campaigns.item_building import unjudged_items
from annotation.campaigns.items import (
    build_items,
    describe_all,
    describe_items,
    find_items,
    find_page,
    needs_job,
    remove_unjudged_items,
    request_item_build,
)
from annotation.campaigns.pace import fetch_workload
from annotation.campaigns.pages.context import campaign_context, fetch_for_manager, fetch_for_overseer
from annotation.campaigns.progress import counted_large_at
from annotation.models import AnnotatorState, Campaign, CampaignState, ItemBuild
from corpus.collections.pages.context import form_page
from corpus.collections.rules import can_manage, check_can_manage
from corpus.long_lists import KeyedPage, NumberedPage
from corpus.models import Membership
from corpus.tables import Column, Step, Table, read_table, wants_file

PER_PAGE = 50
COLUMNS = (
    Column("judged", "Judged", lambda item: item.done, ("done", "needed"), is_number=True),
    Column("wanted", "", lambda item: item.needed),
    Column("state", "State"),
    Column("assigned", "", lambda item: item.slots),
    Column("skipped", "", lambda item: item.skips),
)


@require_http_methods(["GET", "HEAD", "POST"])
def item_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponseBase:
    """The campaign's items by topic and state, for those who oversee it; managers remove several."""
    membership, found = fetch_for_overseer(request, slug, campaign)
    if request.method == "POST":
        check_can_manage(membership)
    form = ItemFilterForm(request.GET, campaign=found)
    chosen = form.chosen()
    table = _item_table(request, membership, found)
    counts = table.sort.removeprefix("-") == "judged"
    now = timezone.now()
    items = table.ordered(find_items(found, chosen, now, with_counts=counts))
    if request.method == "POST":
        return table.carry_out(request, items)
    if wants_file(request):
        return table.download(describe_all(items))
    ids = items.values_list("pk", flat=True)
    page = find_page(found, chosen, now, request.GET, PER_PAGE, ordered=ids)
    shown = describe_items(list(page.object_list))
    filtered = any(request.GET.get(name) for name in ("topic", "state", "needs")) or "reason" in request.GET
    context = campaign_context(
        membership,
        found,
        "items",
        about=_about(page, found.kind_object.words.item, chosen.reason, filtered=filtered),
        form=form,
        table=table,
        page=page,
        items=shown,
        people_page=_people_page(found, shown),
        filtered=filtered,
        calibration=form_again(request, CalibrationSampleForm()),
        is_closed=found.state == CampaignState.CLOSED,
    )
    return render(request, "annotation/campaigns/item_list.html", context)


def _people_page(campaign: Campaign, items: Sequence[Any]) -> str:
    """The page, by the name of its URL, where items that are short of people get them; "" where none is."""
    if campaign.state != CampaignState.OPEN or all(each.slots >= each.needed for each in items):
        return ""
    people = campaign.annotators.filter(state=AnnotatorState.ACTIVE, user__isnull=False).count()
    return "annotator_list" if people < campaign.overlap else "assignment_plan"


def _about(page: NumberedPage | KeyedPage, item: str, reason: str | None, *, filtered: bool) -> SafeString | str:
    """How many items are listed, in a sentence; "" where none has been found so far."""
    if not page.count and page.leads_on:
        return ""
    text = f"{page.count_text} {item}{'' if page.count == 1 else 's'}" + " of those asked for" * filtered
    because = "" if reason is None else format_html(", skipped because “{}”", named(reason or "no reason"))
    return format_html("{}{}{}.", text[0].upper(), text[1:], because)


def _item_table(request: HttpRequest, membership: Membership, campaign: Campaign) -> Table:
    def remove(items: Sequence[Any]) -> int:
        ids = [item.pk for item in items]
        return remove_unjudged_items(campaign=campaign, by=membership.user, at=timezone.now(), only=ids)

    step = Step(
        "remove",
        "Remove",
        "Items removed",
        lambda item: remove([item]),
        "Remove the selected items and their assignments? Items that someone has begun are kept."
        " Removed items can be added again.",
        together=remove,
        rest="Items that someone has begun are kept.",
    )
    steps = (step,) if can_manage(membership) else ()
    columns = (*campaign.kind_object.words.columns, *COLUMNS)
    return read_table(request, f"{campaign.collection.slug}-{campaign.slug}-items", columns, steps)


@form_page
def item_build(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Make items of what is left, all of it, a choice or a sample; or say before how much work that is."""
    membership, found = fetch_for_manager(request, slug, campaign)
    data = request.POST if request.method == "POST" else None
    form = ItemBuildForm(data)
    kind = found.kind_object
    choice = kind.choosing.form(data, collection=membership.collection) if kind.choosing else None
    workload = None
    if form.is_valid() and (choice is None or choice.is_valid()):
        with refusals_in_form(form):
            if "preview" not in request.POST:
                return _build(request, membership, found, form, choice)
            workload = fetch_workload(found, choice.chosen() if choice else None, form.cleaned_data["sample"])
    context = campaign_context(
        membership,
        found,
        "items",
        form=form,
        choice=choice,
        workload=workload,
        supply=kind.items.fetch_supply(found),
        is_closed=found.state == CampaignState.CLOSED,
        builds=found.item_builds.select_related("requested_by").order_by("-pk")[:10],
    )
    status = 422 if form.errors or (choice is not None and choice.errors) else 200
    return render(request, kind.build_page, context, status=status)


@form_page
def item_remove(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Take the items out that nobody has begun, all or those of one topic."""
    membership, found = fetch_for_manager(request, slug, campaign)
    form = ItemRemovalForm(request.POST if request.method == "POST" else None, campaign=found)
    if form.is_valid():
        with refusals_in_form(form):
            topic = form.cleaned_data["topic"]
            removed = remove_unjudged_items(campaign=found, by=membership.user, at=timezone.now(), topic=topic)
            messages.success(request, f"Removed {removed:,} unjudged items.")
            return redirect("item_list", slug, campaign)
    unjudged = None if counted_large_at(found) else unjudged_items(found).count()
    context = campaign_context(membership, found, "items", form=form, unjudged=unjudged, total=found.items.count())
    return render(request, "annotation/campaigns/item_remove.html", context, status=422 if form.errors else 200)


def _build(
    request: HttpRequest, membership: Membership, campaign: Campaign, form: ItemBuildForm, choice: Any
) -> HttpResponse:
    order = {"campaign": campaign, "by": membership.user, "at": timezone.now(), **form.cleaned_data}
    order["choice"] = choice.chosen() if choice else None
    if needs_job(campaign, form.cleaned_data["sample"]):
        return redirect("job_detail", kind_of(ItemBuild).key, request_item_build(**order).pk)
    built = build_items(**order)
    left_out = f" {built.filtered:,} questions were left out by the word-overlap filter." if built.filtered else ""
    messages.success(request, f"Made {built.created:,} items. Nobody is assigned to them yet.{left_out}")
    return redirect("item_list", membership.collection.slug, campaign.slug)
