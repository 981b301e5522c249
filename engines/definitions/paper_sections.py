"""The sections of a paper that cite: whether and why each was proposed, and which of its paragraphs are contexts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.definitions.extractions import Content


@dataclass(frozen=True, slots=True)
class CitingSection:
    """A section with citing paragraphs, or those of its sub-sections with another decision.

    `part` is "introduction", "related work" or "" (not proposed), `reason` a sentence that says why, "" for papers
    read before reasons were kept; `top` the heading of the top-level section; `blocks` are its citing paragraphs.
    """

    heading: str
    top: str
    part: str
    reason: str
    blocks: tuple[Mapping[str, Any], ...]


def citing_sections(blocks: Iterable[Mapping[str, Any]]) -> list[CitingSection]:
    """Return the sections of stored blocks that cite, in the order of print."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for block in blocks:
        if is_citing(block):
            groups.setdefault((_top(block), block.get("part", "")), []).append(block)
    return [
        CitingSection(_heading(top, part, groups), top, part, found[0].get("reason", ""), tuple(found))
        for (top, part), found in groups.items()
    ]


def is_citing(block: Mapping[str, Any]) -> bool:
    """Whether a stored block is a paragraph that cites a reference of the paper."""
    if block.get("kind", "paragraph") != "paragraph":
        return False
    return any(each.get("keys") for each in block.get("markers", ())) or any(
        each.get("cites") for each in block.get("sentences", ())
    )


def _top(block: Mapping[str, Any]) -> str:
    return str(block.get("top") or block.get("section", ""))


def _heading(top: str, part: str, groups: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]) -> str:
    """The section's heading; with those of its sub-sections where some have another decision than the rest."""
    if not part or (top, "") not in groups:
        return top
    inside = dict.fromkeys(each.get("section", "") for each in groups[top, part])
    return f"{top}: {', '.join(filter(None, inside))}"


@dataclass(frozen=True, slots=True)
class SectionState:
    """A section compared with an extraction: `outside` are its citing paragraphs that are no contexts."""

    section: CitingSection
    outside: tuple[Mapping[str, Any], ...]

    @property
    def taken(self) -> int:
        """How many of its citing paragraphs are contexts."""
        return len(self.section.blocks) - len(self.outside)


def section_states(blocks: Iterable[Mapping[str, Any]], content: Content) -> list[SectionState]:
    """Return the citing sections with the paragraphs that the extraction leaves out."""
    used = {number for context in content.contexts for number in context.blocks}
    return [
        SectionState(each, tuple(block for block in each.blocks if block["id"] not in used))
        for each in citing_sections(blocks)
    ]
