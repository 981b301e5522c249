"""Requests of the extraction screen: JSON for one person's work on one paper, and pictures of its pages."""

import json
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any

from django.core.files.base import ContentFile
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.edge import body_of
from accounts.files.storage import files
from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.models import Extraction
from annotation.papers.extracting import save_steps
from annotation.papers.extraction_screen import extraction_data, found_json, newest_guideline, readings_data
from annotation.papers.extractions import content_of
from annotation.papers.pages.extractions import STEPS, own_campaign, own_extraction
from annotation.papers.references import (
    exact_documents,
    find_documents,
    fitting_works,
    reference_of_words,
    references_of,
)
from annotation.papers.registries import ask_now
from corpus.loading.uploads import pictures_of
from corpus.models import Paper
from engines.definitions.block_contexts import context_of_block, next_context_id, readings_of
from engines.definitions.extraction_steps import MOST_STEPS, new_texts
from engines.definitions.extractions import Content, write_content
from engines.pdf.child import ExtractionFailed
from engines.pdf.worker import render_page

PAGE_WIDTH = 1200  # pixels
LONGEST_SENTENCE = 20_000
LONGEST_QUERY = 1_000  # characters that somebody types to look a reference up
MALFORMED = gettext_lazy("The request was not understood. Reload the page.")


class MalformedWork(Exception):
    """The request is not JSON of the form that the screen sends."""


def json_answer(answer: Callable[..., JsonResponse]) -> Callable[..., JsonResponse]:
    """Answer 400 where the request is Malformed, and 403 or 422 with the reason where it is refused."""

    @wraps(answer)
    def wrapped(*args: Any) -> JsonResponse:
        try:
            return answer(*args)
        except MalformedWork:
            return JsonResponse({"reason": MALFORMED}, status=400)
        except Refused as refusal:
            return JsonResponse({"reason": refusal.reason}, status=403 if isinstance(refusal, NotAllowed) else 422)

    return wrapped


