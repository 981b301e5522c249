"""Several versions of one paper side by side: what all of them say, where they differ, and one made of choices.

A difference has variants; annotators ("sides") whose versions are the same there share one. Differences and variants
are named by their content, not by their annotators, so a decision stays valid when somebody submits a newer version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, pairwise
from typing import Any

from engines.definitions.extractions import (
    Content,
    ExtractedContext,
    ExtractedReference,
    ExtractedSentence,
)
from engines.stats.extraction import pair_paragraphs, words_of
from engines.stats.shared_runs import Run, shared_runs

Choices = Mapping[str, str]  # {difference: variant}

CONTEXT, SECTION, SENTENCES, REFERENCE = "context", "section", "sentences", "reference"


@dataclass(frozen=True, slots=True)
class Variant:
    """What these sides say at a difference.

    `says` is, by the kind of the difference: whether the paragraph is a context (bool), its section (str), sentences
    (a tuple, () for none), a reference (None where it is not in the list).
    """

    name: str
    sides: tuple[int, ...]
    says: Any


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where sides differ. `marks` say how: ends, text, markers, anonymised, missing, section, identifier."""

    name: str
    kind: str
    variants: tuple[Variant, ...]
    marks: tuple[str, ...]

    def of(self, side: int) -> Variant | None:
        """The variant of a side, None for a side that is not asked here."""
        return next((each for each in self.variants if side in each.sides), None)

    @property
    def majority(self) -> Variant | None:
        """The variant of more than half of the sides, where these are more than one."""
        n_sides = sum(len(each.sides) for each in self.variants)
        return next((each for each in self.variants if len(each.sides) * 2 > n_sides and len(each.sides) > 1), None)

    def chosen(self, choices: Choices) -> Variant | None:
        """The variant that was taken, else that of the majority, else None."""
        name = choices.get(self.name)
        return next((each for each in self.variants if each.name == name), self.majority)


@dataclass(frozen=True, slots=True)
class Passage:
    """Sentences in a row that all who have the paragraph share, or a difference in their place."""

    sentences: tuple[ExtractedSentence, ...]
    difference: Difference | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A context as the sides have it: `context` is the first side's, under an id that no other paragraph has."""

    context: ExtractedContext
    passages: tuple[Passage, ...]
    presence: Difference | None = None
    section: Difference | None = None

    @property
    def differences(self) -> list[Difference]:
        own = [self.presence, self.section, *(each.difference for each in self.passages)]
        return [each for each in own if each is not None]

    def is_in(self, choices: Choices) -> bool:
        """Whether the choices make it a context; undecided, it is what the first side says."""
        return self.presence is None or bool(_settled(self.presence, choices))


@dataclass(frozen=True, slots=True)
class Entry:
    """A reference as the first side that lists it has it, and the difference about it."""

    reference: ExtractedReference
    difference: Difference | None = None


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """All sides of a paper in one order."""

    sides: tuple[int, ...]
    paragraphs: tuple[Paragraph, ...]
    entries: tuple[Entry, ...]

    @property
    def differences(self) -> list[Difference]:
        found = [each for paragraph in self.paragraphs for each in paragraph.differences]
        return found + [entry.difference for entry in self.entries if entry.difference is not None]

    def relevant(self, choices: Choices) -> list[Difference]:
        """The differences that matter: of a paragraph that is left out, only whether it is left out."""
        found: list[Difference] = []
        for each in self.paragraphs:
            found += each.differences if each.is_in(choices) else [each.presence] if each.presence else []
        return found + [entry.difference for entry in self.entries if entry.difference is not None]

    def undecided(self, choices: Choices) -> list[Difference]:
        """The differences that nobody and no majority has decided."""
        return [each for each in self.relevant(choices) if each.chosen(choices) is None]

    def choices_of(self, side: int) -> dict[str, str]:
        """The choices that taking everything of one side makes."""
        found = ((each.name, each.of(side)) for each in self.differences)
        return {name: variant.name for name, variant in found if variant is not None}


def compare_versions(sides: Mapping[int, Content]) -> VersionComparison:
    """Compare the versions. The order of `sides` is the order in which they are shown."""
    names = _Names()
    groups = _grouped([(side, content.contexts) for side, content in sides.items()], pair_paragraphs)
    ids: set[str] = set()
    paragraphs = [_paragraph(group, tuple(sides), names, ids) for group in groups]
    lists = _grouped([(side, content.references) for side, content in sides.items()], _same_numbers)
    return VersionComparison(
        tuple(sides), tuple(paragraphs), tuple(_entry(group, tuple(sides), names) for group in lists)
    )


