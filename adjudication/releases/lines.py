"""Each line of qrels explains itself: where the document came from, who judged it when under what, how it was decided.

In PROV terms: a value `prov:wasGeneratedBy` a vote or decision; a label `prov:wasAttributedTo` an annotator (a
pseudonym, or a machine with the hash of its recipe); a pooled document `prov:wasDerivedFrom` methods.
"""

import json
import mmap
from collections.abc import Iterator
from typing import Any

from adjudication.exporting import statements
from adjudication.exporting.exporter import Options
from adjudication.exporting.registry import EXPORTERS
from adjudication.exporting.streams import loaded, rows
from adjudication.models import Release
from adjudication.releases.archive import StoredFiles
from adjudication.releases.people import Pseudonyms
from annotation.models import Campaign, MachineRun
from corpus.models import Collection

STEP = 5  # seconds: times are rounded to it
LINES = "lines.jsonl"


def coarse(milliseconds: int | None) -> int | None:
    """Seconds, rounded to `STEP`, at least one step."""
    return None if milliseconds is None else max(STEP, STEP * round(milliseconds / 1000 / STEP))


def lines_of(
    collection: Collection,
    campaign: Campaign,
    people: Pseudonyms,
    *,
    topic: int | None = None,
    document: int | None = None,
    said: bool = False,
    is_stale: bool = False,
) -> Iterator[dict[str, Any]]:
    """One object for each item and criterion of the campaign that has a label or a value, in the order of topics.

    `topic` and `document` (ids) narrow it to one pair; with `said` labels of machines have the machine's words.
    Where votes have changed since they were counted (`is_stale`), no value has a probability.
    Streamed.
    """
    options = Options(collection, EXPORTERS["judgments"], campaign)
    recipes = dict(MachineRun.objects.filter(campaign=campaign).values_list("annotator_id", "recipe_hash"))
    for row in rows(LINES_OF_CAMPAIGN, options, topic=topic, document=document, said=said):
        found = dict(zip(COLUMNS, row, strict=True)) | ({"probability": None} if is_stale else {})
        yield _line(campaign, found, people, recipes)


def _line(campaign: Campaign, row: dict[str, Any], people: Pseudonyms, recipes: dict[int, str]) -> dict[str, Any]:
    subtopic = f"{row['topic']}.{row['place']}" if row["aspect"] else row["topic"]
    found = {
        "id": "/".join(filter(None, (people.slugs[campaign.pk], subtopic, row["docno"], row["criterion"]))),
        "campaign": people.slugs[campaign.pk],
        "topic": row["topic"],
        "subtopic": subtopic if row["aspect"] else None,
        "aspect": row["aspect"],
        "docno": row["docno"],
        "criterion": row["criterion"],
        "value": row["value"],
        "target": row["target"],
        "prov:wasDerivedFrom": [{**one, "method": people.label(one["method"])} for one in loaded(row["sources"]) or []]
        or None,
        "prov:wasGeneratedBy": _decision(row, people),
        "labels": _labels(row["labels"], people, recipes),
        "former_labels": _labels(row["former"], people, recipes) or None,
    }
    return {name: each for name, each in found.items() if each is not None or name == "value"}


def _decision(row: dict[str, Any], people: Pseudonyms) -> dict[str, Any] | None:
    """How the value was reached: by which rule from which votes, by whom and why, and how probable it is by the model
    of the people who judged."""
    if row["method"] is None:
        return None
    votes = {people.names[pk]: value for pk, value in loaded(row["votes"]) or [] if pk in people.names}
    found = {
        "method": row["method"],
        "votes": dict(sorted(votes.items())),
        "ties": row["ties"],
        "min_votes": row["min_votes"],
        "decided": row["decided"],
        "by": people.users.get(row["decided_by"]) if row["decided_by"] else None,
        "cause": row["cause"] or None,
        "comment": people.without_names(row["comment"] or "") or None,
        "reopened": True if row["reopened"] else None,
        "probability": row["probability"],
        "probability_reason": row["unknown"] or None,
    }
    return {name: each for name, each in found.items() if each is not None}


def _labels(found: Any, people: Pseudonyms, recipes: dict[int, str]) -> list[dict[str, Any]]:
    """By annotator; of one annotator the older guideline first."""
    shown = (_label(label, people, recipes) for label in loaded(found) or [])
    return sorted(shown, key=lambda one: (str(one["prov:wasAttributedTo"]), one.get("guideline", 0)))


