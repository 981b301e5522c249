"""An annotator's papers: the list of them, and one paper with the present extraction."""

from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.refusal_messages import refusals_in_message
from accounts.refusals import NotAllowed, Refused
from annotation.assignment.rules import NotNow
from annotation.campaigns.campaigns import fetch_campaign
from annotation.campaigns.pages.context import campaign_context
from annotation.inquiries.inquiries import WorkPage, notes_for
from annotation.kind import Judged
from annotation.labelling.guidelines import note_guideline_seen
from annotation.labelling.pages.answers import person_of
from annotation.labelling.pages.asking import asking_context
from annotation.labelling.screen import changes_since
from annotation.models import AnnotatorState, Assignment, Campaign, CampaignState, Extraction, ExtractionState
from annotation.papers.extracting import (
    begin_extraction,
    finish_extraction,
    redo_extraction,
    reopen_extraction,
    save_extraction,
    skip_paper,
    take_up_paper,
    undo_extraction,
)
from annotation.papers.extraction_screen import extraction_data, newest_guideline, paper_data
from annotation.papers.extractions import cannot_be_stored, content_of, own_papers
from annotation.papers.forms import RevisionForm
from annotation.papers.pages.papers import extraction_context
from corpus.collections.rules import can_oversee, fetch_membership
from corpus.loading.sources import read_upload
from corpus.models import Membership
from engines.definitions.extractions import (
    BadExtraction,
    content_of_gold,
    gold_of_content,
    with_unexported_parts,
    write_content,
)
from engines.formats.acm_cr import ACM_CR, write_acm_cr
from engines.formats.records import BrokenFile
from engines.text.markdown import render_markdown

STEPS = {"undo": undo_extraction, "redo": redo_extraction}
SCREEN_REQUESTS = ("save", "move", "propose", "read", "search")  # what the screen posts
OF_CAMPAIGN = ("label_guideline", "label_questions", "label_answers_seen")
SKIP_REASONS = (
    gettext_noop("Outside my field: I cannot judge what it cites for what"),
    gettext_noop("The file is broken, or the wrong paper"),
    gettext_noop("Too little was read from the file to work with"),
    gettext_noop("I am an author of this paper, or close to one"),
)


