"""A release of a large collection: seconds, processor time of Litmus and of PostgreSQL, peak memory.

The collection is made by SQL: documents of 150 words, topics, a pool of each topic that two runs filled, two labels of
each pair and its verdict. The release is the command that a person would type, in a separate process, against
embedded servers in a separate directory. Prints one JSON object.

    python -m bench.releases [--size 1.0] [--keep DIR]
"""

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil

from bench.judging import cpu_of, servers
from bench.transfers import WORDS, manage

DOCUMENTS, TOPICS, JUDGMENTS = 360_000, 1_000, 1_000_000
FULL = (DOCUMENTS, TOPICS, JUDGMENTS)
OVERLAP = 2
TARGETS = {"seconds": 180, "peak_megabytes": 400}
REASON = "A benchmark has no makers and no licence."
# Names after a colon are filled in.
BUILD = """
INSERT INTO corpus_document (collection_id, docno, title, abstract, keywords, authors, venue, doi, url, extra)
SELECT :collection, 'doc' || n, 'Study ' || n || ' of ' || left(':words', 50),
  'We study ' || n || '. ' || repeat(':words. ', 10), '{}', '{}', '', '', '', '{}'
FROM generate_series(1, :documents) n;

INSERT INTO corpus_topic
  (collection_id, number, prefix, kind, source, author, title, text, narrative, sentences, position, extra)
SELECT :collection, n, '', 'question', '', '', '', 'Which papers are about thing ' || n || '?', '', '{}', n, '{}'
FROM generate_series(1, :topics) n;

INSERT INTO corpus_poolentry (topic_id, document_id)
SELECT t.id, d.id FROM corpus_topic t, generate_series(0, :depth - 1) n, corpus_document d
WHERE t.collection_id = :collection AND d.collection_id = :collection
  AND d.docno = 'doc' || 1 + (t.position * 7919::bigint + n * 31) % :documents;

INSERT INTO corpus_poolsource (entry_id, method, rank)
SELECT p.id, 'run ' || r, 1 + p.id % :depth FROM corpus_poolentry p, generate_series(1, 2) r;

INSERT INTO corpus_retrievalrun (collection_id, name, description, parameters, created_at)
SELECT :collection, 'run ' || r, '', '{}', now() FROM generate_series(1, 2) r;

INSERT INTO corpus_ranking (run_id, topic_id, docnos, scores)
SELECT r.id, t.id, array_agg('doc' || n ORDER BY n), array_agg(1000 - n / 7.0 ORDER BY n)
FROM corpus_retrievalrun r, corpus_topic t, generate_series(1, :depth) n GROUP BY r.id, t.id;

INSERT INTO annotation_item (campaign_id, split, topic_id, document_id, extra_overlap)
SELECT :campaign, 'main', topic_id, document_id, 0 FROM corpus_poolentry;

INSERT INTO annotation_assignment (item_id, annotator_id, state, slot, repeat, position, finished_at)
SELECT i.id, ids[1 + (i.id + s) % cardinality(ids)], 'done', s, 0, i.id, now()
FROM annotation_item i, generate_series(1, :overlap) s,
  (SELECT array_agg(id ORDER BY id) AS ids FROM annotation_annotator) people;

INSERT INTO annotation_submission (uuid, assignment_id, kind, outcome, answers, reasons, reason, note, flagged,
  guideline_id, active_ms, device, received_at)
SELECT gen_random_uuid(), a.id, 'answer', 'counted', '{"relevance": 1}', '{}', '', '', false,
  :guideline, 5000 + a.id % 60000, 'keyboard', now()
FROM annotation_assignment a;

INSERT INTO annotation_judgment (assignment_id, criterion_id, value, reason, submission_id)
SELECT s.assignment_id, :criterion, s.assignment_id % 3, '', s.id FROM annotation_submission s;

INSERT INTO adjudication_verdict (item_id, criterion_id, value, method, votes, n_votes, agreement, machine_differs,
  comment, cause, vote_run_id)
SELECT a.item_id, :criterion, max(j.value), 'tie-policy', jsonb_agg(jsonb_build_array(a.annotator_id, j.value)
  ORDER BY a.annotator_id), :overlap, 0, false, '', '', :votes
FROM annotation_assignment a JOIN annotation_judgment j ON j.assignment_id = a.id GROUP BY a.item_id;

ANALYZE
"""


