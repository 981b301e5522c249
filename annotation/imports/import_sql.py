"""The SQL of importing judgments: rows are matched, checked and written as sets, however many there are.

`judgment_row` holds the file's rows, `judgment_match` the records that they name and their problems, `judgment_group`
the answers: one for each annotator and item, with the answer that is stored already.
"""

from engines.formats.judgment_columns import COLUMNS, STORED_COLUMNS, Column

COMPARED = [column for column in STORED_COLUMNS if column.is_compared]


def listed(table: str = "") -> str:
    """The columns that an answer stores unchanged, for a SELECT or an INSERT."""
    return ", ".join(f"{table}.{column.name}" if table else column.name for column in STORED_COLUMNS)


def compared(table: str = "") -> str:
    """Those of them that make another answer."""
    names = (f"{table}.{column.name}" if table else column.name for column in COMPARED)
    return ", ".join(names)


def known(column: Column, value: str) -> str:
    """The value for storage: an unknown text is an empty one."""
    return f"coalesce({value}, '')" if column.sql == "text" else value


STAGE = f"""
DROP TABLE IF EXISTS judgment_row, judgment_match, judgment_group, judgment_name, judgment_uuid, judgment_open;
CREATE TEMP TABLE judgment_row (
  n bigint, file text, line integer, {", ".join(f"{column.name} {column.sql}" for column in COLUMNS)}
) ON COMMIT DROP;
CREATE TEMP TABLE judgment_name (name text PRIMARY KEY, annotator_id bigint, machine boolean, problem text)
  ON COMMIT DROP;
CREATE TEMP TABLE judgment_uuid (grp bigint PRIMARY KEY, uuid uuid) ON COMMIT DROP;
"""
COPY_ROWS = "COPY judgment_row FROM STDIN"
COPY_NAMES = "COPY judgment_name FROM STDIN"
COPY_UUIDS = "COPY judgment_uuid (grp, uuid) FROM STDIN"
NAMES = """
SELECT annotator, bool_or(machine), coalesce(max(model), ''), coalesce(max(run), 1)
FROM judgment_row GROUP BY 1 ORDER BY min(n)
"""

