"""A database of very many judgments for `bench.size`, filled by set-based SQL: one huge campaign and many others.

Half of the judgments are in the huge campaign, which forty people judge; the others in campaigns of 60,000 judgments
by six people each. Three people judge an item, one judgment in sixty is still to be made. A person gives the true
grade in four of five cases. Foreign keys and indexes are dropped while rows are inserted and made again afterwards, so
that PostgreSQL checks every row.
"""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

OVERLAP = 3
TOPICS, DOCUMENTS = 1_000, 5_000
SMALL = 20_000  # items of a campaign of the sea
LEAST_FREE = 25e9  # bytes of the disk that stay free
HOT = (
    "annotation_item",
    "annotation_assignment",
    "annotation_submission",
    "annotation_judgment",
    "adjudication_verdict",
)

TEXTS = """
INSERT INTO corpus_document (collection_id, docno, title, abstract, keywords, authors, venue, doi, url, extra)
SELECT %(collection)s, 'doc' || n, 'A study of retrieval ' || n, 'We study retrieval.', '{}', '{}', '', '', '', '{}'
FROM generate_series(1, %(documents)s) n;
INSERT INTO corpus_topic
  (collection_id, number, prefix, kind, source, author, title, text, narrative, sentences, position, extra)
SELECT %(collection)s, n, '', 'complex-query', '', '', '', 'Work number ' || n, '', '{}', n, '{}'
FROM generate_series(1, %(topics)s) n
"""
# Campaigns of the collection with so many items each; each pairs other documents with the topics.
ITEMS = """
INSERT INTO annotation_item (campaign_id, split, topic_id, document_id, extra_overlap)
SELECT c.id, 'main', low.topic + n %% %(topics)s, low.document + (n / %(topics)s + c.id * 37) %% %(documents)s, 0
FROM annotation_campaign c, generate_series(0, %(items)s - 1) n,
  (SELECT (SELECT min(id) FROM corpus_topic WHERE collection_id = %(collection)s) AS topic,
    (SELECT min(id) FROM corpus_document WHERE collection_id = %(collection)s) AS document) low
WHERE c.collection_id = %(collection)s ORDER BY c.id, n
"""
PLAN = """
WITH people AS (SELECT campaign_id, min(id) AS first, count(*) AS n FROM annotation_annotator GROUP BY 1),
planned AS (
  SELECT i.id, s, people.first + (i.id + s) %% people.n AS annotator, s = 3 AND i.id %% 20 = 0 AS pending
  FROM annotation_item i JOIN annotation_campaign c ON c.id = i.campaign_id JOIN people ON people.campaign_id = c.id,
    generate_series(1, 3) s
  WHERE c.collection_id = %(collection)s
)
INSERT INTO annotation_assignment (item_id, annotator_id, state, slot, repeat, position, finished_at)
SELECT id, annotator, CASE WHEN pending THEN 'pending' ELSE 'done' END, s, 0, id %% 2000000000,
  CASE WHEN NOT pending THEN timestamptz '2026-01-01 08:00Z' + id %% 20000000 * interval '1 second' END
FROM planned ORDER BY id, s
"""
QUEUE = """
INSERT INTO annotation_assignment (item_id, queue_id, state, slot, repeat, position)
SELECT i.id, i.campaign_id, 'open', 1, 0, i.id %% 2000000000
FROM annotation_item i JOIN annotation_campaign c ON c.id = i.campaign_id WHERE c.collection_id = %(collection)s
"""
SAID = """
INSERT INTO annotation_submission (uuid, assignment_id, kind, outcome, answers, reasons, reason, note, flagged,
  guideline_id, active_ms, away_ms, device, received_at)
SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(a.id), 12, '0'))::uuid, a.id, 'answer', 'counted',
  jsonb_build_object('relevance', (truth + CASE WHEN luck < 80 THEN 0 WHEN luck < 95 THEN 1 ELSE 2 END) %% 3),
  '{}', '', '', false, g.id, 2000 + luck * 97, 0, 'keyboard', a.finished_at
FROM annotation_assignment a JOIN annotation_item i ON i.id = a.item_id
JOIN annotation_campaign c ON c.id = i.campaign_id JOIN annotation_guideline g ON g.campaign_id = c.id, LATERAL (
  SELECT (ARRAY[0, 0, 0, 0, 0, 0, 1, 1, 2, 2])[1 + abs(hashint8extended(i.id, 1)) %% 10] AS truth,
    abs(hashint8extended(a.id, 2)) %% 100 AS luck
) drawn
WHERE c.collection_id = %(collection)s AND a.state = 'done' ORDER BY a.id
"""
JUDGED = """
INSERT INTO annotation_judgment (assignment_id, criterion_id, value, reason, submission_id)
SELECT s.assignment_id, k.id, (s.answers->>'relevance')::smallint, '', s.id
FROM annotation_submission s JOIN annotation_assignment a ON a.id = s.assignment_id
JOIN annotation_item i ON i.id = a.item_id JOIN annotation_campaign c ON c.id = i.campaign_id
JOIN annotation_criterion k ON k.campaign_id = c.id
WHERE c.collection_id = %(collection)s ORDER BY s.assignment_id
"""
# The verdicts of the sea, as a count of votes makes them; those of the huge campaign are counted by Litmus.
COUNTED = """
WITH vote AS (
  SELECT a.item_id, j.criterion_id,
    jsonb_agg(jsonb_build_array(a.annotator_id, j.value) ORDER BY a.annotator_id) AS votes,
    count(*) AS n, mode() WITHIN GROUP (ORDER BY j.value) AS value, count(DISTINCT j.value) AS levels
  FROM annotation_judgment j JOIN annotation_assignment a ON a.id = j.assignment_id
  JOIN annotation_item i ON i.id = a.item_id JOIN annotation_campaign c ON c.id = i.campaign_id
  WHERE c.collection_id = %(collection)s GROUP BY 1, 2
)
INSERT INTO adjudication_verdict (item_id, criterion_id, value, method, votes, n_votes, agreement, machine_differs,
  comment, cause, changed_at)
SELECT item_id, criterion_id, CASE WHEN levels < 3 AND n = 3 THEN value END,
  CASE WHEN levels = 3 OR n < 3 THEN 'unresolved' WHEN levels = 1 THEN 'unanimous' ELSE 'majority' END, votes, n,
  CASE levels WHEN 1 THEN 1 WHEN 2 THEN CASE n WHEN 3 THEN 1.0 / 3 ELSE 0 END ELSE 0 END, false, '', '', now()
FROM vote
"""


