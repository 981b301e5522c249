"""The questions of a campaign's annotators, for its managers: the list, and one of them with its item."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.refusal_messages import refusals_in_form
from annotation.campaigns.pages.context import campaign_context, fetch_for_manager
from annotation.inquiries.asking import answer_inquiry
from annotation.inquiries.forms import SHOW, AnswerForm
from annotation.inquiries.inquiries import NAMED_BY, hidden_from, inquiries_of, name_of
from annotation.inquiries.rules import check_can_read
from annotation.models import Inquiry
from corpus.tables import Column, read_table, wants_file

PER_PAGE = 50
COLUMNS = (
    Column("item", "Item", lambda one: name_of(one.item)),
    Column("topic", "", lambda one: one.item.topic and one.item.topic.number),
    Column("question", "Question", lambda one: one.text),
    Column("annotator", "Asked by", lambda one: one.annotator.name, ("annotator__name",)),
    Column("asked", "Asked", lambda one: one.asked_at, ("asked_at",)),
    Column("answer", "Answer", lambda one: one.answer, ("answered_at",)),
    Column("shown_to", "", lambda one: one.get_audience_display() if one.answer else ""),
)


@require_safe
def inquiry_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponseBase:
    """What annotators asked: `?show=open`, `answered` or all; without it those that wait, if any do."""
    membership, found = fetch_for_manager(request, slug, campaign)
    rows = inquiries_of(found, membership.user)
    show = request.GET.get("show")
    if show is None:
        show = "open" if rows.filter(answered_at=None).exists() else ""
    table = read_table(request, f"{slug}-{found.slug}-questions", COLUMNS)
    shown = table.ordered(_narrowed(rows, show))
    if wants_file(request):
        return table.download(shown.iterator())
    page = Paginator(shown, PER_PAGE).get_page(request.GET.get("page"))
    context = campaign_context(
        membership,
        found,
        "inquiries",
        table=table,
        page=page,
        rows=[(one, name_of(one.item)) for one in page.object_list],
        show=show,
        is_narrowed="show" in request.GET,
        count=page.paginator.count
        if page.paginator.count == rows.count()
        else None,  # else what is hidden can be chosen
        choices=SHOW.items(),
        hidden=hidden_from(membership.user, found.pk).count(),
    )
    return render(request, "annotation/inquiries/inquiry_list.html", context)


def _narrowed(rows: QuerySet[Inquiry], show: str) -> QuerySet[Inquiry]:
    return rows.filter(answered_at__isnull=show == "open") if show in ("open", "answered") else rows


@require_http_methods(["GET", "POST"])
def inquiry_detail(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """One question with its item as annotators see it, and the answer."""
    membership, found = fetch_for_manager(request, slug, campaign)
    rows = Inquiry.objects.filter(campaign=found).select_related(*NAMED_BY, "annotator", "answered_by")
    inquiry = get_object_or_404(rows, pk=pk)
    check_can_read(inquiry, membership.user)
    form = AnswerForm(request.POST or None, inquiry=inquiry)
    if form.is_valid():
        with refusals_in_form(form, "answer"):
            answer_inquiry(campaign=found, inquiry=pk, by=membership.user, at=timezone.now(), **form.cleaned_data)
            messages.success(request, "Answer saved. The annotator sees it next to the item.")
            return redirect("inquiry_list", slug, campaign)
    item_view = found.kind_object.item_view
    context = campaign_context(
        membership,
        found,
        "inquiries",
        inquiry=inquiry,
        name=name_of(inquiry.item),
        form=form,
        item_view=item_view,
        view=item_view.fetch(inquiry.item_id) if item_view else None,
        styles=item_view.styles if item_view else (),
    )
    return render(request, "annotation/inquiries/inquiry_detail.html", context, status=422 if form.errors else 200)