# A value is compared as a number only after a test that it is one.
_MATCH = f"""
CREATE TEMP TABLE judgment_match ON COMMIT DROP AS
SELECT r.n, r.file, r.line, g.annotator_id, g.machine, i.id AS item_id, cr.id AS criterion_id, cr.key AS criterion,
  l.value AS value, coalesce(r.reason, '') AS reason, r.flagged, r.guideline,
  v.id AS guideline_id, r.at, {listed("r")},
  CASE
    WHEN g.problem <> '' THEN g.problem
    WHEN t.id IS NULL THEN format('topic %%s is not in the collection', r.topic)
    <documents>
    WHEN r.aspect <> '' AND a.id IS NULL THEN format('topic %%s has no aspect “%%s”', r.topic, left(r.aspect, 80))
    WHEN cr.id IS NULL AND r.criterion = '' THEN 'names no criterion, and the campaign has several'
    WHEN cr.id IS NULL THEN format('the campaign has no criterion “%%s”; it has %%s', left(r.criterion, 80),
      (SELECT string_agg(key, ', ' ORDER BY position, id) FROM annotation_criterion WHERE campaign_id = %(campaign)s))
    WHEN i.id IS NULL AND r.aspect = '' AND EXISTS (
      SELECT FROM annotation_item x WHERE x.campaign_id = %(campaign)s AND x.topic_id = t.id AND x.document_id = d.id
    ) THEN format('names no aspect, but topic %%s is judged aspect by aspect', r.topic)
    WHEN i.id IS NULL THEN 'this pair is no item of the campaign'
    WHEN l.id IS NULL AND g.machine AND r.value = '-1' THEN 'unparsed'
    WHEN l.id IS NULL THEN format('the value “%%s” is not on the scale of %%s (%%s)', left(r.value, 20), cr.key,
      (SELECT string_agg(s.value::text, ', ' ORDER BY s.value) FROM annotation_level s WHERE s.criterion_id = cr.id))
    ELSE ''
  END AS problem
FROM judgment_row r
JOIN judgment_name g ON g.name = r.annotator
LEFT JOIN corpus_topic t ON t.collection_id = %(collection)s AND t.number = r.topic
LEFT JOIN corpus_document d ON d.collection_id = %(collection)s AND d.docno = r.docno
LEFT JOIN corpus_aspect a ON a.topic_id = t.id AND a.text = r.aspect
LEFT JOIN annotation_criterion cr ON cr.campaign_id = %(campaign)s
  AND cr.key = CASE WHEN r.criterion = '' THEN %(criterion)s ELSE r.criterion END
LEFT JOIN annotation_item i ON i.campaign_id = %(campaign)s AND i.topic_id = t.id AND <same document>
  AND coalesce(i.aspect_id, 0) = coalesce(a.id, 0) AND (r.aspect = '' OR a.id IS NOT NULL)
LEFT JOIN annotation_guideline v ON v.campaign_id = %(campaign)s AND v.version = r.guideline
LEFT JOIN annotation_level l ON l.criterion_id = cr.id
  AND l.value = CASE WHEN r.value ~ '^[+-]?[0-9]{{1,4}}$' THEN r.value::integer END
"""
MATCH = _MATCH.replace(
    "<documents>",
    """WHEN r.docno = '' THEN 'has no docno, and this campaign judges documents'
    WHEN d.id IS NULL THEN format('document %%s is not in the collection', r.docno)""",
).replace("<same document>", "i.document_id = d.id")
MATCH_QUESTIONS = _MATCH.replace(
    "<documents>", "WHEN r.docno <> '' THEN 'names a document, but this campaign rates questions without documents'"
).replace("<same document>", "i.document_id IS NULL AND r.docno = ''")
# Of repeated rows, also in two files, the first counts.
REPEATED = """
UPDATE judgment_match m SET problem = format('repeats %%s, line %%s', f.file, f.line)
FROM (
  SELECT n, first_value(n) OVER w AS first FROM judgment_match WHERE problem = ''
  WINDOW w AS (PARTITION BY annotator_id, item_id, criterion_id ORDER BY n)
) s JOIN judgment_match f ON f.n = s.first
WHERE m.n = s.n AND s.n <> s.first
"""
# One answer for each annotator and item. `last` is the newest submission that counts; its kind says whether a person
# or an import gave the stored answer.
GROUP = f"""
CREATE TEMP TABLE judgment_group ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY min(m.n)) AS grp, min(m.n) AS n, count(*) AS size, m.annotator_id, m.item_id,
  bool_or(m.machine) AS machine, jsonb_object_agg(m.criterion, m.value) AS answers,
  coalesce(jsonb_object_agg(m.criterion, m.reason) FILTER (WHERE m.reason <> ''), '{{}}'::jsonb) AS reasons,
  coalesce(bool_or(m.flagged), false) AS flagged, max(m.guideline_id) AS guideline_id, max(m.at) AS at,
  {", ".join(f"{known(column, f'max(m.{column.name})')} AS {column.name}" for column in STORED_COLUMNS)},
  e.id AS assignment_id, e.state AS state, e.slot AS slot, last.uuid AS last_uuid, last.kind AS last_kind,
  coalesce(have.answers, '{{}}'::jsonb) AS before,
  last.how AS how_before,
  NULL::integer AS new_slot, NULL::bigint AS open_id,
  NULL::bigint AS queue_id, 0 AS position, ''::text AS fate
FROM judgment_match m
LEFT JOIN annotation_assignment e ON e.item_id = m.item_id AND e.annotator_id = m.annotator_id AND e.repeat = 0
LEFT JOIN LATERAL (
  SELECT s.uuid, s.kind,
    jsonb_build_array(s.reasons, s.flagged, s.guideline_id, s.client_at, {compared("s")}) AS how
  FROM annotation_submission s WHERE s.assignment_id = e.id AND s.outcome = 'counted'
  ORDER BY s.id DESC LIMIT 1
) last ON true
LEFT JOIN LATERAL (
  SELECT jsonb_object_agg(c.key, j.value) AS answers FROM annotation_judgment j
  JOIN annotation_criterion c ON c.id = j.criterion_id WHERE j.assignment_id = e.id
) have ON true
WHERE m.problem = ''
GROUP BY m.annotator_id, m.item_id, e.id, e.state, e.slot, last.uuid, last.kind, last.how, have.answers
"""
# fate: unchanged, updated, created, or the problem.
DECIDE = f"""
UPDATE judgment_group SET fate = CASE
    WHEN NOT (before || answers) ?& %(criteria)s::text[] THEN 'lacks a value for another criterion of the same item'
    WHEN state = 'done' AND before @> answers AND (last_kind = 'answer' OR how IN (how_before, silent)) THEN 'unchanged'
    WHEN state = 'done' AND last_kind = 'answer'
      THEN 'was answered otherwise in Litmus by the same annotator, and an import does not change that'
    WHEN state = 'done' THEN 'updated'
    ELSE 'created'
  END
FROM (
  SELECT grp AS of, jsonb_build_array(reasons, flagged, guideline_id, at, {compared()}) AS how,
    '[{{}}, false, null, null, {", ".join(column.empty for column in COMPARED)}]'::jsonb AS silent
  FROM judgment_group
) compared WHERE compared.of = grp
"""
# Whether a file agrees with a sealed label would reveal the label to people who guess.
HIDE_SEALED = """
UPDATE judgment_group SET fate = 'is judged already; while the test set is sealed an import only adds labels'
WHERE state = 'done' AND NOT machine
"""
# Answers that need a slot get the lowest free slots of their items, in the order of the file. Free slots of an open
# queue are rows: they are locked, and slots that somebody takes at this moment are not free.
OPEN_SLOTS = """
CREATE TEMP TABLE judgment_open ON COMMIT DROP AS
SELECT a.id, a.item_id, a.slot, a.queue_id, a.position FROM annotation_assignment a
WHERE a.state = 'open' AND a.item_id IN (SELECT item_id FROM judgment_group WHERE fate = 'created')
FOR UPDATE SKIP LOCKED
"""
GIVE_SLOTS = """
UPDATE judgment_group g SET new_slot = f.slot, open_id = f.open_id, queue_id = f.queue_id, position = f.position
FROM (
  SELECT grp, item_id, row_number() OVER (PARTITION BY item_id ORDER BY grp) AS rank FROM judgment_group
  WHERE fate = 'created' AND slot IS NULL AND NOT machine
) w
JOIN (
  SELECT i.id AS item_id, s.slot, o.id AS open_id, o.queue_id, coalesce(o.position, 0) AS position,
    row_number() OVER (PARTITION BY i.id ORDER BY s.slot) AS rank
  FROM (SELECT DISTINCT item_id FROM judgment_group WHERE fate = 'created') answered
  JOIN annotation_item i ON i.id = answered.item_id
  JOIN annotation_campaign c ON c.id = i.campaign_id
  CROSS JOIN LATERAL generate_series(1, c.overlap + i.extra_overlap) s(slot)
  LEFT JOIN annotation_assignment a ON a.item_id = i.id AND a.slot = s.slot
  LEFT JOIN judgment_open o ON o.id = a.id
  WHERE a.id IS NULL OR o.id IS NOT NULL
) f ON f.item_id = w.item_id AND f.rank = w.rank
WHERE g.grp = w.grp
"""
NO_SLOT = """
UPDATE judgment_group g
SET fate = format('the item needs %%s judgments by people: %%s given, %%s assigned to others. Plan an assignment with a'
  ' larger overlap to add more', c.overlap + i.extra_overlap, held.given + coalesce(taken.here, 0), held.waiting)
  || CASE WHEN held.waiting = 0 THEN ''
    ELSE ', release what others have not judged, or name one of them as the annotator' END
FROM annotation_item i JOIN annotation_campaign c ON c.id = i.campaign_id
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE a.state = 'done') AS given, count(*) FILTER (WHERE a.state = 'pending') AS waiting
  FROM annotation_assignment a WHERE a.item_id = i.id AND a.slot IS NOT NULL
) held
LEFT JOIN (SELECT item_id, count(*) AS here FROM judgment_group WHERE new_slot IS NOT NULL GROUP BY 1) taken
  ON taken.item_id = i.id
WHERE g.fate = 'created' AND g.slot IS NULL AND g.new_slot IS NULL AND NOT g.machine AND i.id = g.item_id
"""
GROUP_PROBLEMS = """
UPDATE judgment_match m SET problem = g.fate FROM judgment_group g
WHERE m.problem = '' AND m.annotator_id = g.annotator_id AND m.item_id = g.item_id
  AND g.fate NOT IN ('created', 'updated', 'unchanged')
"""
# A machine's answer that could not be parsed is stored apart from its labels, unless an earlier one could be parsed.
UNPARSED_COUNT = "SELECT count(*) FROM judgment_match WHERE problem = 'unparsed'"
STORE_UNPARSED = """
WITH stored AS (
  INSERT INTO annotation_unparsedanswer (annotator_id, item_id, criterion_id, text, received_at, imported_in_id)
  SELECT DISTINCT ON (m.annotator_id, m.item_id, m.criterion_id)
    m.annotator_id, m.item_id, m.criterion_id, coalesce(m.said, ''), %(at)s, %(run)s
  FROM judgment_match m
  WHERE m.problem = 'unparsed' AND NOT EXISTS (
    SELECT FROM annotation_assignment a JOIN annotation_judgment j ON j.assignment_id = a.id
    WHERE a.item_id = m.item_id AND a.annotator_id = m.annotator_id AND j.criterion_id = m.criterion_id)
  ORDER BY m.annotator_id, m.item_id, m.criterion_id, m.n
  ON CONFLICT DO NOTHING RETURNING 1
) SELECT count(*) FROM stored
"""
DELETE_UNPARSED = """
DELETE FROM annotation_unparsedanswer u USING judgment_match m
WHERE m.problem = '' AND m.machine AND u.annotator_id = m.annotator_id AND u.item_id = m.item_id
  AND u.criterion_id = m.criterion_id
"""
OTHER_GUIDELINES = """
SELECT count(*), string_agg(DISTINCT guideline::text, ', ') FROM judgment_match
WHERE problem = '' AND guideline IS NOT NULL AND guideline_id IS NULL
"""
PROBLEMS = """
SELECT file, line, problem FROM judgment_match WHERE problem NOT IN ('', 'unparsed') ORDER BY n LIMIT %(most)s
"""
KEPT_ANNOTATORS = "SELECT DISTINCT annotator_id FROM judgment_match WHERE problem IN ('', 'unparsed')"
PROBLEM_COUNT = "SELECT count(*) FROM judgment_match WHERE problem NOT IN ('', 'unparsed')"
COUNTS = "SELECT fate, sum(size) FROM judgment_group WHERE fate IN ('created', 'updated', 'unchanged') GROUP BY 1"

