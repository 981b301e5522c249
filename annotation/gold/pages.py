"""The page “Gold” of a campaign: known answers, what the campaign is for, how people answer; and the import."""

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.refusal_messages import refusals_in_form
from annotation.campaigns.pages.context import campaign_context, fetch_for_manager
from annotation.gold.forms import KnownAnswerImportForm, PurposeForm
from annotation.gold.loading import request_known_answer_import
from annotation.gold.results import gold_results
from annotation.labelling.rules import check_can_read_labels
from annotation.models import Campaign, CampaignState, KnownAnswer
from corpus.collections.pages.context import form_page
from corpus.imports.pages import offered_match

SHOWN = 200  # known answers on the page


def known_answers_of(campaign: Campaign) -> QuerySet[KnownAnswer]:
    """In the order of topics and documents."""
    rows = KnownAnswer.objects.filter(campaign=campaign)
    return rows.select_related("item__topic", "item__aspect", "item__document", "criterion").order_by(
        "item__topic__position", "item__topic", "item", "criterion__position"
    )


@require_safe
def gold_detail(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Known answers and results, for managers who have nothing left to judge here."""
    membership, found = fetch_for_manager(request, slug, campaign, page="gold")
    check_can_read_labels(found, membership.user)
    known = list(known_answers_of(found)[: SHOWN + 1])
    results = gold_results(found)
    for one in known:
        one.share = results.items.get(one.item_id)  # type: ignore[attr-defined]
    context = campaign_context(
        membership,
        found,
        "gold",
        known=known[:SHOWN],
        has_more=len(known) > SHOWN,
        most=SHOWN,
        results=results,
        form=PurposeForm(initial={"purpose": found.purpose, "pass_mark": found.pass_mark}),
        is_draft=found.state == CampaignState.DRAFT,
    )
    return render(request, "annotation/gold/gold_detail.html", context)


@form_page
def known_answer_import(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Choose files and import them."""
    membership, found = fetch_for_manager(request, slug, campaign, page="gold")
    sent = request.method == "POST"
    form = KnownAnswerImportForm(
        request.POST if sent else None,
        request.FILES if sent else None,
        kind="known-answers",
        initial=offered_match(request),
    )
    if form.is_valid():
        with refusals_in_form(form, "uploads"):
            run = request_known_answer_import(
                campaign=found,
                by=membership.user,
                at=timezone.now(),
                files=form.cleaned_data["uploads"],
                format=form.cleaned_data["format"],
                dry_run=form.cleaned_data["dry_run"],
                **form.parameters,
            )
            return redirect("import_detail", slug, run.pk)
    context = campaign_context(membership, found, "gold", form=form)
    return render(request, "annotation/gold/known_answer_import.html", context, status=422 if form.errors else 200)
