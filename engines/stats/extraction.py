"""How far two extractions of a paper agree: which paragraphs, where sentences end, what they cite, what references are.

Each measure is defined in docs/extraction-agreement.md. Counts of several papers add up before a figure is made of
them, so that a paper weighs by what is in it. Undefined is None with a reason, never 0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import SequenceMatcher
from operator import attrgetter

from engines.definitions.extractions import Content, ExtractedContext

LEAST_SIMILAR = 0.5  # share of words two contexts must have in common to be the same paragraph

_TOKENS = re.compile(r"\w+").findall  # no punctuation: the full stop of "et al." must not pass for a sentence's

NOTHING, NO_VARIATION = "nothing_to_compare", "no_variation"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: `value` or, where it is undefined, `reason`; `n` is what it stands on."""

    value: float | None
    n: int
    reason: str = ""


@dataclass(slots=True)
class Counts:
    """What two extractions have in common, in numbers that add up over papers.

    `selected`: paragraphs by (taken by the one, taken by the other). `contexts`, `boundaries` and `cites`: (in common,
    of the one, of the other). `identifiers`: references that both list, by their two kinds; `equal` of them agree.
    """

    selected: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    contexts: Counter[str] = field(default_factory=Counter)
    boundaries: Counter[str] = field(default_factory=Counter)
    cites: Counter[str] = field(default_factory=Counter)
    identifiers: Counter[tuple[str, str]] = field(default_factory=Counter)
    equal: int = 0

    def add(self, other: Counts) -> None:
        """Take in the counts of another paper."""
        for each in fields(self):
            if each.name == "equal":
                self.equal += other.equal
            else:
                getattr(self, each.name).update(getattr(other, each.name))

    def figures(self) -> dict[str, Figure]:
        """All figures under their names."""
        n = self.identifiers.total()
        return {
            "selection_kappa": _kappa(self.selected),
            "selection_f1": _f1(self.contexts),
            "boundary_f1": _f1(self.boundaries),
            "citation_f1": _f1(self.cites),
            "identifier_accuracy": Figure(self.equal / n, n) if n else Figure(None, 0, NOTHING),
            "identifier_kappa": _kappa(self.identifiers),
        }


def compare(one: Content, other: Content, paragraphs: Collection[int], docnos: Collection[str] = frozenset()) -> Counts:
    """Count what two extractions of a paper have in common.

    `paragraphs` are the ids of the paper's paragraphs: what could be selected; empty where they are not known, and
    then selection has no kappa. `docnos` say which identifiers are documents of the collection.
    """
    found = Counts()
    if paragraphs and all(context.blocks for context in (*one.contexts, *other.contexts)):
        mine, theirs = ({block for context in content.contexts for block in context.blocks} for content in (one, other))
        found.selected.update((each in mine, each in theirs) for each in paragraphs)
    pairs = align(one.contexts, other.contexts)
    found.contexts.update({"both": len(pairs), "one": len(one.contexts), "other": len(other.contexts)})
    for name, content in (("one", one), ("other", other)):
        sentences = [sentence for context in content.contexts for sentence in context.sentences]
        found.cites[name] = sum(len(sentence.cites) for sentence in sentences)
    for i, j in pairs:
        _compare_contexts(one.contexts[i], other.contexts[j], found)
    _compare_references(one, other, docnos, found)
    return found


def align(one: Sequence[ExtractedContext], other: Sequence[ExtractedContext]) -> list[tuple[int, int]]:
    """Return pairs of places of the same paragraphs, the most similar first, each once, in the one's order."""
    mine, theirs = ([Counter(words_of(context)) for context in each] for each in (one, other))
    equal_pairs = [
        (score, -abs(i - j), -i, -j)
        for i, words in enumerate(mine)
        for j, others in enumerate(theirs)
        if (score := _dice(words, others)) >= LEAST_SIMILAR
    ]
    pairs: dict[int, int] = {}
    for _, _, i, j in sorted(equal_pairs, reverse=True):
        if -i not in pairs and -j not in pairs.values():
            pairs[-i] = -j
    return sorted(pairs.items())


def pair_paragraphs(one: Sequence[ExtractedContext], other: Sequence[ExtractedContext]) -> list[tuple[int, int]]:
    """Pairs of places to show side by side to a person: equal contexts first, then contexts made of the same blocks of
    the paper, however much of their text was changed, then by words."""
    pairs: list[tuple[int, int]] = []
    for key_of in (_sentences, attrgetter("blocks"), None):
        left, others = (
            [place for place in range(len(each)) if all(pair[side] != place for pair in pairs)]
            for side, each in enumerate((one, other))
        )
        if key_of is None:
            found = align([one[place] for place in left], [other[place] for place in others])
            pairs += [(left[i], others[j]) for i, j in found]
            continue
        waiting: dict[object, list[int]] = {}
        for place in others:
            waiting.setdefault(key_of(other[place]), []).append(place)
        for place in left:
            if (key := key_of(one[place])) and waiting.get(key):
                pairs.append((place, waiting[key].pop(0)))
    return sorted(pairs)