@require_POST
def extraction_save(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """Store edits made one after the other from the revision `base`, each as a revision."""
    extraction = _fetch(request, slug, campaign, pk)
    return answer_save(request, extraction, partial(save_steps, extraction=extraction))


@require_POST
def extraction_move(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """One step back or forward again from the revision `base`; answers with the state that is now current."""
    extraction = _fetch(request, slug, campaign, pk)
    return answer_move(request, extraction, {name: partial(act, extraction=extraction) for name, act in STEPS.items()})


@require_POST
def extraction_propose(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """The contexts that blocks of the paper would make, with their cleaning; stores nothing."""
    return answer_propose(request, _fetch(request, slug, campaign, pk))


@require_POST
def extraction_read(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """The references that a sentence cites, and the sentence without names of authors; stores nothing."""
    return answer_read(request, _fetch(request, slug, campaign, pk).paper)


@require_POST
def extraction_search(request: HttpRequest, slug: str, campaign: str, pk: int) -> JsonResponse:
    """Documents and registered publications that references may be; stores nothing."""
    return answer_search(request, _fetch(request, slug, campaign, pk).paper)


@json_answer
def answer_save(request: HttpRequest, extraction: Extraction, save: Callable[..., Extraction]) -> JsonResponse:
    """Save the steps in the request by `save(steps=, base=, by=, at=)`; answers also with readings of new sentences."""
    body = _request_json(request)
    base, steps = body.get("base"), body.get("steps")
    if type(base) is not int or not isinstance(steps, list) or not 0 < len(steps) <= MOST_STEPS:
        raise MalformedWork
    try:
        saved = save(steps=steps, base=base, by=_person(request), at=timezone.now())
    except Conflict as conflict:
        return _clash(extraction, conflict)
    guideline = newest_guideline(saved)
    more = {
        "guideline": guideline.version if guideline else 0,
        "readings": readings_data(extraction.paper, new_texts(steps)),
    }
    return JsonResponse({**extraction_data(saved, with_content=False), **more})


@json_answer
def answer_move(
    request: HttpRequest, extraction: Extraction, steps: Mapping[str, Callable[..., Extraction]]
) -> JsonResponse:
    """Take one of the steps, each `(base=, by=, at=)`."""
    body = _request_json(request)
    act, base = steps.get(str(body.get("step"))), body.get("base")
    if act is None or type(base) not in (int, type(None)):
        raise MalformedWork
    try:
        moved = act(base=base, by=_person(request), at=timezone.now())
    except Conflict as conflict:
        return _clash(extraction, conflict)
    return JsonResponse(extraction_data(moved))


@json_answer
def answer_propose(request: HttpRequest, extraction: Extraction) -> JsonResponse:
    """The contexts that the blocks in the request would make, each with its cleaning."""
    paper, numbers = extraction.paper, _request_json(request).get("blocks")
    if not isinstance(numbers, list) or not numbers or any(type(each) is not int for each in numbers):
        raise MalformedWork
    blocks = {each["id"]: each for each in paper.blocks}
    if not blocks.keys() >= set(numbers):
        raise Refused(_("The paper has no such block."))
    first = int(next_context_id(content_of(extraction)))
    found = [
        context_of_block(blocks[number], paper.references, f"{place:02}")
        for place, number in enumerate(dict.fromkeys(numbers), first)
    ]
    contexts = write_content(Content(tuple(context for context, _ in found)))["contexts"]
    proposals = zip(contexts, (pieces for _, pieces in found), strict=True)
    texts = [sentence["text"] for context in contexts for sentence in context["sentences"]]
    shown = [{"context": context, "cleaning": pieces} for context, pieces in proposals]
    return JsonResponse({"proposals": shown, "readings": readings_data(paper, texts)})


@json_answer
def answer_read(request: HttpRequest, paper: Paper) -> JsonResponse:
    """The reading of the sentence in the request."""
    text = _request_json(request).get("text")
    if not isinstance(text, str) or len(text) > LONGEST_SENTENCE:
        raise MalformedWork
    return JsonResponse(readings_of([text], paper.blocks, paper.references)[text])


@json_answer
def answer_search(request: HttpRequest, paper: Paper) -> JsonResponse:
    """What reference `number` may be, by its title and year or by `words`; or exact matches of all `numbers`."""
    body = _request_json(request)
    words, numbers = body.get("words", ""), body.get("numbers", [body.get("number")])
    if not isinstance(words, str) or not isinstance(numbers, list) or not all(type(n) is str for n in numbers):
        raise MalformedWork
    entries = references_of(paper)
    if "numbers" in body:
        exact = exact_documents(paper.collection, [entries[number] for number in numbers if number in entries])
        found = {number: found_json(number, entries[number].title, [each]) for number, each in exact.items()}
        return _found(found, [])
    (number,) = numbers
    entry = entries.get(number)
    reference = reference_of_words(words[:LONGEST_QUERY]) if words.strip() else entry
    if reference is None:
        raise Refused(_("The paper has no reference {number}. Type words of its title instead.").format(number=number))
    works, failures = ask_now(reference)
    both = [*find_documents(paper.collection, reference), *fitting_works(reference, works)]
    printed = (entry.title or entry.raw) if entry else ""
    return _found({number: found_json(number, printed, both)}, failures)


def _found(found: Mapping[str, tuple[list[str], dict[str, Any]]], failures: list[str]) -> JsonResponse:
    names = {number: docnos for number, (docnos, __) in found.items()}
    documents: dict[str, Any] = {}
    for __, shown in found.values():
        for docno, each in shown.items():
            pieces = {**documents.get(docno, {}).get("pieces", {}), **each["pieces"]}
            documents[docno] = {**each, "pieces": pieces}
    return JsonResponse({"found": names, "documents": documents, "failures": failures})


@require_safe
def extraction_page(request: HttpRequest, slug: str, campaign: str, pk: int, page: int) -> HttpResponse:
    """The picture of a page of the person's paper."""
    return page_picture(request, _fetch(request, slug, campaign, pk).paper, page)


def page_picture(request: HttpRequest, paper: Paper, page: int) -> HttpResponse:
    """A page as WebP, drawn once by a guarded process and kept next to the file. 404 where there is no such page.

    The browser keeps it and asks each time whether it may still be shown; it is sent once.
    """
    if not paper.is_pdf or not paper.file.name or not 1 <= page <= len(paper.pages):
        raise Http404
    if not files.exists(paper.file.name):
        raise Http404(_("The file of this paper is no longer stored."))
    etag = f'"{paper.sha256}-{page}-{PAGE_WIDTH}"'
    response = get_conditional_response(request, etag) or HttpResponse(_drawn(paper, page), content_type="image/webp")
    response["ETag"], response["Cache-Control"] = etag, "private, no-cache"
    return response


def _drawn(paper: Paper, page: int) -> bytes:
    stored = str(paper.file.name)
    name = f"{pictures_of(stored)}/{page}-{PAGE_WIDTH}.webp"
    if files.exists(name):
        return b"".join(files.pieces(name))
    try:
        with files.local(stored, paper.sha256) as path:
            picture = render_page(path, page, width=PAGE_WIDTH)
    except ExtractionFailed as failed:
        raise Http404(failed.reason) from failed
    files.save(name, ContentFile(picture))
    return picture


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
        body = json.loads(body_of(request))
    except (ValueError, RecursionError) as error:
        raise MalformedWork from error
    if not isinstance(body, dict):
        raise MalformedWork
    return body
