"""A paper of several annotators as commands and the API give it: what differs, who says what, what was taken."""

from typing import Any

from adjudication.papers.paper_view import Choice, DifferenceView, PaperView, SentenceView, fetch_paper_view
from adjudication.papers.papers import PaperCase
from engines.definitions.extractions import findings_of


def case_as_json(case: PaperCase) -> dict[str, Any]:
    """The paper as the screen shows it, without what all versions share. Versions have letters, never names."""
    view = fetch_paper_view(case)
    assert case.item.paper is not None  # noqa: S101 - items of extraction campaigns are papers
    return {
        "item": case.item.pk,
        "paper": case.item.paper.key,
        "title": case.item.paper.title,
        "state": case.state,
        "seen": case.seen,
        "versions": [{"letter": side.letter, "is_late": side.is_late} for side in case.sides],
        "undecided": view.undecided,
        "differences": _differences(view),
        "edited": sorted(case.by_hand),
        "findings": [str(each.text) for each in findings_of(case.result)],
    }


def _differences(view: PaperView) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for paragraph in view.paragraphs:
        parts = [part.difference for part in paragraph.parts if part.difference is not None]
        found += [_difference(each, paragraph.id) for each in (*paragraph.differences, *parts)]
    entries = [(entry.difference, entry.reference.number) for entry in view.entries]
    return found + [_difference(each, number) for each, number in entries if each is not None]


def _difference(one: DifferenceView, where: str) -> dict[str, Any]:
    """`where` is the paragraph, or the number of the reference."""
    return {
        "difference": one.name,
        "number": one.number,
        "kind": one.kind,
        "where": where,
        "differs_in": list(one.marks),
        "state": one.state,
        "variants": [_variant(one.kind, each) for each in one.choices],
    }


def _variant(kind: str, one: Choice) -> dict[str, Any]:
    reference = one.reference
    return {
        "variant": one.name,
        "versions": list(one.letters),
        "is_chosen": one.is_chosen,
        "is_context": one.is_context if kind == "context" else None,
        "sentences": [_sentence(each) for each in one.sentences],
        "section": one.text if kind == "section" else None,
        "reference": {"text": reference.raw, "identifier": reference.value, "kind": one.kind} if reference else None,
    }


def _sentence(one: SentenceView) -> dict[str, Any]:
    text = "".join(text for text, _ in one.pieces)
    return {"text": text, "cites": [cite for cite, _ in one.cites], "anonymised": one.anonymised}
