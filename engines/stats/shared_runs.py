"""One paragraph cut into sentences by several people: runs of sentences that stand for the same words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from engines.definitions.extractions import ExtractedSentence
from engines.stats.extraction import tokens

Run = tuple[ExtractedSentence, ...]
Cuts = dict[int, tuple[int, int]]  # {sentences read by the one: (fewest, most) read by the other}


def shared_runs(versions: Sequence[Run]) -> list[list[Run]]:
    """Return the smallest runs of sentences between places where all versions end a sentence: one run per version.

    Joined, the runs of a version are the version. A run is () where a version has nothing that another has.
    """
    first, others = versions[0], versions[1:]
    cuts = [_cuts(first, other) for other in others]
    ends = [end for end in range(len(first) + 1) if all(end in each for each in cuts)]
    found: list[list[Run]] = []
    at, read = 0, [0] * len(others)
    for end in ends:
        fewest = [max(each[end][0], before) for each, before in zip(cuts, read, strict=True)]
        most = [max(each[end][1], before) for each, before in zip(cuts, fewest, strict=True)]
        found.append([first[at:end], *_slices(others, read, fewest)])
        found.append([(), *_slices(others, fewest, most)])
        at, read = end, most
    return [runs for runs in found if any(runs)]


def _slices(others: Sequence[Run], start: Sequence[int], end: Sequence[int]) -> list[Run]:
    return [run[i:j] for run, i, j in zip(others, start, end, strict=True)]


def _cuts(one: Run, other: Run) -> Cuts:
    """Where both end a sentence at the same place of the text, by sentences read; both ends always are.

    Sentences that are equal to the letter stand for each other, what lies between them goes by words.
    """
    texts, its = ([each.text for each in run] for run in (one, other))
    cuts: Cuts = {}
    for tag, i, end, j, its_end in SequenceMatcher(None, texts, its, autojunk=False).get_opcodes():
        found = (
            {n: (n, n) for n in range(end - i + 1)} if tag == "equal" else _cuts_by_words(one[i:end], other[j:its_end])
        )
        for n, (fewest, most) in found.items():
            known = cuts.get(i + n, (j + fewest, j + most))
            cuts[i + n] = (min(known[0], j + fewest), max(known[1], j + most))
    return cuts or {0: (0, 0)}


def _cuts_by_words(one: Run, other: Run) -> Cuts:
    mine, theirs = ([tokens(each.text) for each in run] for run in (one, other))
    ends, its = ([0, *accumulate(map(len, words))] for words in (mine, theirs))
    places = _aligned([word for words in mine for word in words], [word for words in theirs for word in words])
    cuts: Cuts = {}
    for end, word in enumerate(ends):
        if bisect_right(ends, word) - 1 != end:
            continue  # sentences without words go with the one before them
        found = [bisect_right(its, place) - 1 for place in places.get(word, ()) if _is_end(its, place)]
        if found:
            cuts[end] = (min(found), max(found))
    cuts[0] = (0, cuts.get(0, (0, 0))[1])
    cuts[len(one)] = (cuts[len(one)][0], len(other))
    return cuts


def _is_end(ends: Sequence[int], word: int) -> bool:
    place = bisect_right(ends, word) - 1
    return ends[place] == word


def _aligned(one: Sequence[str], other: Sequence[str]) -> dict[int, set[int]]:
    """Places between words that stand for each other: {words read of the one: {words read of the other}}."""
    found: dict[int, set[int]] = {0: {0}}
    for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
        for step in range(block.size + 1):
            found.setdefault(block.a + step, set()).add(block.b + step)
    return found
