"""Contexts that blocks of a paper would make, and readings of sentences, for the extraction screen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from difflib import SequenceMatcher
from typing import Any

from engines.definitions.extractions import Content, ExtractedContext, ExtractedSentence
from engines.formats.papers import Reference
from engines.pdf.sentences import sentence_spans
from engines.pdf.texts import read_sentence

_WORDS = re.compile(r"\s+|[\w'’]+|[^\w\s]")


def without_proposals(content: Content) -> Content:
    """Return the content without proposals to anonymise, with sentences as printed: nobody has seen the proposals."""

    def as_printed(context: ExtractedContext) -> ExtractedContext:
        sentences = (ExtractedSentence(each.original or each.text, each.cites) for each in context.sentences)
        return replace(context, sentences=tuple(sentences))

    return replace(content, contexts=tuple(map(as_printed, content.contexts)))


def numbers_by_key(entries: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the numbers of a paper's stored references by the keys that its blocks use."""
    return {entry.get("key", entry["number"]): entry["number"] for entry in entries}


def stored_references(entries: Iterable[Mapping[str, Any]]) -> list[Reference]:
    """Return the references of a paper's stored list, keyed by the numbers that extractions use."""
    return [
        Reference(
            key=entry["number"],
            title=entry.get("title", ""),
            authors=tuple(entry.get("authors", ())),
            venue=entry.get("venue", ""),
            year=entry.get("year"),
            ids=dict(entry.get("ids", {})),
            raw=entry.get("raw", ""),
        )
        for entry in entries
    ]


def context_of_block(
    block: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], number: str
) -> tuple[ExtractedContext, list[tuple[str, str]]]:
    """Return the context that a stored block would make, and its cleaning as pieces (same | removed | added, text)."""
    numbers = numbers_by_key(entries)
    text = block.get("text", "")
    references = stored_references(entries)
    sentences = tuple(
        _sentence(text[start:end], cites, numbers, references) for start, end, cites in _sentence_spans(block)
    )
    context = ExtractedContext(number, block.get("part", ""), sentences, (block["id"],))
    return context, cleaning(block.get("printed") or text, text)


def _sentence_spans(block: Mapping[str, Any]) -> list[tuple[int, int, list[str] | None]]:
    stored = block.get("sentences", [])
    if stored:
        return [(each.get("start", 0), each["end"], each.get("cites", [])) for each in stored]
    return [(start, end, None) for start, end in sentence_spans(block.get("text", ""))]


def _sentence(
    text: str, cites: list[str] | None, numbers: Mapping[str, str], references: list[Reference]
) -> ExtractedSentence:
    if cites is None:
        return ExtractedSentence(text, read_sentence(text, references).cites)
    return ExtractedSentence(text, tuple(numbers[key] for key in cites if key in numbers))


def readings_of(
    texts: Iterable[str], blocks: Iterable[Mapping[str, Any]], entries: Sequence[Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return what each sentence cites and the proposal for it, as the screen needs them.

    A sentence as printed has the proposal that was made from the whole paper, where names without a number are known;
    any other sentence is read alone. Numbers are those of the stored references.
    """
    printed = {
        block["text"][each.get("start", 0) : each["end"]]: each
        for block in blocks
        for each in block.get("sentences", ())
    }
    by_key = numbers_by_key(entries)
    by_number = {entry["number"]: entry["number"] for entry in entries}
    references = stored_references(entries)
    return {
        text: _reading(printed[text], by_key)
        if text in printed
        else _reading(asdict(read_sentence(text, references)), by_number)
        for text in texts
    }


def _reading(sentence: Mapping[str, Any], numbers: Mapping[str, str]) -> dict[str, Any]:
    def known(keys: Iterable[str]) -> list[str]:
        return [numbers[key] for key in keys if key in numbers]

    cites = known(sentence.get("cites", ()))
    return {
        "cites": cites,
        "anonymised": sentence.get("anonymised", ""),
        "anonymised_cites": known(sentence.get("anonymised_cites", ())) or cites,
        "cuts": [{"text": cut["text"], "put": cut.get("put", "")} for cut in sentence.get("cuts", ())],
    }


def cleaning(printed: str, cleaned: str) -> list[tuple[str, str]]:
    """Return how cleaning changed the text, except for line ends, as pieces of kind same, removed or added."""
    old, new = _WORDS.findall(" ".join(printed.split())), _WORDS.findall(" ".join(cleaned.split()))
    pieces: list[tuple[str, str]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(("same", "".join(old[i1:i2])))
        else:
            pieces += [("removed", "".join(old[i1:i2])), ("added", "".join(new[j1:j2]))]
    return [(kind, text) for kind, text in pieces if text]


def next_context_id(content: Content) -> str:
    """Return an id that no context of the content has: the next number, two digits at least."""
    numbers = [int(context.id) for context in content.contexts if context.id.isascii() and context.id.isdigit()]
    return f"{max(numbers, default=0) + 1:02}"
