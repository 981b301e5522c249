"""The statements behind the exports. Each gives rows in an order that depends only on what is stored.

Named parameters: campaign, criterion, collection, judged_only (score over the judged aspects, whatever a topic has),
annotators (labels count, not verdicts), and `bare`: whether prefixes that keep numbers unique in the collection are
taken off, which is so where the numbers written stay unique without them. Values are verdicts (by hand before vote)
unless labels are wanted.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from adjudication.exporting.forms import ASPECT, QUERY, SUB_QUERY
from adjudication.labels.relevance import WHOLE
from engines.formats.judgment_columns import NAMES, STORED_COLUMNS

if TYPE_CHECKING:
    from adjudication.exporting.exporter import Options

# Topics but those whose authors have withdrawn them: judged, so they stay, but they are not published.
# `written` is their number in files.
WRITTEN = "substr(one.number, CASE WHEN %(bare)s THEN length(one.prefix) + 1 ELSE 1 END)"
PUBLISHED_TOPICS = f"""(
  SELECT *, {WRITTEN} AS written FROM corpus_topic one WHERE NOT EXISTS (
    SELECT FROM corpus_authorquestion q
    JOIN corpus_authoranswer made ON made.id = q.answer_id
    JOIN corpus_authoranswer later ON later.invitation_id = made.invitation_id
      AND later.withdrawn AND later.revision > made.revision
    WHERE q.topic_id = one.id
  )
)"""
# Aspects of a topic are numbered 1..n as the tree is read: top aspects by position, each followed by its sub-aspects.
PLACES = """
places AS (
  SELECT asp.id AS aspect_id, asp.topic_id, row_number() OVER (
    PARTITION BY asp.topic_id
    ORDER BY min(ARRAY[coalesce(p.position, n.position), CASE WHEN p.id IS NULL THEN -1 ELSE n.position END])
      NULLS LAST, asp.id
  ) AS place
  FROM corpus_aspect asp
  JOIN corpus_topic top ON top.id = asp.topic_id AND top.collection_id = %(collection)s
  LEFT JOIN corpus_aspectnode n ON n.aspect_id = asp.id
  LEFT JOIN corpus_aspectnode p ON p.id = n.parent_id
  GROUP BY asp.id, asp.topic_id
)
"""
# The aspects of a sub-query and their sub-aspects in its topic's tree, each once.
SUB_ITEMS = """
sub_item AS (
  SELECT s.sub_query_id, s.aspect_id FROM corpus_subqueryaspect s
  JOIN corpus_subquery q ON q.id = s.sub_query_id AND q.collection_id = %(collection)s
  UNION
  SELECT s.sub_query_id, below.aspect_id FROM corpus_subqueryaspect s
  JOIN corpus_subquery q ON q.id = s.sub_query_id AND q.collection_id = %(collection)s
  JOIN corpus_aspectnode top ON top.aspect_id = s.aspect_id AND top.parent_id IS NULL
  JOIN corpus_aspectnode below ON below.parent_id = top.id
), sub_whole AS (
  SELECT sub_query_id, count(*)::int AS n FROM sub_item GROUP BY 1
)
"""
# Where values come from: verdicts, or labels under the same alias.
VERDICTS = "JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s AND v.value IS NOT NULL"
LABELS = """
JOIN annotation_assignment a ON a.item_id = i.id AND a.state = 'done' AND a.repeat = 0
JOIN annotation_judgment v ON v.assignment_id = a.id AND v.criterion_id = %(criterion)s
JOIN annotation_annotator who ON who.id = a.annotator_id
"""
# Scores of documents: topic, annotator ("" of verdicts), docno, sum, over how many aspects it runs, and how many the
# topic has: all of them, unless judged_only. An aspect's score is its value.
_SCORES = {
    QUERY: f"""
WITH {WHOLE}
SELECT t.written, {{annotator}}, d.docno, sum(v.value)::int, count(*)::int, whole.n
FROM annotation_item i {{labels}}
JOIN {PUBLISHED_TOPICS} t ON t.id = i.topic_id
JOIN corpus_document d ON d.id = i.document_id
JOIN whole ON whole.topic_id = i.topic_id AND whole.by_aspect = (i.aspect_id IS NOT NULL)
{{verdicts}}
WHERE i.campaign_id = %(campaign)s
GROUP BY t.position, t.id, t.written, d.docno, {{annotator}}, whole.n
HAVING %(judged_only)s OR count(*) = whole.n
ORDER BY t.position, t.id, d.docno COLLATE "C", {{annotator}} COLLATE "C"
""",
    ASPECT: f"""