def _sentences(context: ExtractedContext) -> object:
    return context.section, tuple((each.text, each.cites, each.anonymised) for each in context.sentences)


def _compare_contexts(one: ExtractedContext, other: ExtractedContext, found: Counts) -> None:
    """Where sentences end, and what aligned sentences cite, over the words that both texts have."""
    mine, theirs = _ends(one), _ends(other)
    blocks = SequenceMatcher(None, words_of(one), words_of(other), autojunk=False).get_matching_blocks()
    partner = {block.a + step: block.b + step for block in blocks for step in range(block.size)}
    inner, others = ({end for end in ends if 0 < end < ends[-1]} for ends in (mine, theirs))
    found.boundaries.update({"both": _common_ends(inner, others, partner), "one": len(inner), "other": len(others)})
    shared = Counter((_sentence_of(mine, i), _sentence_of(theirs, j)) for i, j in partner.items())
    taken_one, taken_other = set[int](), set[int]()
    for (i, j), _ in sorted(shared.items(), key=lambda pair: (-pair[1], pair[0])):
        if i in taken_one or j in taken_other:
            continue
        taken_one.add(i)
        taken_other.add(j)
        common_cites = Counter(one.sentences[i].cites) & Counter(other.sentences[j].cites)
        found.cites["both"] += common_cites.total()


def _common_ends(one: set[int], other: set[int], partner: Mapping[int, int]) -> int:
    """Ends that both have: after the partner of the word before, or before the partner of the word after.

    Names taken out next to an end may take one of the two partners away.
    """
    left = set(other)
    for end in sorted(one):
        for place in (partner.get(end - 1, -2) + 1, partner.get(end, -1)):
            if place in left:
                left.remove(place)
                break
    return len(other) - len(left)


def _compare_references(one: Content, other: Content, docnos: Collection[str], found: Counts) -> None:
    mine, theirs = one.values, other.values
    for number in mine.keys() & theirs.keys():
        value, its = mine[number], theirs[number]
        found.identifiers[_kind(value, docnos), _kind(its, docnos)] += 1
        found.equal += value == its


def _kind(value: str | None, docnos: Collection[str]) -> str:
    """In the collection, an identifier elsewhere, or none: what an annotator decides first."""
    return "none" if not value else "inside" if value in docnos else "outside"


def tokens(text: str) -> list[str]:
    """The words and punctuation of a text in lower case."""
    return _TOKENS(text.lower())


def words_of(context: ExtractedContext) -> list[str]:
    """The words and punctuation of a context."""
    return [word for sentence in context.sentences for word in tokens(sentence.text)]


def _ends(context: ExtractedContext) -> list[int]:
    """How many words have been read at the end of each sentence."""
    total, ends = 0, []
    for sentence in context.sentences:
        total += len(tokens(sentence.text))
        ends.append(total)
    return ends


def _sentence_of(ends: Sequence[int], word: int) -> int:
    return next(place for place, end in enumerate(ends) if word < end)


def _dice(one: Counter[str], other: Counter[str]) -> float:
    size = one.total() + other.total()
    return 2 * (one & other).total() / size if size else 0.0


def _f1(counts: Counter[str]) -> Figure:
    """2·both / (one + other): the harmonic mean of both directions' recall."""
    size = counts["one"] + counts["other"]
    return Figure(2 * counts["both"] / size, size) if size else Figure(None, 0, NOTHING)


def _kappa(table: Counter[tuple[bool, bool]] | Counter[tuple[str, str]]) -> Figure:
    """Cohen's kappa of a table of pairs of labels."""
    n = table.total()
    if not n:
        return Figure(None, 0, NOTHING)
    rows: Counter[bool | str] = Counter()
    columns: Counter[bool | str] = Counter()
    for (row, column), count in table.items():
        rows[row] += count
        columns[column] += count
    observed = sum(count for (row, column), count in table.items() if row == column) / n
    expected = sum(rows[label] * columns[label] for label in rows) / n**2
    if expected == 1:
        return Figure(None, n, NO_VARIATION)
    return Figure((observed - expected) / (1 - expected), n)
