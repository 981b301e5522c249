"""The statements that write a count of votes: fresh votes are copied in, then set against the verdicts there are.

Everything but the item is a function of the pattern of its labels, so what is copied for an item is the number of its
pattern. `fresh_vote` shows both as one.

Named parameters: campaign, run, read_at (when the labels were read), same (ids of counts by the same rules),
revoted (whether others have a vote than at the count before), from and until (ids of items, of `UPSERT` alone).
"""

from psycopg.sql import SQL

CREATE = """
CREATE TEMP TABLE fresh_pattern (
  criterion_id bigint, pattern int, value smallint, method text, votes jsonb,
  n_votes smallint, agreement float8, probability float8, probability_reason text, machine_differs bool,
  machines smallint[]
) ON COMMIT DROP;
CREATE TEMP TABLE fresh_item (item_id bigint, criterion_id bigint, pattern int) ON COMMIT DROP;
CREATE TEMP VIEW fresh_vote AS SELECT * FROM fresh_item JOIN fresh_pattern USING (criterion_id, pattern)
"""
COPY_PATTERNS = "COPY fresh_pattern FROM STDIN"
COPY_ITEMS = "COPY fresh_item FROM STDIN"
# Verdicts that were just written count as none until they are analysed: without the index they were compared with all
# fresh votes one by one (40,000 items: 164 seconds on PostgreSQL 15).
INDEX = "CREATE UNIQUE INDEX ON fresh_item (item_id, criterion_id)"
ANALYZE = "ANALYZE fresh_item, fresh_pattern"
# A decision by hand keeps its value; when its votes are no longer what it stood on, it asks to be looked at again.
# The votes are those of the voters of that time: other rules alone reopen nothing.
REOPEN = """
UPDATE adjudication_verdict v SET reopened_at = now()
FROM annotation_item i
WHERE i.id = v.item_id AND i.campaign_id = %(campaign)s AND v.method = 'by-hand' AND v.reopened_at IS NULL
  AND v.decided_at < %(read_at)s AND v.votes IS DISTINCT FROM (
    SELECT coalesce(jsonb_agg(jsonb_build_array(n.id, j.value) ORDER BY n.id), '[]'::jsonb)
    FROM annotation_assignment a
    JOIN annotation_annotator n ON n.id = a.annotator_id
    JOIN annotation_judgment j ON j.assignment_id = a.id AND j.criterion_id = v.criterion_id
    LEFT JOIN adjudication_voterun r ON r.id = v.vote_run_id
    WHERE a.item_id = v.item_id AND a.state = 'done' AND a.repeat = 0
      AND coalesce(r.parameters->>'voters', 'humans') IN (n.kind || 's', 'all'))
"""
# Decisions that still stand now follow the rules of this count: their votes are those of its voters.
MOVE_ON = """
UPDATE adjudication_verdict v SET vote_run_id = %(run)s,
  changed_at = CASE WHEN %(revoted)s THEN clock_timestamp() ELSE v.changed_at END,
  votes = CASE WHEN v.reopened_at IS NULL THEN f.votes ELSE v.votes END,
  n_votes = CASE WHEN v.reopened_at IS NULL THEN f.n_votes ELSE v.n_votes END,
  agreement = CASE WHEN v.reopened_at IS NULL THEN f.agreement ELSE v.agreement END
FROM annotation_item i, fresh_vote f
WHERE i.id = v.item_id AND i.campaign_id = %(campaign)s AND v.method = 'by-hand' AND v.decided_at < %(read_at)s
  AND f.item_id = v.item_id AND f.criterion_id = v.criterion_id
  AND coalesce(v.vote_run_id, 0) <> ALL(%(same)s)
"""
EARLIER_VERDICT = """jsonb_build_object('value', v.value, 'method', v.method, 'votes', v.votes, 'at', v.decided_at,
    'by', v.decided_by_id)"""
# Accepted, and nobody's label is left: the acceptance is kept separately, and the item is marked for review.
LOSE = f"""
UPDATE adjudication_verdict v SET value = NULL, method = 'unresolved', votes = '[]', n_votes = 0, agreement = 1,
  probability = NULL, probability_reason = 'no_value', machine_differs = false, vote_run_id = %(run)s,
  reopened_from = CASE WHEN v.decided_at IS NULL THEN v.reopened_from ELSE {EARLIER_VERDICT} END,
  reopened_at = CASE WHEN v.decided_at IS NULL THEN v.reopened_at ELSE now() END,
  changed_at = CASE WHEN v.value IS NULL THEN v.changed_at ELSE clock_timestamp() END,
  decided_at = NULL, decided_by_id = NULL
FROM annotation_item i
WHERE i.id = v.item_id AND i.campaign_id = %(campaign)s AND v.method <> 'by-hand' AND v.votes <> '[]'
  AND (v.decided_at IS NOT NULL OR v.reopened_at IS NOT NULL)
  AND NOT EXISTS (SELECT FROM fresh_vote f WHERE f.item_id = v.item_id AND f.criterion_id = v.criterion_id)
"""
# The labels of these items were taken back and nobody had decided anything: their vote is gone too.
CLEAR = """
DELETE FROM adjudication_verdict v USING annotation_item i
WHERE i.id = v.item_id AND i.campaign_id = %(campaign)s AND v.method <> 'by-hand'
  AND v.decided_at IS NULL AND v.reopened_at IS NULL
  AND NOT EXISTS (SELECT FROM fresh_vote f WHERE f.item_id = v.item_id AND f.criterion_id = v.criterion_id)
"""
# An accepted vote whose value or votes change is no longer accepted, and shows it. What a machine says of it, or
# other rules with the same outcome, take no acceptance away.
DIFFERENT = "(v.value, v.method, v.votes) IS DISTINCT FROM (excluded.value, excluded.method, excluded.votes)"
LOST = f"{DIFFERENT} AND v.decided_at IS NOT NULL"
# What a fresh vote would change of the verdict `v`.
CHANGES = """v.machine_differs <> excluded.machine_differs
  OR (v.value, v.method, v.votes) IS DISTINCT FROM (excluded.value, excluded.method, excluded.votes)
  OR (v.probability, v.probability_reason) IS DISTINCT FROM (excluded.probability, excluded.probability_reason)
  OR coalesce(v.vote_run_id, 0) <> ALL(%(same)s)"""