def _label(label: dict[str, Any], people: Pseudonyms, recipes: dict[int, str]) -> dict[str, Any]:
    who = label["who"]
    found = {
        "prov:wasAttributedTo": people.names[who],
        "machine": who in people.machines,
        "recipe_sha256": recipes.get(who),
        "value": label["value"],
        "reason": label["reason"] or None,
        "guideline": label["guideline"],
        "week": label["week"],
        "seconds": coarse(label["active_ms"]),
        "said": people.without_names(label["said"] or "") or None,
    }
    return {name: each for name, each in found.items() if each is not None}


def released_line(release: Release, line_id: str) -> dict[str, Any] | None:
    """The line of that id as a release has it, None where it has none. The file is searched, not read whole."""
    stored, beginning = StoredFiles(release), ('{"id": ' + json.dumps(line_id, ensure_ascii=False) + ",").encode()
    if LINES not in stored.hashes:
        return None
    with (
        stored.local(LINES) as path,
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        start = content.find(beginning)
        return None if start < 0 else dict(json.loads(content[start : content.find(b"\n", start)]))


COLUMNS = (
    "topic place aspect docno criterion value method votes ties min_votes decided decided_by cause comment reopened"
    " probability unknown target sources labels former"
).split()
WEEK = """to_char(%s AT TIME ZONE 'UTC', 'IYYY"-W"IW')"""
LABELS = f"""(SELECT json_agg(json_build_object('who', a.annotator_id, 'value', j.value, 'reason', j.reason,
      'guideline', g.version, 'active_ms', s.active_ms, 'week', {statements.LABEL_WEEK},
      'said', CASE WHEN %(said)s THEN {statements.SAID} END) ORDER BY a.repeat, a.annotator_id)::text
    FROM annotation_assignment a
    JOIN annotation_judgment j ON j.assignment_id = a.id AND j.criterion_id = c.id
    JOIN annotation_submission s ON s.id = j.submission_id
    LEFT JOIN annotation_guideline g ON g.id = s.guideline_id
    WHERE a.item_id = i.id AND a.state = 'done' AND {{}})"""
LINES_OF_CAMPAIGN = f"""
WITH {statements.PLACES}
SELECT t.written, coalesce(places.place, 1), asp.text, d.docno, c.key, v.value, v.method, v.votes, run.ties,
  run.min_votes, {WEEK % "v.decided_at"}, v.decided_by_id, v.cause, v.comment, v.reopened_at IS NOT NULL,
  v.probability, v.probability_reason,
  (SELECT nullif(target.source, '') FROM corpus_target target
    WHERE target.topic_id = i.topic_id AND target.document_id = i.document_id),
  (SELECT json_agg(json_build_object('method', s.method, 'rank', s.rank) ORDER BY s.method COLLATE "C")::text
    FROM corpus_poolentry p JOIN corpus_poolsource s ON s.entry_id = p.id
    WHERE p.topic_id = i.topic_id AND p.document_id = i.document_id),
  {LABELS.format(statements.COUNTED)} AS labels, {LABELS.format(statements.FORMER)} AS former
FROM annotation_item i
JOIN {statements.PUBLISHED_TOPICS} t ON t.id = i.topic_id
JOIN annotation_criterion c ON c.campaign_id = i.campaign_id
LEFT JOIN corpus_aspect asp ON asp.id = i.aspect_id
LEFT JOIN places ON places.aspect_id = i.aspect_id
LEFT JOIN corpus_document d ON d.id = i.document_id
LEFT JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = c.id
LEFT JOIN adjudication_voterun run ON run.id = v.vote_run_id
WHERE i.campaign_id = %(campaign)s AND (%(topic)s::bigint IS NULL OR i.topic_id = %(topic)s)
  AND (%(document)s::bigint IS NULL OR i.document_id = %(document)s OR i.document_id IS NULL)
  AND (v.id IS NOT NULL OR EXISTS (
    SELECT FROM annotation_assignment a WHERE a.item_id = i.id AND a.state = 'done' AND a.repeat = 0))
ORDER BY t.position, t.id, 2, d.docno COLLATE "C", c.position, c.id
"""