def build(size: float) -> None:
    """The collection “bench”, at this part of the full size."""
    from django.db import connection, transaction
    from django.utils import timezone

    from adjudication.labels.labels import newest_submission, read_labels
    from adjudication.models import VoteRun
    from annotation.models import Annotator, Campaign, Criterion, Guideline, Level
    from bench.scenes import people
    from corpus.models import Collection

    now = timezone.now()
    collection = Collection.objects.create(slug="bench", title="Bench", licence="CC BY 4.0", created_at=now)
    campaign = Campaign.objects.create(
        collection=collection, slug="main", name="Main", kind="relevance", state="closed", overlap=OVERLAP, seed=1,
        strategy="planned", created_at=now, opened_at=now,
    )  # fmt: skip
    criterion = Criterion.objects.create(campaign=campaign, key="relevance", label="Relevance")
    for value, label in enumerate(("not relevant", "partly relevant", "relevant")):
        Level.objects.create(criterion=criterion, value=value, label=label, definition=label)
    users = people()
    guideline = Guideline.objects.create(
        campaign=campaign, version=1, body="Read.", created_at=now, created_by=users[0]
    )
    for user in users:
        Annotator.objects.create(campaign=campaign, name=user.email, user=user, created_at=now)
    votes = VoteRun.objects.create(campaign=campaign, ties="highest", state="done", requested_at=now, finished_at=now)
    topics = max(1, round(size * TOPICS))
    names = {
        "words": " ".join(WORDS), "documents": round(size * DOCUMENTS), "topics": topics,
        "depth": JUDGMENTS // TOPICS // OVERLAP, "collection": collection.pk, "campaign": campaign.pk,
        "criterion": criterion.pk, "guideline": guideline.pk, "overlap": OVERLAP, "votes": votes.pk,
    }  # fmt: skip
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(re.sub(r"(?<!:):([a-z]+)", lambda name: str(names[name[1]]), BUILD))
    counted = {"snapshot": newest_submission(), "inputs_hash": read_labels(campaign).inputs_hash}
    VoteRun.objects.filter(pk=votes.pk).update(**counted)  # else the release would be one of stale votes


def measured_release(postgres: psutil.Process) -> dict[str, Any]:
    """The command; `peak_megabytes` is its memory."""
    before = cpu_of(postgres)
    found = manage(dict(os.environ), "release", "bench", "v1", "--force", REASON, "--json")
    return {
        "seconds": found["seconds"],
        "cpu_seconds": found["cpu_seconds"],
        "postgres_cpu_seconds": round(cpu_of(postgres) - before, 2),
        "peak_megabytes": found["peak_megabytes"],
        "files": found["reported"]["files"],
        "bytes": found["reported"]["bytes"],
    }


def run(size: float, data_dir: Path) -> dict[str, Any]:
    """Build the collection, unless the directory holds it already, and release it."""
    with servers(data_dir.resolve()) as postgres:
        from corpus.models import Collection

        if not Collection.objects.filter(slug="bench").exists():
            print(f"building {size:g} of {DOCUMENTS:,} documents and {JUDGMENTS:,} judgments", file=sys.stderr)
            build(size)
        return {"size": size, **measured_release(postgres)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=float, default=1.0, help="part of the full size")
    parser.add_argument("--keep", type=Path, help="directory for the servers' data, kept afterwards")
    options = parser.parse_args()
    data_dir = options.keep or Path(tempfile.mkdtemp(prefix="litmus-bench-"))
    try:
        print(json.dumps({"targets": TARGETS, "full": FULL, **run(options.size, data_dir)}, indent=2))
    finally:
        if not options.keep:
            shutil.rmtree(data_dir, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
