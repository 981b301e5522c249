"""Questions that a rubric campaign could rate: which there are, which it has, which are too easy to be worth it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection

from annotation.definitions.rubric_options import read_rubric_options
from annotation.models import Campaign, Split
from corpus.models import TopicKind
from corpus.text.overlap import is_filtered

QUESTIONS = """
SELECT t.id, t.number, t.source, t.text,
  coalesce(array_agg(d.title) FILTER (WHERE d.id IS NOT NULL), '{}') AS titles,
  EXISTS (SELECT FROM annotation_item i WHERE i.topic_id = t.id AND i.campaign_id = %(campaign)s) AS taken,
  %(held_out)s AND EXISTS (
    SELECT FROM annotation_item i WHERE i.topic_id = t.id AND i.aspect_id IS NULL AND i.document_id IS NULL
      AND i.campaign_id <> %(campaign)s AND i.split IN ('dev', 'test')) AS held,
  t.imported_in_id IS NOT NULL OR t.extra ? 'quality' AS imported
FROM corpus_topic t
LEFT JOIN corpus_target g ON g.topic_id = t.id
LEFT JOIN corpus_document d ON d.id = g.document_id
WHERE t.collection_id = %(collection)s
  AND (%(sources)s::text[] = '{}' OR t.source = ANY(%(sources)s::text[]))
  AND (%(kind)s = '' OR t.kind = %(kind)s)
  AND (%(text)s = '' OR strpos(lower(t.text), lower(%(text)s)) > 0)
GROUP BY t.id ORDER BY t.position, t.id
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which topics to take: of these sources (none named: of all), of this kind, with these words in their text."""

    sources: tuple[str, ...] = ()
    kind: str = ""
    text: str = ""


EVERYTHING = Choice()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A topic that the campaign may take; `is_easy`: its words overlap with its targets' titles above the cut-off."""

    topic: int
    number: str
    source: str
    is_easy: bool


@dataclass(frozen=True, slots=True)
class QuestionSupply:
    """Topics of a collection as a campaign meets them. `sources`: (source, all, filtered, left) of each."""

    questions: int
    taken: int
    filtered: int
    held_elsewhere: int
    left: int
    sources: tuple[tuple[str, int, int, int], ...]


def question_kinds() -> list[tuple[str, str]]:
    return [("", "all kinds"), *TopicKind.choices]


def fetch_question_supply(campaign: Campaign, choice: Choice = EVERYTHING) -> QuestionSupply:
    """How many topics there are, are taken, are left out by the overlap filter, and are left for the campaign."""
    counts: Counter[tuple[str, str]] = Counter()
    for source, standing, _ in _standings(campaign, choice):
        counts[source, standing] += 1

    def of(standing: str, source: str | None = None) -> int:
        return sum(n for (s, word), n in counts.items() if word == standing and source in (None, s))

    names = sorted({source for source, _ in counts})
    rows = tuple(
        (name, sum(n for (s, _), n in counts.items() if s == name), of("filtered", name), of("left", name))
        for name in names
    )
    return QuestionSupply(counts.total(), of("taken"), of("filtered"), of("held"), of("left"), rows)


def fetch_candidates(campaign: Campaign, choice: Choice = EVERYTHING) -> list[Candidate]:
    """The topics that the campaign may still take, in the collection's order; those left out are not among them."""
    return [candidate for _, standing, candidate in _standings(campaign, choice) if standing == "left"]


def _standings(campaign: Campaign, choice: Choice) -> Iterator[tuple[str, str, Candidate]]:
    """(source, taken | held | filtered | left, topic) of each topic that the choice lets through."""
    options = read_rubric_options(campaign.options)
    for pk, number, source, text, titles, taken, held, imported in _rows(campaign, choice):
        is_examined = options.filter_imported or not imported  # who published a question has chosen it already
        easy = is_examined and is_filtered(text, titles, options.cutoff(source))
        standing = "taken" if taken else "held" if held else "filtered" if easy else "left"
        yield source, standing, Candidate(pk, number, source, easy)


def _rows(campaign: Campaign, choice: Choice) -> list[tuple[Any, ...]]:
    named: dict[str, Any] = {
        "collection": campaign.collection_id,
        "campaign": campaign.pk,
        "held_out": campaign.split in (Split.DEV, Split.TEST),
        "sources": list(choice.sources),
        "kind": choice.kind,
        "text": choice.text,
    }
    with connection.cursor() as cursor:
        cursor.execute(QUESTIONS, named)
        return cursor.fetchall()
