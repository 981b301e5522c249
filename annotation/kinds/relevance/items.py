"""Pairs of an aspect and a pooled document: found and made set by set in the database, however many there are."""

from collections.abc import Sequence
from typing import Any

from annotation.campaigns.items import campaign_parameters, whole_sets
from annotation.kind import Draw, Report, Supply
from annotation.kinds.relevance.choosing import EVERYTHING, PairChoice, clauses_of, parameters_of
from annotation.models import Campaign
from corpus.loading.constraints import checked_at_once

TOPIC_PAIRS_AT_ONCE = 100_000  # between two reports of progress

# Every pair that a campaign of the collection could judge: the distinct aspects in a topic's tree, or the topic itself
# where it has none, by the documents of its pool.
PAIRS = """
SELECT t.id AS topic_id, a.id AS aspect_id, p.document_id
FROM corpus_topic t
JOIN corpus_poolentry p ON p.topic_id = t.id
LEFT JOIN corpus_aspect a ON a.topic_id = t.id AND EXISTS (SELECT FROM corpus_aspectnode n WHERE n.aspect_id = a.id)
WHERE t.collection_id = %(collection)s
"""
# Those that the campaign may still take: not in it yet and, if it is held out, in no held-out campaign at all.
LEFT = """
SELECT pair.* FROM ({pairs}) pair
WHERE NOT EXISTS (
  SELECT FROM annotation_item i
  WHERE i.topic_id = pair.topic_id AND i.document_id = pair.document_id
    AND coalesce(i.aspect_id, 0) = coalesce(pair.aspect_id, 0)
    AND (i.campaign_id = %(campaign)s OR (%(held_out)s AND i.split IN ('dev', 'test')))
)
"""
# Items whose pair has left its pool since are no longer among the pairs.
TAKEN = f"""
SELECT count(*) FROM ({PAIRS}) pair JOIN annotation_item i ON i.campaign_id = %(campaign)s
  AND i.topic_id = pair.topic_id AND i.document_id = pair.document_id
  AND coalesce(i.aspect_id, 0) = coalesce(pair.aspect_id, 0)
"""
INSERT = """
INSERT INTO annotation_item (campaign_id, split, topic_id, aspect_id, document_id, extra_overlap)
SELECT %(campaign)s, %(split)s, chosen.topic_id, chosen.aspect_id, chosen.document_id, 0 FROM ({chosen}) chosen
JOIN corpus_topic t ON t.id = chosen.topic_id
ORDER BY t.position, t.id, chosen.aspect_id, chosen.document_id
"""
# A pair's place in the draw is a digest of the seed and its external ids: the same in every copy of the collection,
# independent of what else is in it, and a larger sample contains the smaller one.
DRAWN = """
SELECT topic_id, aspect_id, document_id FROM (
  SELECT l.*, row_number() OVER (PARTITION BY CASE WHEN %(stratified)s THEN l.topic_id END ORDER BY l.draw) AS place
  FROM (
    SELECT l.*, md5(concat_ws(E'\\x1f', %(seed)s, t.number, a.text, d.docno)) AS draw
    FROM ({left}) l
    JOIN corpus_topic t ON t.id = l.topic_id
    JOIN corpus_document d ON d.id = l.document_id
    LEFT JOIN corpus_aspect a ON a.id = l.aspect_id
  ) l
) l ORDER BY place, draw LIMIT %(sample)s
"""
OF_TOPICS = "SELECT * FROM ({left}) l WHERE l.topic_id = ANY(%(batch)s)"
OF_PAIRS = """
SELECT l.* FROM ({left}) l
JOIN unnest(%(batch)s::bigint[], %(documents)s::bigint[]) AS wanted (topic_id, document_id)
  USING (topic_id, document_id)
"""
TOPIC_SIZES = "SELECT topic_id, count(*) FROM ({left}) l GROUP BY topic_id ORDER BY topic_id"
PARTS = "SELECT count(DISTINCT topic_id), count(DISTINCT aspect_id), count(DISTINCT document_id) FROM ({left}) l"


