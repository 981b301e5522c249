"""What the extraction screen asks for and sends: JSON for one person's work on one paper, and pictures of its pages."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.edge import body_of
from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.definitions.block_contexts import context_of_block, next_context_id, readings_of
from annotation.definitions.extraction_steps import MOST_STEPS, new_texts
from annotation.definitions.extractions import Content, write_content
from annotation.models import Extraction
from annotation.papers.actions.extractions import redo_extraction, save_steps, undo_extraction
from annotation.papers.jobs.registries import ask_now
from annotation.papers.reads.extraction_screen import extraction_data, found_json, newest_guideline, readings_data
from annotation.papers.reads.extractions import content_of
from annotation.papers.reads.reference_search import (
    exact_documents,
    find_documents,
    fitting_works,
    reference_of_words,
    references_of,
)
from annotation.papers.views.extractions import own_campaign, own_extraction
from corpus.models import Paper
from corpus.pdf.worker import ExtractionFailed, render_page

PAGE_WIDTH = 1200  # pixels
LONGEST_SENTENCE = 20_000
LONGEST_QUERY = 1_000  # characters that somebody types to look a reference up
STEPS = {"undo": undo_extraction, "redo": redo_extraction}


class Malformed(Exception):
    """The request is no JSON of the form that the screen sends."""


@never_cache
@require_POST
def extraction_save(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """Store edits made one after the other from the revision `base`, each as a revision."""
    extraction = _fetch(request, slug, campaign, pk)
    return answer_save(request, extraction, partial(save_steps, extraction=extraction))


@never_cache
@require_POST
def extraction_move(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """One step back or forward again from the revision `base`; answers with the state that is now current."""
    extraction = _fetch(request, slug, campaign, pk)
    return answer_move(request, extraction, {name: partial(act, extraction=extraction) for name, act in STEPS.items()})


@never_cache
@require_POST
def extraction_propose(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """The contexts that blocks of the paper would make, with their cleaning; stores nothing."""
    return answer_propose(request, _fetch(request, slug, campaign, pk))


@never_cache
@require_POST
def extraction_read(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """What a sentence cites and how it reads without the names of the cited; stores nothing."""
    return answer_read(request, _fetch(request, slug, campaign, pk).paper)


@never_cache
@require_POST
def extraction_search(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """Documents and registered publications that references may be; stores nothing."""
    return answer_search(request, _fetch(request, slug, campaign, pk).paper)


def answer_save(request: HttpRequest, extraction: Extraction, save: Callable[..., Extraction]) -> JsonResponse:
    """Save what the screen sent by `save(steps=, base=, by=, at=)`; answers with the readings of new sentences too."""
    try:
        sent = _request_json(request)
        base, steps = sent.get("base"), sent.get("steps")
        if type(base) is not int or not isinstance(steps, list) or not 0 < len(steps) <= MOST_STEPS:
            raise Malformed
        saved = save(steps=steps, base=base, by=_person(request), at=timezone.now())
    except Malformed:
        return _malformed()
    except Conflict as conflict:
        return _clash(extraction, conflict)
    except Refused as refusal:
        return JsonResponse({"reason": refusal.reason}, status=403 if isinstance(refusal, NotAllowed) else 422)
    guideline = newest_guideline(saved)
    more = {
        "guideline": guideline.version if guideline else 0,
        "readings": readings_data(extraction.paper, new_texts(steps)),
    }
    return JsonResponse({**extraction_data(saved, with_content=False), **more})


def answer_move(
    request: HttpRequest, extraction: Extraction, steps: Mapping[str, Callable[..., Extraction]]
) -> JsonResponse:
    """Carry out one of the steps, each `(base=, by=, at=)`."""
    try:
        sent = _request_json(request)
        act, base = steps.get(str(sent.get("step"))), sent.get("base")
        if act is None or type(base) not in (int, type(None)):
            raise Malformed
    except Malformed:
        return _malformed()
    try:
        moved = act(base=base, by=_person(request), at=timezone.now())
    except Conflict as conflict:
        return _clash(extraction, conflict)
    except Refused as refusal:
        return JsonResponse({"reason": refusal.reason}, status=403 if isinstance(refusal, NotAllowed) else 422)
    return JsonResponse(extraction_data(moved))


def answer_propose(request: HttpRequest, extraction: Extraction) -> JsonResponse:
    """The contexts that the blocks asked for would make, each with its cleaning."""
    paper = extraction.paper
    try:
        wanted = _request_json(request).get("blocks")
    except Malformed:
        return _malformed()
    blocks = {each["id"]: each for each in paper.blocks}
    if not isinstance(wanted, list) or not wanted or any(type(each) is not int for each in wanted):
        return _malformed()
    if not blocks.keys() >= set(wanted):
        return JsonResponse({"reason": "The paper has no such block."}, status=422)
    first = int(next_context_id(content_of(extraction)))
    made = [
        context_of_block(blocks[number], paper.references, f"{place:02}")
        for place, number in enumerate(dict.fromkeys(wanted), first)
    ]
    contexts = write_content(Content(tuple(context for context, _ in made)))["contexts"]
    proposals = zip(contexts, (pieces for _, pieces in made), strict=True)
    texts = [sentence["text"] for context in contexts for sentence in context["sentences"]]
    shown = [{"context": context, "cleaning": pieces} for context, pieces in proposals]
    return JsonResponse({"proposals": shown, "readings": readings_data(paper, texts)})


def answer_read(request: HttpRequest, paper: Paper) -> JsonResponse:
    """What the sentence asked about cites."""
    try:
        text = _request_json(request).get("text")
    except Malformed:
        return _malformed()
    if not isinstance(text, str) or len(text) > LONGEST_SENTENCE:
        return _malformed()
    return JsonResponse(readings_of([text], paper.blocks, paper.references)[text])


def answer_search(request: HttpRequest, paper: Paper) -> JsonResponse:
    """What `number` may be, by its own title and year or by `words`; or exact matches of all `numbers` in one go."""
    try:
        sent = _request_json(request)
        words, numbers = sent.get("words", ""), sent.get("numbers", [sent.get("number")])
        if not isinstance(words, str) or not isinstance(numbers, list) or not all(type(n) is str for n in numbers):
            raise Malformed
    except Malformed:
        return _malformed()
    entries = references_of(paper)
    if "numbers" in sent:
        exact = exact_documents(paper.collection, [entries[number] for number in numbers if number in entries])
        found = {number: found_json(number, entries[number].title, [each]) for number, each in exact.items()}
        return _found(found, [])
    (number,) = numbers
    entry = entries.get(number)
    reference = reference_of_words(words[:LONGEST_QUERY]) if words.strip() else entry
    if reference is None:
        return JsonResponse({"reason": f"The paper prints no entry {number}. Type words of its title."}, status=422)
    works, failures = ask_now(reference)
    both = [*find_documents(paper.collection, reference), *fitting_works(reference, works)]
    printed = (entry.title or entry.raw) if entry else ""
    return _found({number: found_json(number, printed, both)}, failures)


def _found(found: Mapping[str, tuple[list[str], dict[str, Any]]], failures: list[str]) -> JsonResponse:
    names = {number: docnos for number, (docnos, _) in found.items()}
    documents: dict[str, Any] = {}
    for _, shown in found.values():
        for docno, each in shown.items():
            pieces = {**documents.get(docno, {}).get("pieces", {}), **each["pieces"]}
            documents[docno] = {**each, "pieces": pieces}
    return JsonResponse({"found": names, "documents": documents, "failures": failures})


@require_safe
@cache_control(private=True, max_age=86_400)
def extraction_page(request: HttpRequest, slug: str, campaign: str, pk: int, page: int) -> HttpResponse:
    """The picture of a page of the person's paper."""
    return page_picture(_fetch(request, slug, campaign, pk).paper, page)