@require_safe
def extraction_queue(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The person's papers in their order, with how far they are."""
    membership, found = own_campaign(request, slug, campaign)
    papers = own_papers(found, membership.user)
    guideline = found.guidelines.first()
    context = campaign_context(membership, found, "", papers=papers, guideline=guideline)
    left = [each for each in papers if each.state not in ("finished", "skipped")]
    context["left"] = len(left)
    context["goes_home"] = papers and not left and not can_oversee(membership)  # others are led on by the guide
    if left and found.state == CampaignState.OPEN:
        context["next_paper"] = left[0]
        context["next_words"] = _("Continue the paper") if left[0].state == "begun" else _("Start the next paper")
    return render(request, "annotation/papers/extraction_queue.html", context)


@require_safe
def extraction_detail(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """One of the person's papers; opening it first begins it from the machine's proposal, HEAD does not."""
    membership, found = own_campaign(request, slug, campaign, pk)
    assignment = _own_assignment(membership, found, pk)
    if request.method == "HEAD":
        return HttpResponse()
    try:
        extraction = begin_extraction(assignment=assignment, by=membership.user, at=timezone.now())
    except NotNow as refusal:
        if refusal.code == "consent":
            return redirect("consent_give", slug)
        raise
    return _show(request, membership, found, extraction)


@require_POST
def extraction_revise(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Store an XML file that the annotator has corrected as a new revision."""
    membership, found = own_campaign(request, slug, campaign, pk)
    extraction = own_extraction(membership, found, pk)
    form = RevisionForm(request.POST, request.FILES)
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            (gold,) = read_upload(ACM_CR.reads["papers"], file.file, file.name)
            corrected = content_of_gold(gold)
            save_extraction(
                extraction=extraction,
                content=write_content(with_unexported_parts(corrected, content_of(extraction))),
                base=form.cleaned_data["base"],
                by=membership.user,
                at=timezone.now(),
                change="corrected XML",
            )
        except NotAllowed:
            raise
        except Refused as refusal:
            form.add_error("file", refusal.reason)
        except BadExtraction as bad:
            form.add_error("file", cannot_be_stored(bad))
        except BrokenFile as broken:  # what reads files speaks English alone
            form.add_error("file", _("The file cannot be read. {reason}").format(reason=broken))
        else:
            messages.success(request, _("File uploaded. Check the result below."))
            return redirect("extraction_detail", slug, campaign, pk)
    return _show(request, membership, found, extraction, form=form)


@require_POST
def extraction_step(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """One step back, or forward again (`step` is undo or redo)."""
    membership, found = own_campaign(request, slug, campaign, pk)
    extraction = own_extraction(membership, found, pk)
    act = STEPS.get(request.POST.get("step", ""), undo_extraction)
    with refusals_in_message(request):
        act(extraction=extraction, by=membership.user, at=timezone.now())
    return redirect("extraction_detail", slug, campaign, pk)


@require_POST
def extraction_finish(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Finish the paper, or reopen it (`reopen`)."""
    membership, found = own_campaign(request, slug, campaign, pk)
    extraction = own_extraction(membership, found, pk)
    by, at = membership.user, timezone.now()
    with refusals_in_message(request):
        if "reopen" in request.POST:
            reopen_extraction(extraction=extraction, by=by, at=at)
        else:
            finish_extraction(extraction=extraction, by=by, at=at, despite="despite" in request.POST)
            messages.success(request, _("The paper is finished."))
            return redirect("extraction_queue", slug, campaign)
    return redirect("extraction_detail", slug, campaign, pk)


@require_POST
def extraction_skip(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Skip the paper with a reason (`reason`, or `text` in one's own words); `again` takes it up again."""
    membership, found = own_campaign(request, slug, campaign, pk)
    assignment = _own_assignment(membership, found, pk)
    by, at = membership.user, timezone.now()
    if "again" in request.POST:
        with refusals_in_message(request):
            take_up_paper(assignment=assignment, by=by, at=at)
            return redirect("extraction_detail", slug, campaign, pk)
        return redirect("extraction_queue", slug, campaign)
    with refusals_in_message(request):
        reason = request.POST.get("text", "").strip() or request.POST.get("reason", "")
        skip_paper(assignment=assignment, reason=reason, by=by, at=at)
        messages.success(request, _("Paper skipped. Your work so far is kept, in case you reopen the paper."))
        return redirect("extraction_queue", slug, campaign)
    return redirect("extraction_detail", slug, campaign, pk)


@require_safe
def extraction_download(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """The person's present state as ACM-CR XML."""
    membership, found = own_campaign(request, slug, campaign, pk)
    extraction = own_extraction(membership, found, pk)
    paper = extraction.paper
    gold = gold_of_content(content_of(extraction), doi=paper.key, title=paper.title, abstract=paper.abstract)
    response = HttpResponse("".join(write_acm_cr(gold)), content_type="application/xml; charset=utf-8")
    name = paper.key.rpartition("/")[2]
    response["Content-Disposition"] = f'attachment; filename="{name.encode("ascii", "ignore").decode()}.xml"'
    return response


def own_campaign(request: HttpRequest, slug: str, campaign: str, pk: int | None = None) -> tuple[Membership, Campaign]:
    """404 for strangers, 403 for members who do not work in the campaign; 404 for both where they ask for one paper.

    A missing role must not reveal which ids exist.
    """
    membership = fetch_membership(request.user, slug)
    found = fetch_campaign(membership, campaign)
    if not found.annotators.filter(user=person_of(request)).exclude(state=AnnotatorState.REMOVED).exists():
        if pk is not None:
            raise Http404
        raise NotAllowed(
            _("You are not among the annotators of {found}. A manager of the collection can add you.").format(
                found=found
            )
        )
    if found.kind_object.judges != Judged.PAPERS:
        raise Refused(_("{found} has no papers: its items are graded, on the labelling screen.").format(found=found))
    return membership, found


def _own_assignment(membership: Membership, campaign: Campaign, pk: int) -> Assignment:
    mine = Assignment.objects.filter(item__campaign=campaign, annotator__user=membership.user_id)
    return get_object_or_404(mine.select_related("item__campaign", "item__paper", "annotator"), pk=pk)


def own_extraction(membership: Membership, campaign: Campaign, pk: int) -> Extraction:
    """The person's own extraction by its assignment; 404 for anybody else's."""
    mine = Extraction.objects.filter(assignment__item__campaign=campaign)
    mine = mine.filter(assignment__annotator__user=membership.user_id)
    return get_object_or_404(
        mine.select_related("paper__collection", "assignment__annotator__campaign__collection"), assignment=pk
    )


def _show(
    request: HttpRequest,
    membership: Membership,
    campaign: Campaign,
    extraction: Extraction,
    *,
    form: RevisionForm | None = None,
) -> HttpResponse:
    """The page; with a form only where it was refused."""
    paper, content = extraction.paper, content_of(extraction)
    state = extraction_data(extraction, content)
    context: dict[str, Any] = campaign_context(
        membership,
        campaign,
        "",
        paper=paper,
        extraction=extraction,
        form=form or RevisionForm(initial={"base": extraction.current}),
        skip_reasons=SKIP_REASONS,
        **extraction_context(paper, content),
    )
    if extraction.state == ExtractionState.FINISHED:
        return render(request, "annotation/papers/extraction_detail.html", context, status=422 if form else 200)
    keys = [membership.collection.slug, campaign.slug, extraction.assignment_id]
    context |= _guideline(extraction, membership.user)
    context |= _asking(membership, campaign, extraction)
    context["data"] = {
        "extraction": extraction.pk,
        "user": membership.user_id,
        "guideline": {"version": context["guideline_version"], "folded": context["guideline_folded"] > 0},
        "asked": context["asked"],
        "assignment": extraction.assignment_id,
        "paperKey": paper.key,
        "state": state,
        "paper": paper_data(paper, content),
        "urls": {name: reverse(f"extraction_{name}", args=keys) for name in SCREEN_REQUESTS}
        | {"page": reverse("extraction_page", args=[*keys, 0]), "label_session": reverse("label_session")}
        | {name: reverse(name, args=keys[:2]) for name in OF_CAMPAIGN}
        | {"account_login": reverse("account_login")},
    }
    return render(request, "annotation/papers/extraction_screen.html", context, status=422 if form else 200)


def _asking(membership: Membership, campaign: Campaign, extraction: Extraction) -> dict[str, Any]:
    """The annotator's questions to the managers about this paper, and the answers."""
    assignment = extraction.assignment
    if assignment is None or assignment.annotator_id is None:  # not theirs: of a person it is
        raise Http404
    page = WorkPage(campaign.kind_object, membership.collection.slug, campaign.slug)
    notes = notes_for(assignment.annotator_id, campaign.pk, page)
    shown = [note for note in notes if note.paper == extraction.paper.key]
    return {"asked": [asdict(note) for note in notes], **asking_context(notes, shown, [(assignment.pk, None)])}


def _guideline(extraction: Extraction, user: User) -> dict[str, Any]:
    """The guideline next to the work; a change since they read it is announced."""
    guideline = newest_guideline(extraction)
    judge = extraction.assignment.annotator if extraction.assignment else None
    version, seen = (guideline.version if guideline else 0), (judge.guideline_seen if judge else 0)
    folded = judge.guideline_folded if judge else 0
    if judge and version and not seen:  # their first visit: nothing has changed since, it is just there
        campaign = judge.campaign
        note_guideline_seen(collection=campaign.collection.slug, campaign=campaign.slug, version=version, by=user)
    return {
        "guideline_version": version,
        "guideline_folded": folded,
        "guideline_open": folded < version,
        "guideline_changed": 0 < seen < version,
        "guideline_changes": changes_since(guideline, seen),
        "guideline_html": render_markdown(guideline.body, headings_from=3) if guideline else "",
    }