def build_content(comparison: VersionComparison, choices: Choices) -> Content:
    """One extraction from the variants taken; where none was, from that of the majority, or else of the first side."""
    contexts = tuple(_built(each, choices) for each in comparison.paragraphs if each.is_in(choices))
    chosen = (
        entry.reference if entry.difference is None else _settled(entry.difference, choices)
        for entry in comparison.entries
    )
    return Content(contexts, tuple(each for each in chosen if each is not None))


def _built(paragraph: Paragraph, choices: Choices) -> ExtractedContext:
    sentences: list[ExtractedSentence] = []
    for passage in paragraph.passages:
        sentences += passage.sentences if passage.difference is None else _settled(passage.difference, choices)
    section = paragraph.context.section if paragraph.section is None else _settled(paragraph.section, choices)
    return replace(paragraph.context, section=section, sentences=tuple(sentences))


def _settled(difference: Difference, choices: Choices) -> Any:
    return (difference.chosen(choices) or difference.variants[0]).says


# --- what was edited by hand ------------------------------------------------------------------------------------------


def carry_over(before: Content, after: Content, edited: Content) -> Content:
    """`after` with the edits that made `edited` of `before`; what differs between before and after comes from `after`.

    Contexts go by their id, references by their number.
    """
    contexts, references = (
        _merged(*({_name(each): each for each in getattr(content, part)} for content in (before, after, edited)))
        for part in ("contexts", "references")
    )
    return Content(tuple(contexts), tuple(references))


def edited_parts(built: Content, edited: Content) -> frozenset[str]:
    """Names of the contexts (c:id) and references (r:number) that are not as built."""
    found = set[str]()
    for letter, part in (("c", "contexts"), ("r", "references")):
        mine, theirs = ({_name(each): each for each in getattr(content, part)} for content in (built, edited))
        found |= {f"{letter}:{name}" for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name)}
    return frozenset(found)


def _merged(before: dict[str, Any], after: dict[str, Any], edited: dict[str, Any]) -> list[Any]:
    order = list(after)
    place = 0
    for name in edited:  # a part added by hand follows the part that it followed there
        if name in after:
            place = order.index(name) + 1
        elif name not in before:
            order.insert(place, name)
            place += 1
    merged = []
    for name in order:
        kept = edited.get(name) if name not in after or after[name] == before.get(name) else after[name]
        if kept is not None:
            merged.append(kept)
    return merged


def _name(part: ExtractedContext | ExtractedReference) -> str:
    return part.id if isinstance(part, ExtractedContext) else part.number


# --- comparing --------------------------------------------------------------------------------------------------------