@contextmanager
def indexes_set_aside() -> Iterator[None]:
    """Without foreign keys and secondary indexes of the hot tables; made again, and so checked, at the end."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contype = 'f' AND conrelid::regclass::text = ANY(%s) ORDER BY 1, 2",
            [list(HOT)],
        )
        keys = cursor.fetchall()
        cursor.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = ANY(%s)"
            " AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname)"
            " AND indexname <> 'item_once_per_campaign'",
            [list(HOT)],
        )
        indexes = cursor.fetchall()
        for table, name, _ in keys:
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
        for name, _ in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
        yield
        cursor.execute("SET maintenance_work_mem = '1GB'")
        for _, definition in indexes:
            cursor.execute(definition)
        for table, name, definition in keys:
            cursor.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
        cursor.execute(f"VACUUM (ANALYZE, FREEZE) {', '.join(HOT)}")


def grow(judgments: int) -> None:
    """Add about this number of judgments, in new collections."""
    started = time.perf_counter()
    needed = judgments * 900
    if shutil.disk_usage("/tmp").free - needed < LEAST_FREE:
        raise SystemExit(
            f"{judgments:,} judgments more would need {needed / 1e9:.0f} GB, which the disk does not have."
        )
    half = int(judgments / 2 / (OVERLAP - 0.05))
    huge = collection_of("huge", 1, 40)
    sea = collection_of("sea", max(1, half // SMALL), 6)
    queue = collection_of("queue", 1, 40, strategy="queue")
    with indexes_set_aside():
        for collection, items in ((huge, half), (sea, SMALL), (queue, judgments // 30)):
            fill(collection, items)
    print(f"{judgments:,} judgments in {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)


def fill(collection: Any, items: int) -> None:
    from django.db import connection

    named = {"collection": collection.pk, "items": items, "topics": TOPICS, "documents": DOCUMENTS}
    is_queue = collection.slug.startswith("queue")
    steps = (TEXTS, ITEMS, QUEUE) if is_queue else (TEXTS, ITEMS, PLAN, SAID, JUDGED)
    if collection.slug.startswith("sea"):
        steps = (*steps, COUNTED)
    with connection.cursor() as cursor:
        cursor.execute("SET work_mem = '512MB'; SET synchronous_commit = off")
        for step in steps:
            cursor.execute(step, named)
            cursor.execute("ANALYZE annotation_item, annotation_assignment, annotation_submission")
        cursor.execute("RESET work_mem")
    print(f"filled {collection.slug}", file=sys.stderr, flush=True)


def collection_of(name: str, campaigns: int, people: int, *, strategy: str = "planned") -> Any:
    """A new collection with `campaigns` open campaigns, `people` annotators in each, and a manager for the pages."""
    import secrets

    from django.utils import timezone

    from annotation.models import Annotator, Campaign, Criterion, Guideline, Level
    from bench.scenes import people as users
    from corpus.models import Collection, Membership

    now, manager = timezone.now(), users()[0]
    collection = Collection.objects.create(slug=f"{name}-{secrets.token_hex(3)}", title=name, created_at=now)
    Membership.objects.create(collection=collection, user=manager, role="manager", created_at=now)
    for number in range(campaigns):
        slug = "main" if campaigns == 1 else f"part-{number}"
        campaign = Campaign.objects.create(
            collection=collection, slug=slug, name=slug, kind="relevance", state="open", overlap=OVERLAP, seed=1,
            strategy=strategy, created_at=now, opened_at=now,
        )  # fmt: skip
        criterion = Criterion.objects.create(campaign=campaign, key="relevance", label="Relevance")
        Level.objects.bulk_create(Level(criterion=criterion, value=value, label=str(value)) for value in range(3))
        Guideline.objects.create(campaign=campaign, version=1, body="Judge.", created_at=now, created_by=manager)
        Annotator.objects.bulk_create(
            Annotator(campaign=campaign, name=f"person {each}", created_at=now) for each in range(people)
        )
    return collection
