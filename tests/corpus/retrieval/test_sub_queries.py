"""Sub-queries by the rule of formats.md 1.5: an example by hand, a plain second reading, and the published ones."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.formats.records import TopicRecord
from corpus.formats.topics import read_topics
from corpus.retrieval.sub_queries import TiedAspect, sub_queries
from tests.shared import shared_path

SENTENCES = ["I brew tea.", "I need pots and cups.", "It should be green."]


def made(sentences: Sequence[str], tied: Sequence[Sequence[int]], k: int) -> list[tuple[tuple[int, ...], str]]:
    aspects = [TiedAspect(f"aspect {place}", tuple(each)) for place, each in enumerate(tied)]
    return [(found.aspects, found.text) for found in sub_queries(sentences, aspects, k)]


def test_sentences_are_collected_aspect_by_aspect_each_once() -> None:
    assert made(SENTENCES, [[2, 0], [0]], 2) == [((0, 1), "It should be green. I brew tea.")]


def test_what_speaks_of_a_further_aspect_is_left_out() -> None:
    """Pots and cups share a sentence, so neither goes with tea alone."""
    assert made(SENTENCES, [[0], [1], [1]], 2) == [((1, 2), "I need pots and cups.")]
    assert made(SENTENCES, [[0], [1], [1]], 1) == [((0,), "I brew tea.")]
    assert made(SENTENCES, [[0], [1], [1]], 3) == [((0, 1, 2), "I brew tea. I need pots and cups.")]


def test_aspects_tied_to_nothing_give_their_own_words_in_all_combinations() -> None:
    assert [text for _, text in made([], [[], [], []], 2)] == [
        "aspect 0 aspect 1",
        "aspect 0 aspect 2",
        "aspect 1 aspect 2",
    ]
    assert made(SENTENCES, [[0], []], 2) == [((0, 1), "I brew tea. aspect 1")]


def test_too_few_aspects_give_nothing_and_no_aspect_is_no_query() -> None:
    assert made(SENTENCES, [[0]], 2) == []
    with pytest.raises(ValueError, match="at least one"):
        made(SENTENCES, [[0]], 0)


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True), max_size=6), st.integers(1, 3))
def test_the_rule_as_it_is_written(tied: list[list[int]], k: int) -> None:
    sentences = [f"s{place}" for place in range(5)]
    expected = []
    for chosen in itertools.combinations(range(len(tied)), k):
        collected: list[int] = []
        for place in chosen:
            collected += [sentence for sentence in tied[place] if sentence not in collected]
        if sum(bool(set(each) & set(collected)) for each in tied) <= k:
            expected.append((chosen, " ".join(sentences[sentence] for sentence in collected)))
    assert made(sentences, tied, k) == expected


# --- the published sub-queries ----------------------------------------------------------------------------------------


def published(topics: Sequence[TopicRecord]) -> dict[str, list[tuple[int, ...]]]:
    """The published two-aspect sub-queries as places of sentences, by topic: every text is one topic's sentences."""
    text = shared_path("data", "doris-mae", "subquery-2.txt").read_text(encoding="utf-8")
    found: dict[str, list[tuple[int, ...]]] = {topic.number: [] for topic in topics}
    for _, written in re.findall(r"Subquery: (\d+)\s*\n(.*?)\n={70}", text, re.DOTALL):
        number, places = next(_cut(plain(written), topics))
        found[number].append(places)
    return found


def _cut(text: str, topics: Sequence[TopicRecord]) -> Iterator[tuple[str, tuple[int, ...]]]:
    for topic in topics:
        rest, places = text, []
        sentences = [plain(sentence) for sentence in topic.sentences]
        while fitting := [place for place, each in enumerate(sentences) if rest.startswith(each)]:
            places.append(max(fitting, key=lambda place: len(sentences[place])))
            rest = rest[len(sentences[places[-1]]) :].lstrip()
        if not rest:
            yield topic.number, tuple(places)


def plain(text: str) -> str:
    return " ".join(text.replace("’", "'").split())


def tie(n_aspects: int, n_sentences: int, wanted: list[tuple[int, ...]]) -> list[tuple[int, ...]] | None:
    """Which sentences each aspect must be tied to for the rule to give exactly the wanted sub-queries.

    The mapping is not published. Aspects follow the order of sentences, and what an aspect is tied to begins or ends
    one of its sub-queries; a search that takes too many steps gives up.
    """
    parts = {part for each in wanted for cut in range(1, len(each)) for part in (each[:cut], each[cut:])}
    candidates = sorted(parts | {(place,) for place in range(n_sentences)}, key=lambda part: (part[0], len(part)))
    known, missing = set(wanted), n_aspects * (n_aspects - 1) // 2 - len(wanted)
    steps = itertools.count()

    def search(tied: list[tuple[int, ...]], lacking: int) -> list[tuple[int, ...]] | None:
        if len(tied) == n_aspects:
            return tied if Counter(_pairs(n_sentences, tied)) == Counter(wanted) else None
        for part in candidates:
            if tied and part[0] < tied[-1][0]:
                continue
            more = lacking + sum(tuple(dict.fromkeys([*each, *part])) not in known for each in tied)
            if more <= missing and next(steps) < 1_000 and (found := search([*tied, part], more)):
                return found
        return None

    return search([], 0)


def _pairs(n_sentences: int, tied: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    sentences = [str(place) for place in range(n_sentences)]
    aspects = [TiedAspect("", each) for each in tied]
    return [tuple(map(int, found.sentences)) for found in sub_queries(sentences, aspects, 2)]


@pytest.mark.shared
def test_the_rule_gives_the_published_sub_queries() -> None:
    """All 1,003 are sentences of their queries; where the unpublished mapping can be found, all come out, no others."""
    topics = [
        each
        for each in read_topics(shared_path("data", "doris-mae", "queries.txt"), "auto")
        if isinstance(each, TopicRecord)
    ]
    wanted = published(topics)
    assert sum(map(len, wanted.values())) == 1_003
    solved = 0
    for topic in topics:
        if tied := tie(len(topic.aspects), len(topic.sentences), wanted[topic.number]):
            aspects = [TiedAspect(aspect.text, each) for aspect, each in zip(topic.aspects, tied, strict=True)]
            texts = [found.text for found in sub_queries(topic.sentences, aspects, 2)]
            expected = [" ".join(topic.sentences[place] for place in each) for each in wanted[topic.number]]
            assert Counter(texts) == Counter(expected)
            solved += len(texts)
    assert solved >= 800
