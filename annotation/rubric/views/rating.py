"""The search of the collection next to a question that is being rated."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.refusals import NotHere
from annotation.assignment.reads.participation import fetch_participation
from annotation.assignment.rules import check_can_label
from annotation.labelling.views.answers import answer_json, for_script, person_of
from corpus.documents.reads import (
    HIT_END,
    HIT_START,
    SearchPage,
    has_searchable_words,
    unfinished_indexing,
)
from corpus.documents.similar import similar_documents
from corpus.models import Collection

HITS = 20  # a page: raters go through the first 20
LONGEST_SEARCH = 2_000  # characters: whole questions


@require_safe
@for_script
def label_search(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """A page of the documents most similar to `q`, by any of its words, for people who judge in a rubric now."""
    participation = fetch_participation(collection=slug, campaign=campaign, user=person_of(request))
    if not participation.labelling.takes_extras:
        raise NotHere(f"In a {participation.kind} campaign nothing is searched next to an item.")
    check_can_label(participation)
    words = request.GET.get("q", "").replace("\0", "")[:LONGEST_SEARCH].strip()
    number = request.GET.get("page", "")
    if not words or not has_searchable_words(words):
        return answer_json({"hits": [], "more": False, "words": "Type words that a title or an abstract would have."})
    collection = Collection.objects.get(pk=participation.collection)
    found = similar_documents(
        collection, words, number=int(number) if number.isdecimal() and len(number) < 10 else 1, size=HITS
    )
    return answer_json(
        {"hits": [_hit(hit) for hit in found.hits], "more": found.has_next, "words": _result_words(found, collection)}
    )


def _hit(hit: Any) -> dict[str, Any]:
    about = ", ".join(filter(None, (hit.venue, str(hit.year or ""))))
    return {
        "docno": hit.docno,
        "title": hit.title.replace(HIT_START, "").replace(HIT_END, ""),
        "about": about,
        "extract": _pieces(hit.extract),
    }


def _pieces(text: str) -> list[tuple[str, bool]]:
    """The extract cut into (text, is a hit)."""
    pieces: list[tuple[str, bool]] = []
    for number, part in enumerate(text.split(HIT_START)):
        hit, ended, rest = part.partition(HIT_END) if number else ("", "", part)
        pieces += [(hit, True)] if hit else []
        pieces += [(rest, False)] if rest else []
        if number and not ended:
            pieces.append(("", False))
    return [piece for piece in pieces if piece[0]]


def _result_words(found: SearchPage, collection: Collection) -> str:
    return (
        f"{_count(found)} Some documents are not searchable yet." if unfinished_indexing(collection) else _count(found)
    )


def _count(found: SearchPage) -> str:
    if not found.matches:
        return "No document of the collection has any of these words."
    if found.is_cut:
        return f"The {found.matches:,} documents most similar to these words, the most similar first."
    many = "1 document shares" if found.matches == 1 else f"{found.matches:,} documents share"
    return f"{many} words with this{'' if found.matches == 1 else ', the most similar first'}."