WITH {PLACES}
SELECT t.written || '.' || places.place, {{annotator}}, d.docno, v.value, 1, 1
FROM annotation_item i {{labels}}
JOIN {PUBLISHED_TOPICS} t ON t.id = i.topic_id
JOIN corpus_document d ON d.id = i.document_id
JOIN places ON places.aspect_id = i.aspect_id
{{verdicts}}
WHERE i.campaign_id = %(campaign)s
ORDER BY t.position, t.id, places.place, d.docno COLLATE "C", {{annotator}} COLLATE "C"
""",
    SUB_QUERY: f"""
WITH {SUB_ITEMS}
SELECT q.number, {{annotator}}, d.docno, sum(v.value)::int, count(*)::int, w.n
FROM sub_item s
JOIN corpus_subquery q ON q.id = s.sub_query_id
JOIN {PUBLISHED_TOPICS} t ON t.id = q.topic_id
JOIN sub_whole w ON w.sub_query_id = q.id
JOIN annotation_item i ON i.aspect_id = s.aspect_id AND i.campaign_id = %(campaign)s {{labels}}
JOIN corpus_document d ON d.id = i.document_id
{{verdicts}}
GROUP BY t.position, t.id, q.id, q.number, d.docno, {{annotator}}, w.n
HAVING %(judged_only)s OR count(*) = w.n
ORDER BY t.position, t.id, q.id, d.docno COLLATE "C", {{annotator}} COLLATE "C"
""",
}


def scores(level: str, *, by_annotator: bool = False) -> str:
    """The statement of documents' scores for topics of this level, from verdicts or from labels of each annotator."""
    if by_annotator:
        return _SCORES[level].format(annotator="who.name", labels=LABELS, verdicts="")
    return _SCORES[level].format(annotator="''::text", labels="", verdicts=VERDICTS)


def scores_of(options: "Options") -> str:
    """The statement of the scores that the options ask for."""
    return scores(options.level, by_annotator=bool(options["annotators"]))


# What the campaign asks for each topic (or sub-query): its items with their values, and of how many aspects (n).
_VALUE = """
coalesce(i.aspect_id, 0) AS thing, i.document_id, v.value, v.value IS NOT NULL OR (%(annotators)s AND EXISTS (
    SELECT FROM annotation_assignment a JOIN annotation_judgment j ON j.assignment_id = a.id
    WHERE a.item_id = i.id AND a.state = 'done' AND a.repeat = 0 AND j.criterion_id = %(criterion)s
  )) AS has
"""
_VERDICT = """
LEFT JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s
  WHERE i.campaign_id = %(campaign)s AND i.document_id IS NOT NULL
"""
QUERY_VALUES = f"""
WITH {WHOLE}, value AS (
  SELECT t.position, t.id AS topic_id, t.id AS group_id, t.written AS number, whole.n, {_VALUE}
  FROM annotation_item i
  JOIN {PUBLISHED_TOPICS} t ON t.id = i.topic_id
  JOIN whole ON whole.topic_id = i.topic_id AND whole.by_aspect = (i.aspect_id IS NOT NULL)
  {_VERDICT}
)
"""
SUB_QUERY_VALUES = f"""
WITH {SUB_ITEMS}, value AS (
  SELECT t.position, t.id AS topic_id, q.id AS group_id, q.number, w.n, {_VALUE}
  FROM sub_item s
  JOIN corpus_subquery q ON q.id = s.sub_query_id
  JOIN {PUBLISHED_TOPICS} t ON t.id = q.topic_id
  JOIN sub_whole w ON w.sub_query_id = q.id
  JOIN annotation_item i ON i.aspect_id = s.aspect_id
  {_VERDICT}
)
"""
ASPECTS_JUDGED = """
SELECT number, count(DISTINCT thing) FILTER (WHERE has), n FROM value
GROUP BY position, topic_id, group_id, number, n HAVING bool_or(has) ORDER BY position, topic_id, group_id
"""
COVERAGE_COLUMNS = "pairs partial complete incomplete highest short examples"
# Pairs of topic and document: all; those without an item for each aspect (of topics that have one for each); with a
# value on every aspect; on some only; the largest sum. Topics with an aspect without items; the first of those with an
# aspect that is not judged.
COVERAGE = """
, pair AS (
  SELECT group_id, n, count(*) AS items, count(*) FILTER (WHERE has) AS judged, sum(value) AS total FROM value
  GROUP BY group_id, document_id, n
), by_pair AS (
  SELECT group_id, count(*) AS pairs, count(*) FILTER (WHERE items < n) AS partial,
    count(*) FILTER (WHERE judged = n) AS complete, count(*) FILTER (WHERE judged BETWEEN 1 AND n - 1) AS incomplete,
    max(total) AS highest
  FROM pair GROUP BY group_id
), by_group AS (
  SELECT position, topic_id, group_id, number, n, bool_or(thing > 0) AS by_aspect, count(DISTINCT thing) AS items,
    count(DISTINCT thing) FILTER (WHERE has) AS judged
  FROM value GROUP BY position, topic_id, group_id, number, n
)
SELECT coalesce(sum(pairs), 0)::bigint, coalesce(sum(partial) FILTER (WHERE items = n), 0)::bigint,
  coalesce(sum(complete), 0)::bigint, coalesce(sum(incomplete), 0)::bigint, max(highest),
  count(*) FILTER (WHERE items < n),
  (array_agg(number || CASE WHEN by_aspect THEN ' (' || judged || ' of ' || n || ' aspects judged)'
    ELSE ' (not judged)' END ORDER BY items = n, position, topic_id,
    group_id) FILTER (WHERE judged < n))[:4]
FROM by_group JOIN by_pair USING (group_id)
"""
# When a label was given: by the server's clock, which can be trusted; of what a file brings, the time in the file, null
# where it has none: when it came in says nothing of when it was given.
_AT = "CASE s.kind WHEN 'import' THEN s.client_at ELSE s.received_at END"
LABEL_WEEK = f"""to_char({_AT} AT TIME ZONE 'UTC', 'IYYY"-W"IW')"""
# What a machine said where it gave the label: the words that a file brought, else the reply of its run.
SAID = """coalesce(nullif(s.said, ''), (
    SELECT reply.text FROM annotation_machinereply reply JOIN annotation_machinerun made ON made.id = reply.run_id
    WHERE made.annotator_id = a.annotator_id AND reply.item_id = a.item_id))"""
