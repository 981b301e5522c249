"""The statements behind the exports. Each gives rows in an order that depends only on what is stored.

Named parameters: campaign, criterion, collection, and `bare`: whether prefixes that keep numbers unique in the
collection are taken off, which is so where the numbers written stay unique without them. Values are verdicts (by hand
before vote) unless labels are wanted.
"""

# Topics but those whose authors have withdrawn them: judged, so they stay, but they are not published.
# `written` is their number in files.
WRITTEN = "substr(one.number, CASE WHEN %(bare)s THEN length(one.prefix) + 1 ELSE 1 END)"
STANDING = f"""(
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
# How many distinct things the campaign judges for each topic: a document's grade needs all of them.
WHOLE = """
whole AS (
  SELECT topic_id, count(DISTINCT coalesce(aspect_id, 0)) AS n FROM annotation_item
  WHERE campaign_id = %(campaign)s GROUP BY topic_id
)
"""
QUERY_SUMS = f"""
WITH {WHOLE}
SELECT t.written, d.docno, sum(v.value)::int AS total, whole.n::int AS n
FROM annotation_item i
JOIN {STANDING} t ON t.id = i.topic_id
JOIN corpus_document d ON d.id = i.document_id
JOIN whole ON whole.topic_id = i.topic_id
JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s AND v.value IS NOT NULL
WHERE i.campaign_id = %(campaign)s
GROUP BY t.position, t.id, t.written, d.docno, whole.n
HAVING count(*) = whole.n
ORDER BY t.position, t.id, d.docno COLLATE "C"
"""
# What a sub-query judges: its aspects and what stands below them in its topic's tree, each once.
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
  SELECT sub_query_id, count(*) AS n FROM sub_item GROUP BY 1
)
"""
SUB_QUERY_SUMS = f"""
WITH {SUB_ITEMS}
SELECT q.number, d.docno, sum(v.value)::int AS total, w.n::int AS n
FROM sub_item s
JOIN corpus_subquery q ON q.id = s.sub_query_id
JOIN {STANDING} t ON t.id = q.topic_id
JOIN sub_whole w ON w.sub_query_id = q.id
JOIN annotation_item i ON i.aspect_id = s.aspect_id AND i.campaign_id = %(campaign)s
JOIN corpus_document d ON d.id = i.document_id
JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s AND v.value IS NOT NULL
GROUP BY t.position, t.id, q.id, q.number, d.docno, w.n
HAVING count(*) = w.n
ORDER BY t.position, t.id, q.id, d.docno COLLATE "C"
"""
SUB_TOPICS = f"""
SELECT q.number, '', array_to_string(q.sentences, ' '), t.text
FROM corpus_subquery q JOIN {STANDING} t ON t.id = q.topic_id
WHERE q.collection_id = %(collection)s ORDER BY t.position, t.id, q.id
"""
ASPECT_VALUES = f"""
WITH {PLACES}
SELECT t.written, coalesce(places.place, 1) AS place, d.docno, v.value
FROM annotation_item i
JOIN {STANDING} t ON t.id = i.topic_id
JOIN corpus_document d ON d.id = i.document_id
LEFT JOIN places ON places.aspect_id = i.aspect_id
JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s AND v.value IS NOT NULL
WHERE i.campaign_id = %(campaign)s
ORDER BY t.position, t.id, place, d.docno COLLATE "C"
"""
LABELS = f"""
FROM annotation_item i
JOIN annotation_assignment a ON a.item_id = i.id AND a.state = 'done' AND a.repeat = 0
JOIN annotation_judgment j ON j.assignment_id = a.id AND j.criterion_id = %(criterion)s
JOIN annotation_annotator who ON who.id = a.annotator_id
JOIN {STANDING} t ON t.id = i.topic_id
JOIN corpus_document d ON d.id = i.document_id
"""
QUERY_SUMS_BY_ANNOTATOR = f"""
WITH {WHOLE}
SELECT t.written, who.name, d.docno, sum(j.value)::int AS total, whole.n::int AS n
{LABELS}
JOIN whole ON whole.topic_id = i.topic_id
WHERE i.campaign_id = %(campaign)s
GROUP BY t.position, t.id, t.written, d.docno, who.name, whole.n
HAVING count(*) = whole.n
ORDER BY t.position, t.id, d.docno COLLATE "C", who.name COLLATE "C"
"""
ASPECT_VALUES_BY_ANNOTATOR = f"""
WITH {PLACES}
SELECT t.written, coalesce(places.place, 1) AS place, who.name, d.docno, j.value
{LABELS}
LEFT JOIN places ON places.aspect_id = i.aspect_id
WHERE i.campaign_id = %(campaign)s
ORDER BY t.position, t.id, place, d.docno COLLATE "C", who.name COLLATE "C"
"""
JUDGMENTS = """
SELECT who.name, who.kind, who.model, who.run_number, t.number, asp.text, d.docno, c.key, j.value, j.reason,
  s.note, s.flagged, g.version, s.received_at, s.active_ms
FROM annotation_item i
JOIN annotation_assignment a ON a.item_id = i.id AND a.state = 'done' AND a.repeat = 0
JOIN annotation_judgment j ON j.assignment_id = a.id
JOIN annotation_submission s ON s.id = j.submission_id
JOIN annotation_annotator who ON who.id = a.annotator_id
JOIN annotation_criterion c ON c.id = j.criterion_id
JOIN corpus_topic t ON t.id = i.topic_id
LEFT JOIN corpus_aspect asp ON asp.id = i.aspect_id
LEFT JOIN corpus_document d ON d.id = i.document_id
LEFT JOIN annotation_guideline g ON g.id = s.guideline_id
WHERE i.campaign_id = %(campaign)s
ORDER BY i.id, who.id, c.position, c.id
"""
VERDICTS = """
SELECT t.number, asp.text, d.docno, c.key, v.value, v.method, v.votes, run.ties, run.min_votes,
  run.parameters, v.decided_at, v.comment, v.cause, v.reopened_at
FROM annotation_item i
JOIN adjudication_verdict v ON v.item_id = i.id
JOIN annotation_criterion c ON c.id = v.criterion_id
JOIN corpus_topic t ON t.id = i.topic_id
LEFT JOIN corpus_aspect asp ON asp.id = i.aspect_id
LEFT JOIN corpus_document d ON d.id = i.document_id
LEFT JOIN adjudication_voterun run ON run.id = v.vote_run_id
WHERE i.campaign_id = %(campaign)s
ORDER BY i.id, c.position, c.id
"""
ASPECTS = f"""
WITH {PLACES}
SELECT t.written, places.place, asp.text
FROM places JOIN corpus_aspect asp ON asp.id = places.aspect_id JOIN {STANDING} t ON t.id = asp.topic_id
ORDER BY t.position, t.id, places.place
"""
TOPICS = f"""
SELECT t.written, t.title, t.text, t.narrative FROM {STANDING} t
WHERE t.collection_id = %(collection)s ORDER BY t.position, t.id
"""
ASPECT_TOPICS = f"""
WITH {PLACES}
SELECT t.written || '.' || places.place, asp.text, asp.text, t.text
FROM places JOIN corpus_aspect asp ON asp.id = places.aspect_id JOIN {STANDING} t ON t.id = asp.topic_id
ORDER BY t.position, t.id, places.place
"""
DOCUMENTS = """
SELECT d.docno, d.title, d.abstract, d.keywords, d.authors, d.venue, d.year, d.doi, d.url, d.extra
FROM corpus_document d WHERE d.collection_id = %(collection)s ORDER BY d.id
"""