class _Names:
    """Names of differences and variants: a digest of what they say, numbered where the same comes twice."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}

    def difference(
        self, kind: str, found: Sequence[tuple[int, Any, Any]], marks: Sequence[str], anchor: str = ""
    ) -> Difference | None:
        """Of (side, what it says, the same as JSON); None where all say the same."""
        variants: dict[str, Variant] = {}
        for side, says, content in found:
            name = _digest(content)
            known = variants.get(name, Variant(name, (), says))
            variants[name] = replace(known, sides=(*known.sides, side))
        if len(variants) < 2:
            return None
        name = _digest([kind, anchor, sorted(variants)])
        self.seen[name] = self.seen.get(name, 0) + 1
        if self.seen[name] > 1:
            name = f"{name}-{self.seen[name]}"
        return Difference(name, kind, tuple(variants.values()), tuple(marks))


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()[:12]


def _grouped(sides: Sequence[tuple[int, Sequence[Any]]], pair: Any) -> list[dict[int, Any]]:
    """Parts that are the same, by side, in the order of the sides; `pair` finds pairs of places in two lists.

    A new part follows the part before it in its own list, and all parts that come earlier in the paper.
    """
    groups: list[dict[int, Any]] = []
    for side, parts in sides:
        known = list(groups)
        partners = {mine: known[n] for n, mine in pair([next(iter(each.values())) for each in known], parts)}
        place = 0
        for mine, part in enumerate(parts):
            if mine in partners:
                group = partners[mine]
                place = next(n for n, each in enumerate(groups) if each is group) + 1
            else:
                while place < len(groups) and _is_before(next(iter(groups[place].values())), part):
                    place += 1
                group = {}
                groups.insert(place, group)
                place += 1
            group[side] = part
    return groups


def _is_before(one: Any, other: Any) -> bool:
    mine, theirs = _place(one), _place(other)
    return mine is not None and theirs is not None and mine < theirs


def _place(part: ExtractedContext | ExtractedReference) -> int | None:
    """Where a part stands in the paper, None where that is not known."""
    if isinstance(part, ExtractedContext):
        return part.blocks[0] if part.blocks else None
    return int(part.number) if part.number.isascii() and part.number.isdigit() else None


def _same_numbers(known: Sequence[ExtractedReference], mine: Sequence[ExtractedReference]) -> list[tuple[int, int]]:
    places = {each.number: place for place, each in enumerate(known)}
    return [(places[each.number], n) for n, each in enumerate(mine) if each.number in places]


def _paragraph(holders: dict[int, ExtractedContext], sides: tuple[int, ...], names: _Names, ids: set[str]) -> Paragraph:
    ordered = [(side, holders[side]) for side in sides if side in holders]
    first = ordered[0][1]
    anchor = " ".join(words_of(first)[:20])
    digests = sorted({_digest(_as_lists(context.sentences)) for _, context in ordered})
    presence = names.difference(
        CONTEXT,
        [(side, side in holders, [side in holders, digests if side in holders else []]) for side in sides],
        ["missing"],
    )
    section = names.difference(
        SECTION, [(side, context.section, context.section) for side, context in ordered], ["section"], anchor
    )
    passages = _passages(ordered, names)
    blocks = next((context.blocks for _, context in ordered if context.blocks), ())
    return Paragraph(replace(first, id=_free_id(first.id, ids), blocks=blocks), passages, presence, section)


def _free_id(name: str, ids: set[str]) -> str:
    """The id, or the first number that is free where another paragraph has it."""
    found = next(each for each in chain([name], (f"{n:02}" for n in count(1))) if each not in ids)
    ids.add(found)
    return found


def _passages(ordered: Sequence[tuple[int, ExtractedContext]], names: _Names) -> tuple[Passage, ...]:
    found: list[Passage] = []
    for runs in shared_runs([context.sentences for _, context in ordered]):
        says = [(side, run, _as_lists(run)) for (side, _), run in zip(ordered, runs, strict=True)]
        difference = names.difference(SENTENCES, says, marks_of(runs))
        if difference is None and found and found[-1].difference is None:
            found[-1] = Passage(found[-1].sentences + runs[0])
        else:
            found.append(Passage(() if difference else runs[0], difference))
    return tuple(found)


def _as_lists(run: Run) -> list[Any]:
    return [[each.text, list(each.cites), each.anonymised] for each in run]


def marks_of(runs: Sequence[Run]) -> tuple[str, ...]:
    """How these runs of sentences differ: the `marks` of a difference."""
    if not all(runs):
        return ("missing",)
    marks = []
    if _differ([" ".join(each.text for each in run) for run in runs]):
        marks.append("text")
    if _differ([len(run) for run in runs]) or (not marks and _differ([[each.text for each in run] for run in runs])):
        marks.append("ends")
    if _differ([sorted(cite for each in run for cite in each.cites) for run in runs]) or (
        not marks and _differ([[list(each.cites) for each in run] for run in runs])
    ):
        marks.append("markers")
    if _differ([any(each.anonymised for each in run) for run in runs]):
        marks.append("anonymised")
    return tuple(marks) or ("markers",)


def _differ(found: Sequence[object]) -> bool:
    return any(one != other for one, other in pairwise(found))


def _entry(group: dict[int, ExtractedReference], sides: tuple[int, ...], names: _Names) -> Entry:
    first = next(group[side] for side in sides if side in group)
    says: list[tuple[int, Any, Any]] = []
    for side in sides:
        mine = group.get(side)
        kept = replace(first, value=mine.value, kind=mine.kind) if mine else None
        says.append((side, kept, ["missing"] if mine is None else [mine.value]))
    marks = ["identifier"] if len(group) == len(sides) else ["missing"]
    return Entry(first, names.difference(REFERENCE, says, marks, first.number))
