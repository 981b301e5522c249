"""Papers of a collection, for those who oversee it: the list, and one with all that was extracted from it."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.files.storage import download, files
from accounts.refusal_messages import refusals_in_message
from annotation.kind import Judged
from annotation.labelling.rules import why_cannot_read_labels_of
from annotation.models import Campaign, CampaignState, Extraction, ExtractionSource
from annotation.papers.extracting import settle_doi
from annotation.papers.extractions import docnos_among, with_content
from annotation.papers.gold import HIDDEN, MACHINE, Gold, gold_of_papers
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import fetch_overseer
from corpus.models import Collection, Membership, Paper
from corpus.models.papers import DOUBTFUL_DOI
from engines.definitions.extractions import Content, findings_of, read_content
from engines.definitions.paper_sections import section_states
from engines.formats.papers import is_gold, missing_parts

PER_PAGE = 50
SANDBOX = "sandbox; default-src 'none'"  # what was uploaded runs nothing, whatever it is


@require_safe
def paper_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The papers with the figures of their gold: contexts, and how much of what they cite is in the collection."""
    membership = fetch_overseer(request.user, slug)
    papers = Paper.objects.filter(collection=membership.collection).with_parts()
    papers = papers.defer("blocks", "references", "pages")
    only_doubtful = request.GET.get("doi") == "doubtful"
    if only_doubtful:
        papers = papers.filter(pk__in=_doubtful(membership.collection))
    search = request.GET.get("q", "").strip()
    if search:
        papers = papers.filter(Q(title__icontains=search) | Q(key__icontains=search))
    page = Paginator(papers, PER_PAGE).get_page(request.GET.get("page"))
    reason = _why_cannot_read_labels(membership)
    golds = [_shown_gold(gold) if reason else gold for gold in gold_of_papers(page.object_list, drafts=True)]
    docnos = docnos_among(membership.collection, (value for gold in golds for value in _values(gold)))
    context = collection_context(membership, "papers") | {
        "page": page,
        "rows": [_row(gold, docnos) for gold in golds],
        "search": search,
        "doubtful": _doubtful(membership.collection).count(),
        "only_doubtful": only_doubtful,
        "hidden_reason": reason,
        "extraction": _extraction_campaign(membership.collection),
    }
    return render(request, "annotation/papers/paper_list.html", context)


@require_safe
def paper_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One paper: one of its extractions (`?extraction=`, else its gold), its parsed text, its references."""
    membership = fetch_overseer(request.user, slug)
    paper = _fetch_paper(membership, pk)
    found = with_content(Extraction.objects.filter(paper=paper))
    found = found.select_related("assignment__annotator__campaign", "campaign")
    reason = _why_cannot_read_labels(membership)
    extractions = [each for each in found.order_by("source", "pk") if not reason or _is_open(each, membership)]
    shown = _chosen_extraction(request, paper, extractions)
    content = read_content(shown.content) if shown else None
    context = collection_context(membership, "papers", paper=paper, extractions=extractions, shown=shown)
    context |= {"hidden_reason": reason, "missing": _missing(paper), "key_is_doi": paper.key.startswith("10.")}
    context["extraction"] = _extraction_campaign(paper.collection)
    if content is not None:
        context |= extraction_context(paper, content)
        context["is_proposal"] = shown.source == ExtractionSource.MACHINE
        context["where"] = shown.assignment.annotator.campaign if shown.assignment else shown.campaign
        if shown.source == ExtractionSource.IMPORTED:  # they come with the gold
            context["notes"] = paper.reference_notes
    return render(request, "annotation/papers/paper_detail.html", context)


@require_POST
def paper_doi(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Set the DOI of the paper: one of those found, another one, or none."""
    membership = fetch_overseer(request.user, slug)
    paper = _fetch_paper(membership, pk)
    doi = request.POST.get("other" if request.POST.get("doi") == "other" else "doi", "")
    with refusals_in_message(request):
        paper = settle_doi(paper=paper, doi=doi, by=membership.user, at=timezone.now())
        messages.success(request, f"DOI saved: {paper.doi}." if paper.doi else "Saved: none of these is its DOI.")
    return redirect("paper_detail", slug, pk)


