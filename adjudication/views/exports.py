"""What a collection gives out: findings of the validator first, then files as streams."""

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.refusals import Refused
from adjudication.actions.exports import take_out
from adjudication.exports.files import sent_name
from adjudication.exports.findings import Finding, find
from adjudication.exports.options import (
    BEIR_KINDS,
    BY_SUB_QUERY,
    CONTEXT_LEVELS,
    EVERY,
    GRADES,
    ITERATIONS,
    JUDGED,
    JUDGED_LEVELS,
    KINDS,
    PREFIX_WORDS,
    QUESTION_KINDS,
    is_summed,
    make_options,
    whole_number,
)
from adjudication.exports.sources import labelled_campaigns
from adjudication.permissions import check_can_take_out
from annotation.models import CampaignKind
from corpus.models import Membership
from corpus.permissions import check_can_oversee, fetch_membership

SUGGESTED = ("q", "d")  # prefixes of ids of queries and documents
CHOICES = ("campaign", "criterion", "level", "grades", "unresolved", "aspects")
JUDGED_NAMES = [name for name, kind in KINDS.items() if not kind.contexts and not kind.questions]


@require_safe
def export_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Every kind of file with what stands in its way under the chosen options."""
    membership = fetch_membership(request.user, slug)
    check_can_oversee(membership)
    collection = membership.collection
    campaigns = list(collection.campaigns.exclude(kind=CampaignKind.EXTRACTION).order_by("name"))
    chosen = _chosen(request)
    if not chosen["campaign"] and campaigns:
        chosen["campaign"] = campaigns[0].slug
    memo: dict[Any, Any] = {}
    campaign = next((one for one in campaigns if one.slug == chosen["campaign"]), None)
    context = {
        "collection": collection,
        "membership": membership,
        "tab": "exports",
        "campaigns": campaigns,
        "campaign": campaign,
        "criteria": campaign.criteria.all() if campaign else [],
        "chosen": chosen,
        "has_sub_queries": collection.sub_queries.exists(),
        "grade_choices": [("sum", "sum over aspects"), ("binary", "mean of 1 or more"), ("mean", "mean, rounded")],
        "offers": [_offer(membership, name, _words(name, chosen), memo) for name in JUDGED_NAMES],
        "question_offers": [_offer(membership, kind.name, _words(kind.name, chosen), memo) for kind in QUESTION_KINDS],
        "context_offers": _context_offers(membership, request) if collection.papers.exists() else [],
        "iterations": [("reference", "the reference's number"), ("zero", "0")],
        "context_chosen": _context_words(request),
    }
    return render(request, "adjudication/export_list.html", context)


@require_safe
def export_download(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """The file as a stream, for all who may see labels; 422 with every reason that stands in its way."""
    membership = fetch_membership(request.user, slug)
    check_can_oversee(membership)
    if name not in KINDS:
        raise Refused(f"There is no export “{name}”.")
    is_context = KINDS[name].contexts or request.GET.get("level") in CONTEXT_LEVELS
    words = _context_options(request) if is_context else _words(name, _chosen(request))
    if name in BEIR_KINDS:
        words |= {word: request.GET[word] for word in PREFIX_WORDS if word in request.GET}
    options = make_options(membership.collection, name, **words)
    logged = request.method == "GET"
    export = take_out(options=options, membership=membership, at=timezone.now(), chosen=words, logged=logged)
    answer = StreamingHttpResponse(export.pieces, content_type=export.content_type)
    answer["Content-Disposition"] = f'attachment; filename="{export.filename}"'
    answer["X-Accel-Buffering"] = "no"
    return answer


def _chosen(request: HttpRequest) -> dict[str, Any]:
    found: dict[str, Any] = {name: request.GET.get(name, "") for name in CHOICES}
    found["annotators"] = request.GET.get("annotators") == "1"
    found["grades"] = found["grades"] if found["grades"] in GRADES else "sum"
    found["level"] = found["level"] if found["level"] in JUDGED_LEVELS else "query"
    found["aspects"] = JUDGED if found["aspects"] == JUDGED else EVERY
    found["unresolved"] = "skip" if found["unresolved"] == "skip" else "refuse"
    return found


def _context_words(request: HttpRequest) -> dict[str, str]:
    """The options of citation contexts as they stand in the address; what makes no sense is left out."""
    iteration, first = request.GET.get("iteration", ""), request.GET.get("first_number", "").strip()
    return {
        "iteration": iteration if iteration in ITERATIONS else "reference",
        "first_number": first if first.isascii() and first.isdigit() and len(first) < 10 else "",
        "drafts": "1" if request.GET.get("drafts") == "1" else "",
    }


def _context_options(request: HttpRequest) -> dict[str, Any]:
    words: dict[str, Any] = dict(_context_words(request))
    level = request.GET.get("level", "")
    words |= {"drafts": bool(words["drafts"]), "first_number": whole_number(words["first_number"])}
    return words | ({"level": level} if level in CONTEXT_LEVELS else {})


def _context_offers(membership: Membership, request: HttpRequest) -> list[dict[str, Any]]:
    """Topics and qrels of paragraphs and sentences, the XML files, and the list of papers."""
    words = _context_options(request) | {"level": "query"}
    wanted = [(name, level) for level in CONTEXT_LEVELS for name in ("topics", "qrels")]
    offers = []
    for name, level in [*wanted, ("acm-cr", ""), ("blacklist", "")]:
        label = f"{KINDS[name].label} of {level}s" if level else KINDS[name].label
        offer = _offer(membership, name, {**words, "level": level or "query"}, {})
        offers.append(offer | {"label": label, "level": level})
    return offers


def _words(name: str, chosen: dict[str, Any]) -> dict[str, Any]:
    """The options that this kind of file knows."""
    level = chosen["level"] if chosen["level"] != "sub-query" or name in BY_SUB_QUERY else "query"
    aspects = chosen["aspects"] if is_summed(name, level) else EVERY
    return {
        **chosen,
        "level": level,
        "aspects": aspects,
        "annotators": chosen["annotators"] and name == "qrels" and level != "sub-query",
    }


def _offer(membership: Membership, name: str, words: dict[str, Any], memo: dict[Any, Any]) -> dict[str, Any]:
    """One kind of file: its findings, and why it cannot be written if it cannot."""
    try:
        options = make_options(membership.collection, name, **words)
        check_can_take_out(membership, labelled_campaigns(options))
    except Refused as refusal:
        return {"kind": KINDS[name], "findings": [], "reason": refusal.reason}
    findings = find(options, memo)
    fatal = " ".join(finding.text for finding in findings if finding.is_fatal)
    offer = {"kind": KINDS[name], "findings": findings, "reason": fatal, "filename": sent_name(options, findings)}
    if name in BEIR_KINDS and (options.query_prefix or options.document_prefix or _is_same(findings)):
        sent = {word: "1" if value is True else value for word, value in words.items() if value}
        prefixes = (options.query_prefix or SUGGESTED[0], options.document_prefix or SUGGESTED[1])
        offer |= {"prefixes": prefixes, "words": sent}
    return offer


def _is_same(findings: list[Finding]) -> bool:
    """Whether queries and documents share ids, so that prefixes help."""
    return any(finding.code == "same_id" for finding in findings)
