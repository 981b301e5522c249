"""Items of an open queue that people are asked about next. Who takes them cannot tell: a place has no other sign."""

from collections.abc import Sequence

from accounts.sql import execute
from annotation.assignment.queue_orders import note_front

# Everybody goes on from where the furthest is; what they leave out comes when they begin again at the start.
CATCH_UP = """
UPDATE annotation_annotator n SET queue_position = reach.place
FROM (SELECT max(queue_position) AS place FROM annotation_annotator WHERE campaign_id = %(campaign)s) reach
WHERE n.campaign_id = %(campaign)s AND n.queue_position < reach.place
"""
# The items change places with those that would come next. All rows of an item stay at one place.
TO_FRONT = """
WITH reach AS (SELECT max(queue_position) AS place FROM annotation_annotator WHERE campaign_id = %(campaign)s),
mine AS (
  SELECT a.position, min(given.n) AS n FROM unnest(%(items)s::bigint[]) WITH ORDINALITY given(item, n)
  JOIN annotation_assignment a ON a.item_id = given.item
  WHERE a.queue_id = %(campaign)s AND a.state = 'open' AND a.repeat = 0 GROUP BY 1
), places AS (
  SELECT position FROM mine
  UNION (
    SELECT DISTINCT a.position FROM annotation_assignment a, reach
    WHERE a.queue_id = %(campaign)s AND a.state = 'open' AND a.repeat = 0 AND a.position > reach.place
    ORDER BY a.position LIMIT (SELECT count(*) FROM mine)
  )
), moves AS (
  SELECT was.position AS was, becomes.position AS becomes
  FROM (SELECT position, row_number() OVER (ORDER BY mine.n, position) AS n
        FROM places LEFT JOIN mine USING (position)) was
  JOIN (SELECT position, row_number() OVER (ORDER BY position <= reach.place, position) AS n
        FROM places, reach) becomes USING (n)
)
UPDATE annotation_assignment a SET position = moves.becomes FROM moves
WHERE a.queue_id = %(campaign)s AND a.position = moves.was AND moves.was <> moves.becomes
"""


def move_to_front(campaign: int, items: Sequence[int]) -> None:
    """Let these items of the campaign's open queue come next, in this order. The caller has locked the campaign."""
    for statement in (CATCH_UP, TO_FRONT):
        execute(statement, {"campaign": campaign, "items": list(items)})
    note_front(campaign)