@require_safe
def paper_file(request: HttpRequest, slug: str, pk: int) -> FileResponse:
    """The file as it came in, as a download."""
    paper = _fetch_paper(fetch_overseer(request.user, slug), pk)
    if not paper.file.name or not files.exists(paper.file.name):
        raise Http404
    response = download(paper.file.name, paper.file_name or "paper")
    if not paper.is_pdf:
        response["Content-Type"] = "application/xml"
    response["Content-Security-Policy"] = SANDBOX
    return response


def extraction_context(paper: Paper, content: Content) -> dict[str, Any]:
    """The context of the fragment that shows an extraction, for annotators and for people who oversee them."""
    docnos = docnos_among(paper.collection, content.values.values())
    sections = section_states(paper.blocks, content)
    inside = {number for number, value in content.values.items() if value in docnos}
    return {
        "content": content,
        "docnos": docnos,
        "inside": inside,
        "coverage": (len(inside), len(content.references)),
        "findings": findings_of(content),
        "sections": sections,
        "outside": sum(len(each.outside) for each in sections),
    }


def _extraction_campaign(collection: Collection) -> Campaign | None:
    """Where papers are worked on: the newest campaign of papers, an open one before a draft, a closed one last."""
    campaigns = collection.campaigns.judging(Judged.PAPERS).order_by("-pk")
    order = [CampaignState.OPEN, CampaignState.DRAFT, CampaignState.CLOSED]
    return min(campaigns, key=lambda each: order.index(CampaignState(each.state)), default=None)


def _why_cannot_read_labels(membership: Membership) -> str:
    """Why the person may see neither others' extractions nor the gold now (they still have papers), or ""."""
    campaigns = membership.collection.campaigns.judging(Judged.PAPERS)
    return why_cannot_read_labels_of(campaigns, membership.user)


def _is_open(extraction: Extraction, membership: Membership) -> bool:
    """Whether the person may see it in any case: the machine's proposal, and their own."""
    annotator = extraction.assignment.annotator if extraction.assignment else None
    is_own = annotator is not None and annotator.user_id == membership.user_id
    return extraction.source == ExtractionSource.MACHINE or is_own


def _shown_gold(gold: Gold) -> Gold:
    """The gold where it is the machine's proposal, else nothing, without the reason."""
    return gold if gold.status == MACHINE else replace(gold, extraction=None, content=None, status=HIDDEN)


def _chosen_extraction(request: HttpRequest, paper: Paper, extractions: list[Any]) -> Any:
    """The extraction in the address, else the gold, else the first; None where there is none."""
    chosen = request.GET.get("extraction", "")
    for each in extractions:
        if str(each.pk) == chosen:
            return each
    (gold,) = gold_of_papers([paper], drafts=True)
    counts = gold.extraction.pk if gold.extraction else None
    return next((each for each in extractions if each.pk == counts), extractions[0] if extractions else None)


def _doubtful(collection: Collection) -> QuerySet[Paper]:
    """The papers whose DOI is in doubt."""
    open_doubt = [{"code": DOUBTFUL_DOI, "settled": False}]
    return Paper.objects.filter(collection=collection, warnings__contains=open_doubt)


def _values(gold: Gold) -> list[str | None]:
    return [each.value for each in gold.content.references] if gold.content else []


def _row(gold: Gold, docnos: frozenset[str]) -> dict[str, Any]:
    content = gold.content or Content()
    return {
        "gold": gold,
        "missing": _missing(gold.paper),
        "contexts": len(content.contexts),
        "sentences": sum(len(each.sentences) for each in content.contexts),
        "references": len(content.references),
        "inside": sum(value in docnos for value in _values(gold)),
    }


def _missing(paper: Any) -> tuple[str, ...]:
    """What was not found in the paper's file; gold comes without text, so nothing is missing there."""
    if is_gold(paper.source):
        return ()
    return missing_parts(has_text=paper.has_text, has_sections=paper.has_sections, has_references=paper.has_references)


def _fetch_paper(membership: Membership, pk: int) -> Paper:
    papers = Paper.objects.with_parts().select_related("collection")
    return get_object_or_404(papers, collection=membership.collection, pk=pk)