# Where the columns of a judgments file come from; those that an answer keeps as they are, from its own fields.
_LABEL = {
    "annotator": "who.name",
    "topic": "t.number",
    "aspect": "asp.text",
    "docno": "d.docno",
    "criterion": "c.key",
    "value": "j.value",
    "machine": "who.kind = 'machine'",
    "model": "CASE who.kind WHEN 'machine' THEN who.model END",
    "run": "CASE who.kind WHEN 'machine' THEN who.run_number END",
    "reason": "j.reason",
    "flagged": "s.flagged",
    "guideline": "g.version",
    "at": _AT,
    "week": LABEL_WEEK,
    "who": "who.id",
    **{column.name: f"s.{column.name}" for column in STORED_COLUMNS},
    "said": f"CASE who.kind WHEN 'machine' THEN {SAID} END",
}
_LABELS = """
FROM annotation_item i
JOIN annotation_assignment a ON a.item_id = i.id AND a.state = 'done' AND {}
JOIN annotation_judgment j ON j.assignment_id = a.id
JOIN annotation_submission s ON s.id = j.submission_id
JOIN annotation_annotator who ON who.id = a.annotator_id
JOIN annotation_criterion c ON c.id = j.criterion_id
JOIN corpus_topic t ON t.id = i.topic_id
LEFT JOIN corpus_aspect asp ON asp.id = i.aspect_id
LEFT JOIN corpus_document d ON d.id = i.document_id
LEFT JOIN annotation_guideline g ON g.id = s.guideline_id
WHERE i.campaign_id = %(campaign)s
ORDER BY i.id, who.id, a.repeat, c.position, c.id
"""
COUNTED = "a.repeat = 0"
FORMER = "a.repeat >= 10 AND a.repeat %% 10 = 0"  # judgments that were made again; they do not count


def judgments(names: Iterable[str], which: str = COUNTED) -> str:
    """The statement of every label that counts (or is FORMER), item by item, with these columns of a judgments file;
    also `who` (the id of the annotator) and `week` (as ISO 8601 writes it)."""
    return f"SELECT {', '.join(_LABEL[name] for name in names)} {_LABELS.format(which)}"


JUDGMENTS = judgments(NAMES)
FORMER_JUDGMENTS = judgments(NAMES, FORMER)
# Documents in the pools of judged topics of which nothing is known. Sets are compared, not rows looked up: the planner
# has no good guess of tables that were filled a moment ago.
POOLED_ALONE = f"""
WITH {WHOLE}
SELECT count(*) FROM (
  SELECT p.topic_id, p.document_id FROM corpus_poolentry p
  JOIN {PUBLISHED_TOPICS} t ON t.id = p.topic_id
  JOIN whole ON whole.topic_id = p.topic_id
  EXCEPT
  SELECT i.topic_id, i.document_id FROM annotation_item i
  {VERDICTS}
  WHERE i.campaign_id = %(campaign)s
) alone
"""


def coverage_of(options: "Options") -> str:
    """The statement of how much of what a score needs has items and is judged; one row of `COVERAGE_COLUMNS`."""
    return _values_of(options) + COVERAGE


def aspects_judged_of(options: "Options") -> str:
    """The statement of how many aspects each topic (or sub-query) has values on, and how many it has."""
    return _values_of(options) + ASPECTS_JUDGED


def _values_of(options: "Options") -> str:
    return SUB_QUERY_VALUES if options.level == SUB_QUERY else QUERY_VALUES
