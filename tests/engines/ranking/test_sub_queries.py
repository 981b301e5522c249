"""Sub-queries by the rule of formats.md 1.5: an example by hand, a plain second reading, and the published ones."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.reading import read_topics
from engines.formats.records import AspectRecord, TopicRecord
from engines.ranking.sub_queries import sub_queries
from tests.shared import shared_path

SENTENCES = ["I brew tea.", "I need pots and cups.", "It should be green."]


def made(sentences: Sequence[str], tied: Sequence[Sequence[int]], k: int) -> list[tuple[tuple[int, ...], str]]:
    aspects = [AspectRecord(f"aspect {place}", (), tuple(each)) for place, each in enumerate(tied)]
    return [(found.aspects, found.text) for found in sub_queries(sentences, aspects, k)]


def test_sentences_are_collected_aspect_by_aspect_each_once() -> None:
    assert made(SENTENCES, [[2, 0], [0]], 2) == [((0, 1), "It should be green. I brew tea.")]


def test_what_speaks_of_a_further_aspect_is_left_out() -> None:
    """Pots and cups share a sentence, so neither goes with tea alone."""
    assert made(SENTENCES, [[0], [1], [1]], 2) == [((1, 2), "I need pots and cups.")]
    assert made(SENTENCES, [[0], [1], [1]], 1) == [((0,), "I brew tea.")]
    assert made(SENTENCES, [[0], [1], [1]], 3) == [((0, 1, 2), "I brew tea. I need pots and cups.")]


def test_sentences_may_speak_of_more_than_what_comes_from_them() -> None:
    """Pots come from the second sentence only, but the third one speaks of them too."""
    pots = AspectRecord("pots", (), (1,), (1, 2))
    found = sub_queries(SENTENCES, [AspectRecord("tea", (), (0,)), pots, AspectRecord("green", (), (2,))], 2)
    assert [each.aspects for each in found] == [(0, 1), (1, 2)]
    silent = AspectRecord("pots", (), (1,), ())
    found = sub_queries(SENTENCES, [silent, AspectRecord("cups", (), (1,)), AspectRecord("tea", (), (0,))], 2)
    assert [each.aspects for each in found] == [(0, 1), (0, 2), (1, 2)]


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


# --- which sentence speaks of which aspect is not published: it is found again from the sub-queries -------------------
#
# Under the rule an aspect that shares its sentences with no other one (a single) makes a sub-query with each other
# single; two aspects that share sentences with each other only (a couple) make one; an aspect of a larger group makes
# none. So S singles and C couples make S(S-1)/2 + C sub-queries, whatever the sentences.


def shapes(n_aspects: int, n_wanted: int) -> list[tuple[int, int]]:
    """The numbers of singles and couples among the aspects that give so many sub-queries."""
    return [
        (singles, couples)
        for singles in range(n_aspects + 1)
        for couples in range((n_aspects - singles) // 2 + 1)
        if math.comb(singles, 2) + couples == n_wanted and n_aspects - singles - 2 * couples not in (1, 2)
    ]


def find_singles(count: int, wanted: Collection[tuple[int, ...]]) -> list[tuple[int, ...]] | None:
    """Sentences of so many singles, no sentence twice, all of whose couplings are wanted; one single may have any."""
    parts = sorted(
        {part for each in wanted for cut in range(1, len(each)) for part in (each[:cut], each[cut:])},
        key=lambda part: (len(part), part),
    )

    def search(chosen: list[tuple[int, ...]]) -> list[tuple[int, ...]] | None:
        if len(chosen) == count:
            return chosen
        for part in parts:
            fits = all(each + part in wanted and not set(each) & set(part) for each in chosen)
            if fits and (found := search([*chosen, part])):
                return found
        return None

    return search([]) if count > 1 else [()] * count


def recover(n_aspects: int, n_sentences: int, wanted: Sequence[tuple[int, ...]]) -> list[AspectRecord] | None:
    """Aspects whose sentences give the wanted sub-queries; None where one relation of both cannot give them."""
    for n_singles, n_couples in shapes(n_aspects, len(wanted)):
        singles = find_singles(n_singles, set(wanted))
        if singles is None:
            continue
        made_by_singles = Counter(one + other for one, other in itertools.combinations(singles, 2))
        couples = list((Counter(wanted) - made_by_singles).elements())
        if len(couples) != n_couples:
            continue
        taken = {place for each in (*singles, *couples) for place in each}
        rest = tuple(place for place in range(n_sentences) if place not in taken)
        tied = [single or rest for single in singles] + [couple for couple in couples for _ in range(2)]
        tied += [rest] * (n_aspects - len(tied))
        if Counter(_pairs(n_sentences, tied)) == Counter(wanted):
            return [AspectRecord("", (), each) for each in tied]
    return None


def _pairs(n_sentences: int, tied: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    sentences = [str(place) for place in range(n_sentences)]
    aspects = [AspectRecord("", (), each) for each in tied]
    return [tuple(map(int, found.sentences)) for found in sub_queries(sentences, aspects, 2)]


# Four sub-queries of four aspects: no shape gives them, so here the two published maps were not each other's inverse.
# The second aspect comes from the sentences 1 and 2, but sentence 3, which the last one comes from, speaks of it too.
TWO_MAPS = {
    "28": [
        AspectRecord("", (), (0,)),
        AspectRecord("", (), (1, 2), (1, 2, 3)),
        AspectRecord("", (), (4, 5)),
        AspectRecord("", (), (3,)),
    ]
}


@cache  # finding the sentences again takes most of the time
def tied_topics() -> tuple[list[TopicRecord], dict[str, list[tuple[int, ...]]]]:
    """The published queries with sentences for their aspects, and the published two-aspect sub-queries as places."""
    read = read_topics(shared_path("data", "doris-mae", "queries.txt"), "auto")
    topics = [each for each in read if isinstance(each, TopicRecord)]
    wanted = published(topics)
    found = []
    for topic in topics:
        ties = recover(len(topic.aspects), len(topic.sentences), wanted[topic.number]) or TWO_MAPS[topic.number]
        pairs = zip(topic.aspects, ties, strict=True)
        aspects = tuple(replace(aspect, sentences=tie.sentences, spoken_in=tie.spoken_in) for aspect, tie in pairs)
        found.append(replace(topic, aspects=aspects))
    return found, wanted


@pytest.mark.slow
@pytest.mark.shared
def test_the_rule_gives_the_published_sub_queries() -> None:
    """All 1,003 of them word for word, and no others."""
    topics, wanted = tied_topics()
    total = 0
    for topic in topics:
        aspects = topic.aspects
        texts = [found.text for found in sub_queries(topic.sentences, aspects, 2)]
        expected = [" ".join(topic.sentences[place] for place in each) for each in wanted[topic.number]]
        assert Counter(texts) == Counter(expected)
        total += len(texts)
    assert total == 1_003


@pytest.mark.slow
@pytest.mark.shared
def test_one_map_alone_cannot_give_them() -> None:
    """Query 28 needs the second map: with the first one alone its four singles would make six sub-queries."""
    topics, wanted = tied_topics()
    topic = next(each for each in topics if each.number == "28")
    assert (len(topic.aspects), len(wanted["28"])) == (4, 4)
    assert shapes(4, 4) == []
    assert len(made(topic.sentences, [each.sentences for each in topic.aspects], 2)) == 6