def fetch_supply(campaign: Campaign, choice: PairChoice | None = None, *, sampled: bool = False) -> Supply:
    """How many pairs there are and, of those chosen, are left for the campaign, or for a sample of it.

    Errors: Refused for a choice that names what the collection does not have.
    """
    named = _parameters(campaign, choice, sampled=sampled)
    with whole_sets() as cursor:
        cursor.execute(f"SELECT (SELECT count(*) FROM ({PAIRS}) p), (SELECT count(*) FROM ({_left(None)}) l)", named)
        pairs, left = cursor.fetchone()
        cursor.execute(TAKEN, named)
        taken = cursor.fetchone()[0]
        wanted = left
        if choice not in (None, EVERYTHING):
            cursor.execute(f"SELECT count(*) FROM ({_left(choice)}) l", named)
            wanted = cursor.fetchone()[0]
    return Supply(pairs, taken, wanted, pairs - taken - left)


def count_parts(campaign: Campaign, choice: PairChoice | None = None) -> tuple[tuple[str, int], ...]:
    """What the pairs that are left are made of: topics, aspects and documents, with how many of each."""
    with whole_sets() as cursor:
        cursor.execute(PARTS.format(left=_left(choice)), _parameters(campaign, choice))
        return tuple(zip(("topic", "aspect", "document"), cursor.fetchone(), strict=True))


def _left(choice: PairChoice | None) -> str:
    """The SQL of the chosen pairs that are left."""
    return LEFT.format(pairs=PAIRS + clauses_of(choice or EVERYTHING))


def _parameters(campaign: Campaign, choice: PairChoice | None, *, sampled: bool = False) -> dict[str, Any]:
    named = campaign_parameters(campaign, sampled=sampled)
    return named if choice in (None, EVERYTHING) else named | parameters_of(choice, campaign.collection)


def insert(campaign: Campaign, supply: Supply, draw: Draw, choice: PairChoice | None, report: Report) -> int:
    """Make items of the chosen pairs that are left, or of a sample: `stratified` draws the same from each topic."""
    if draw.sample is None:
        return _insert_all(campaign, supply.left, choice, report)
    named = {"sample": draw.sample, "seed": str(draw.seed), "stratified": draw.stratified}
    drawn = DRAWN.format(left=_left(choice))
    with whole_sets() as cursor:
        cursor.execute(INSERT.format(chosen=drawn), _parameters(campaign, choice, sampled=True) | named)
        return cursor.rowcount


def insert_pairs(campaign: Campaign, pairs: Sequence[tuple[int, int]]) -> int:
    """Make items of these (topic id, document id) alone, as far as they are pooled and the campaign may take them."""
    topics, documents = [topic for topic, _ in pairs], [document for _, document in pairs]
    named = campaign_parameters(campaign) | {"batch": topics, "documents": documents}
    with whole_sets() as cursor:
        cursor.execute(INSERT.format(chosen=OF_PAIRS.format(left=_left(None))), named)
        return cursor.rowcount


def _insert_all(campaign: Campaign, total: int, choice: PairChoice | None, report: Report) -> int:
    done, left = 0, _left(choice)
    named = _parameters(campaign, choice)
    with checked_at_once(), whole_sets() as cursor:
        cursor.execute(TOPIC_SIZES.format(left=left), named)
        for topics, size in _batches(cursor.fetchall()):
            report(done, total, "making items")
            cursor.execute(INSERT.format(chosen=OF_TOPICS.format(left=left)), {**named, "batch": topics})
            done += size
    return done


def _batches(sizes: list[tuple[int, int]]) -> list[tuple[list[int], int]]:
    """Topics in groups of about TOPIC_PAIRS_AT_ONCE pairs, with the pairs of each group."""
    batches: list[tuple[list[int], int]] = []
    for topic, size in sizes:
        if batches and batches[-1][1] + size <= TOPIC_PAIRS_AT_ONCE:
            topics, before = batches[-1]
            topics.append(topic)  # in place: copied, a hundred thousand topics cost their square
            batches[-1] = (topics, before + size)
        else:
            batches.append(([topic], size))
    return batches