TAKE_OPEN = (
    "DELETE FROM annotation_assignment WHERE id IN (SELECT open_id FROM judgment_group WHERE open_id IS NOT NULL)"
)
FINISH = """
UPDATE annotation_assignment a
SET state = 'done', slot = coalesce(a.slot, g.new_slot), finished_at = %(at)s, lease_expires_at = NULL,
  held_by = NULL
FROM judgment_group g WHERE g.assignment_id = a.id AND g.fate = 'created'
"""
ASSIGN = """
WITH created AS (
  INSERT INTO annotation_assignment (item_id, annotator_id, queue_id, state, slot, repeat, position, finished_at,
    imported_in_id)
  SELECT item_id, annotator_id, queue_id, 'done', new_slot, 0, position, %(at)s, %(run)s FROM judgment_group
  WHERE fate = 'created' AND assignment_id IS NULL ORDER BY grp
  RETURNING id, item_id, annotator_id
)
UPDATE judgment_group g SET assignment_id = created.id FROM created
WHERE created.item_id = g.item_id AND created.annotator_id = g.annotator_id
"""
WRITTEN = """
SELECT grp, assignment_id, coalesce(last_uuid::text, ''), answers::text FROM judgment_group
WHERE fate IN ('created', 'updated') AND grp > %(after)s ORDER BY grp LIMIT %(most)s
"""
SUBMIT = f"""
INSERT INTO annotation_submission (uuid, assignment_id, kind, outcome, answers, reasons, reason, flagged,
  guideline_id, client_at, device, received_at, imported_in_id, {listed()})
SELECT u.uuid, g.assignment_id, 'import', 'counted', g.answers, g.reasons, '', g.flagged,
  g.guideline_id, g.at, 'import', %(at)s, %(run)s, {listed("g")}
FROM judgment_group g JOIN judgment_uuid u ON u.grp = g.grp ORDER BY g.grp
"""
JUDGE = """
INSERT INTO annotation_judgment (assignment_id, criterion_id, value, reason, submission_id)
SELECT g.assignment_id, m.criterion_id, m.value, m.reason, s.id
FROM judgment_group g
JOIN judgment_uuid u ON u.grp = g.grp
JOIN annotation_submission s ON s.uuid = u.uuid
JOIN judgment_match m ON m.annotator_id = g.annotator_id AND m.item_id = g.item_id AND m.problem = ''
ON CONFLICT (assignment_id, criterion_id)
DO UPDATE SET value = EXCLUDED.value, reason = EXCLUDED.reason, submission_id = EXCLUDED.submission_id
"""
# Without this the next statement is planned as if the tables were as small as before; PostgreSQL itself analyses them
# once a minute.
ANALYSE = "ANALYZE annotation_assignment; ANALYZE annotation_submission; ANALYZE annotation_judgment"
