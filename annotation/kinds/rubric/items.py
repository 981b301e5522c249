"""Questions as items: which topics there are, which a campaign has, which word matching would answer anyway."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from accounts.sql import execute
from annotation.campaigns.items import campaign_parameters
from annotation.kind import Draw, Report, Supply
from annotation.kinds.rubric.choosing import EVERYTHING, QuestionChoice, check_choice
from annotation.models import Campaign, Item
from engines.definitions.rubric_options import read_rubric_options
from engines.text.overlap import is_filtered

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
  AND (%(topic_kind)s = '' OR t.kind = %(topic_kind)s)
  AND (%(words)s = '' OR strpos(lower(t.text), lower(%(words)s)) > 0)
GROUP BY t.id ORDER BY t.position, t.id
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A topic that the campaign may take; `is_easy`: its words overlap with its targets' titles above the cut-off."""

    topic: int
    number: str
    source: str
    is_easy: bool


def fetch_supply(campaign: Campaign, choice: QuestionChoice | None = None, *, sampled: bool = False) -> Supply:
    """How many topics there are, are taken, are left out by the overlap filter, and are left for the campaign.

    Errors: Refused for a choice that names what the collection does not have.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for source, standing, _ in _standings(campaign, choice or EVERYTHING):
        counts[source, standing] += 1

    def of(standing: str, source: str | None = None) -> int:
        return sum(n for (s, word), n in counts.items() if word == standing and source in (None, s))

    names = sorted({source for source, _ in counts})
    rows = tuple(
        (name, sum(n for (s, _), n in counts.items() if s == name), of("filtered", name), of("left", name))
        for name in names
    )
    return Supply(counts.total(), of("taken"), of("left"), of("held"), of("filtered"), rows)


def fetch_candidates(campaign: Campaign, choice: QuestionChoice | None = None) -> list[Candidate]:
    """The topics that the campaign may still take, in the collection's order; those left out are not among them."""
    chosen = _standings(campaign, choice or EVERYTHING)
    return [candidate for _, standing, candidate in chosen if standing == "left"]


def insert(campaign: Campaign, supply: Supply, draw: Draw, choice: QuestionChoice | None, report: Report) -> int:
    """Make items of all chosen topics that are left, or of a sample: `stratified` draws the same from each source."""
    chosen = fetch_candidates(campaign, choice)
    if draw.sample is not None:
        drawn = set(topics_drawn(chosen, draw.sample, draw.seed, stratified=draw.stratified))
        chosen = [candidate for candidate in chosen if candidate.topic in drawn]
    report(0, len(chosen), "making items")
    Item.objects.bulk_create(
        [Item(campaign=campaign, split=campaign.split, topic_id=each.topic) for each in chosen], batch_size=5_000
    )
    return len(chosen)


def topics_drawn(candidates: list[Candidate], sample: int, seed: int, *, stratified: bool) -> list[int]:
    """The topics that `seed` draws: a topic's place follows from the seed and its number alone."""
    queues: dict[str, list[Candidate]] = defaultdict(list)
    for each in sorted(candidates, key=lambda each: hashlib.md5(f"{seed}\x1f{each.number}".encode()).digest()):  # noqa: S324 - a draw, no secret
        queues[each.source if stratified else ""].append(each)
    places = [(place, source, each.topic) for source, queue in queues.items() for place, each in enumerate(queue)]
    return [topic for _, _, topic in sorted(places)[:sample]]


def _standings(campaign: Campaign, choice: QuestionChoice) -> Iterator[tuple[str, str, Candidate]]:
    """(source, taken | held | filtered | left, topic) of each topic that the choice lets through."""
    options = read_rubric_options(campaign.options)
    for pk, number, source, text, titles, taken, held, imported in _rows(campaign, choice):
        is_examined = options.filter_imported or not imported  # who published a question has chosen it already
        easy = is_examined and is_filtered(text, titles, options.cutoff(source), options.overlap_definition)
        standing = "taken" if taken else "held" if held else "filtered" if easy else "left"
        yield source, standing, Candidate(pk, number, source, easy)


def _rows(campaign: Campaign, choice: QuestionChoice) -> list[tuple[Any, ...]]:
    check_choice(choice, campaign.collection)
    named = {"sources": list(choice.sources), "topic_kind": choice.topic_kind, "words": choice.words}
    return execute(QUESTIONS, campaign_parameters(campaign) | named)
