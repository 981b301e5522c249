"""A paper as plain JSON values and back, for the way from the guarded process to the one that asked."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from corpus.formats.papers import Box, Cut, FullPaper, Marker, PageSize, Paragraph, Reference, Sentence


def paper_to_json(paper: FullPaper) -> dict[str, Any]:
    """Return a paper as values that `json.dumps` takes; `paper_from_json` gives the same paper again."""
    return asdict(paper)


def paper_from_json(item: dict[str, Any]) -> FullPaper:
    """Return the paper that `paper_to_json` described. Raises `KeyError` or `TypeError` for anything else."""
    return FullPaper(
        **{
            **item,
            "authors": tuple(item["authors"]),
            "paragraphs": tuple(map(_paragraph, item["paragraphs"])),
            "references": tuple(map(_reference, item["references"])),
            "pages": tuple(PageSize(**page) for page in item["pages"]),
        }
    )


def _paragraph(item: dict[str, Any]) -> Paragraph:
    return Paragraph(
        **{
            **item,
            "markers": tuple(Marker(**{**marker, "keys": tuple(marker["keys"])}) for marker in item["markers"]),
            "sentences": tuple(map(_sentence, item["sentences"])),
            "boxes": tuple(Box(**box) for box in item["boxes"]),
        }
    )


def _sentence(item: dict[str, Any]) -> Sentence:
    return Sentence(
        **{
            **item,
            "cites": tuple(item["cites"]),
            "anonymised_cites": tuple(item["anonymised_cites"]),
            "cuts": tuple(Cut(**cut) for cut in item["cuts"]),
        }
    )


def _reference(item: dict[str, Any]) -> Reference:
    return Reference(**{**item, "authors": tuple(item["authors"]), "boxes": tuple(Box(**box) for box in item["boxes"])})