DORIS_SCORES = f"""
SELECT t.number, asp.text, d.docno, v.value
FROM annotation_item i
JOIN {STANDING} t ON t.id = i.topic_id
JOIN corpus_aspect asp ON asp.id = i.aspect_id
JOIN corpus_document d ON d.id = i.document_id
JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s AND v.value IS NOT NULL
WHERE i.campaign_id = %(campaign)s
ORDER BY t.position, t.id, i.aspect_id, d.id
"""
# Its annotations know an aspect by its text alone, whichever query asks for it.
TWO_SCORES = """
SELECT asp.text, d.docno, count(*) OVER ()
FROM annotation_item i
JOIN corpus_aspect asp ON asp.id = i.aspect_id
JOIN corpus_document d ON d.id = i.document_id
JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s AND v.value IS NOT NULL
WHERE i.campaign_id = %(campaign)s
GROUP BY asp.text, d.docno HAVING min(v.value) < max(v.value) ORDER BY 1, 2 LIMIT 1
"""
OTHER_SCORES = """
SELECT v.value, count(*) FROM annotation_item i
JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s
WHERE i.campaign_id = %(campaign)s AND (v.value NOT BETWEEN 0 AND 2 OR i.aspect_id IS NULL) GROUP BY 1 ORDER BY 1
"""
POOLED_DOCNOS = f"""
SELECT t.number, d.docno FROM corpus_poolentry p
JOIN {STANDING} t ON t.id = p.topic_id AND t.collection_id = %(collection)s
JOIN corpus_document d ON d.id = p.document_id ORDER BY t.position, t.id, d.id
"""
DOCNOS = "SELECT d.docno FROM corpus_document d WHERE d.collection_id = %(collection)s ORDER BY d.id"
# Without the papers whose citation contexts are queries.
SEARCHED_DOCUMENTS = """
SELECT d.docno, d.title, d.abstract, d.keywords, d.authors, d.venue, d.year, d.doi, d.url, d.extra
FROM corpus_document d WHERE d.collection_id = %(collection)s AND NOT EXISTS (
  SELECT FROM corpus_paper p WHERE p.collection_id = d.collection_id AND p.key = d.docno
) ORDER BY d.id
"""