# Only fresh votes that change something are set against the verdicts: a conflict locks its row, which writes to it. The
# one place where a value that the votes gave appears or changes: such verdicts bear a new `changed_at`.
UPSERT = f"""
INSERT INTO adjudication_verdict AS v (item_id, criterion_id, value, method, votes, n_votes, agreement, probability,
  probability_reason, machine_differs, vote_run_id, comment, cause, changed_at)
SELECT item_id, criterion_id, value, method, votes, n_votes, agreement, probability, probability_reason,
  machine_differs, %(run)s, '', '',
  CASE WHEN value IS NOT NULL THEN clock_timestamp() END
FROM fresh_vote excluded
WHERE item_id > %(from)s AND item_id <= %(until)s AND NOT EXISTS (
  SELECT FROM adjudication_verdict v WHERE v.item_id = excluded.item_id AND v.criterion_id = excluded.criterion_id
    AND (v.method = 'by-hand' OR ({CHANGES}) IS NOT TRUE))
ORDER BY item_id, criterion_id
ON CONFLICT (item_id, criterion_id) DO UPDATE SET
  value = excluded.value, method = excluded.method, votes = excluded.votes, n_votes = excluded.n_votes,
  agreement = excluded.agreement, machine_differs = excluded.machine_differs, vote_run_id = excluded.vote_run_id,
  probability = excluded.probability, probability_reason = excluded.probability_reason,
  reopened_from = CASE WHEN {LOST} THEN {EARLIER_VERDICT} ELSE v.reopened_from END,
  reopened_at = CASE WHEN {LOST} THEN now() ELSE v.reopened_at END,
  changed_at = CASE WHEN %(revoted)s OR v.value IS DISTINCT FROM excluded.value THEN clock_timestamp()
    ELSE v.changed_at END,
  decided_at = CASE WHEN {DIFFERENT} THEN NULL ELSE v.decided_at END,
  decided_by_id = CASE WHEN {DIFFERENT} THEN NULL ELSE v.decided_by_id END
WHERE v.method <> 'by-hand' AND ({CHANGES})
"""
# Whether a machine differs from a value decided by hand.
COMPARE = """
UPDATE adjudication_verdict v SET machine_differs = NOT v.machine_differs
FROM annotation_item i, fresh_vote f
WHERE i.id = v.item_id AND i.campaign_id = %(campaign)s AND v.method = 'by-hand'
  AND f.item_id = v.item_id AND f.criterion_id = v.criterion_id
  AND v.machine_differs <> EXISTS (SELECT FROM unnest(f.machines) said WHERE said <> v.value)
"""
# The last of each so many items with a fresh vote.
BOUNDS = """
SELECT max(item_id) FROM (
  SELECT item_id, (row_number() OVER (ORDER BY item_id) - 1) / %(at_once)s AS part FROM fresh_item
) numbered GROUP BY part ORDER BY 1
"""
BEFORE = (INDEX, ANALYZE, REOPEN, MOVE_ON, COMPARE, LOSE)
DROP = "DROP VIEW fresh_vote; DROP TABLE fresh_item, fresh_pattern"
COUNT = SQL(
    """
SELECT
  count(*) FILTER (WHERE v.method = 'unanimous') AS unanimous,
  count(*) FILTER (WHERE v.method = 'single') AS single,
  count(*) FILTER (WHERE v.method = 'majority') AS majority,
  count(*) FILTER (WHERE v.method = 'tie-policy') AS tie_resolved,
  count(*) FILTER (WHERE v.method = 'excluded') AS excluded,
  count(*) FILTER (WHERE v.method = 'by-hand') AS by_hand,
  count(*) FILTER (WHERE v.method = 'unresolved') AS unresolved,
  count(*) FILTER (WHERE v.reopened_at IS NOT NULL) AS reopened
FROM adjudication_verdict v WHERE v.criterion_id = %(criterion)s
"""
)