def page_picture(paper: Paper, page: int) -> HttpResponse:
    """A page as WebP, drawn once by a guarded process and kept next to the file. 404 where there is no such page."""
    if not paper.is_pdf or not paper.file.name or not 1 <= page <= len(paper.pages):
        raise Http404
    if not default_storage.exists(paper.file.name):
        raise Http404("The file of this paper is no longer stored.")
    name = f"{paper.file.name}.pages/{page}-{PAGE_WIDTH}.webp"
    if default_storage.exists(name):
        with default_storage.open(name) as kept:
            return HttpResponse(kept.read(), content_type="image/webp")
    try:
        picture = render_page(Path(paper.file.path), page, width=PAGE_WIDTH)
    except ExtractionFailed as failed:
        raise Http404(failed.reason) from failed
    default_storage.save(name, ContentFile(picture))
    return HttpResponse(picture, content_type="image/webp")


def _fetch(request: HttpRequest, slug: str, campaign: str, pk: int) -> Extraction:
    membership, found = own_campaign(request, slug, campaign, pk)
    return own_extraction(membership, found, pk)


def _clash(extraction: Extraction, conflict: Conflict) -> JsonResponse:
    extraction.refresh_from_db()
    return JsonResponse({"reason": conflict.reason, **extraction_data(extraction)}, status=409)


def _person(request: HttpRequest) -> Any:
    return request.user


def _request_json(request: HttpRequest) -> dict[str, Any]:
    try:
        sent = json.loads(body_of(request))
    except (ValueError, RecursionError) as error:
        raise Malformed from error
    if not isinstance(sent, dict):
        raise Malformed
    return sent


def _malformed() -> JsonResponse:
    return JsonResponse({"reason": "The request is not what this screen sends. Reload the page."}, status=400)
