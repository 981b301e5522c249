"""The adjudicator's result on the extraction screen: the same screen, keys and answers as annotators have."""

from functools import partial

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.refusal_messages import RefusalReport
from adjudication.labels.rules import check_not_own_item
from adjudication.papers.merging import begin_adjudication, save_adjudication, step_adjudication
from adjudication.papers.pages.papers import open_paper, paper_refused, sees_own
from annotation.models import Extraction, ExtractionSource, ExtractionState, Item
from annotation.papers.extraction_screen import extraction_data, newest_guideline, paper_data
from annotation.papers.extractions import content_of
from annotation.papers.pages.extraction_screen import (
    answer_move,
    answer_propose,
    answer_read,
    answer_save,
    answer_search,
    page_picture,
)
from engines.text.markdown import render_markdown

STEPS = ("undo", "redo")


@require_http_methods(["GET", "HEAD", "POST"])
def paper_edit(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """The result as it is, to be edited; sending the form begins it where nothing was decided yet."""
    scope, item = open_paper(request, slug, campaign, pk)
    if request.method == "POST":
        reasons: list[str] = []
        with RefusalReport(reasons.append):
            begin_adjudication(item=item, by=scope.user, at=timezone.now(), override=sees_own(request, item))
            return redirect("paper_edit", slug, campaign, pk)
        return paper_refused(request, scope, item, reasons[0])
    back = f"{reverse('adjudication_screen', args=[slug, campaign])}?item={pk}"
    check_not_own_item(item.pk, scope.membership, override=sees_own(request, item))
    extraction = _draft(item).first()
    if extraction is None:
        return redirect(back)
    content = content_of(extraction)
    keys = [slug, campaign, pk]
    urls = {name: reverse(f"paper_{name}", args=keys) for name in ("save", "move", "propose", "read", "search")}
    urls |= {"page": reverse("paper_page", args=[*keys, 0]), "label_session": reverse("label_session")}
    urls |= {"account_login": reverse("account_login")}
    guideline = newest_guideline(extraction)
    data = {
        "extraction": f"adjudicated-{extraction.pk}",
        "user": scope.user.pk,
        "guideline": {"version": guideline.version if guideline else 0},
        "state": extraction_data(extraction, content),
        "paper": paper_data(extraction.paper, content),
        "urls": urls,
    }
    html = render_markdown(guideline.body, headings_from=3) if guideline else ""
    context = scope.context(paper=extraction.paper, extraction=extraction, data=data, back=back, guideline_html=html)
    return render(request, "adjudication/papers/paper_edit.html", context)


@require_POST
def paper_save(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """Store edits made one after the other from the revision `base`, each as a revision."""
    item, extraction = _fetch(request, slug, campaign, pk)
    return answer_save(request, extraction, partial(save_adjudication, item=item, override=sees_own(request, item)))


@require_POST
def paper_move(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """One step back or forward again; answers with the state that is now current."""
    item, extraction = _fetch(request, slug, campaign, pk)
    act = partial(step_adjudication, item=item, override=sees_own(request, item))
    return answer_move(request, extraction, {step: partial(act, step=step) for step in STEPS})


@require_POST
def paper_propose(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """The context that a block of the paper would make; stores nothing."""
    return answer_propose(request, _fetch(request, slug, campaign, pk)[1])


@require_POST
def paper_read(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """What a sentence cites and how it reads without names; stores nothing."""
    return answer_read(request, _fetch(request, slug, campaign, pk)[1].paper)


@require_POST
def paper_search(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """Documents and registered publications that references may be; stores nothing."""
    return answer_search(request, _fetch(request, slug, campaign, pk)[1].paper)


@require_safe
def paper_page(request: HttpRequest, slug: str, campaign: str, pk: int, page: int) -> HttpResponse:
    """The picture of a page of the paper."""
    return page_picture(request, _fetch(request, slug, campaign, pk)[1].paper, page)


def _fetch(request: HttpRequest, slug: str, campaign: str, pk: int) -> tuple[Item, Extraction]:
    scope, item = open_paper(request, slug, campaign, pk)
    check_not_own_item(item.pk, scope.membership, override=sees_own(request, item))
    return item, get_object_or_404(_draft(item))


def _draft(item: Item) -> QuerySet[Extraction]:
    made = Extraction.objects.filter(source=ExtractionSource.ADJUDICATED, campaign=item.campaign, paper=item.paper)
    return made.filter(state=ExtractionState.DRAFT).select_related("paper__collection")
