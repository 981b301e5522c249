"""Practice: in a training or qualification everybody is given every item, whenever they join."""

from accounts.sql import execute
from engines.definitions.settings import OVERLAP

# What was taken back from somebody who is here again, as their pending items were when they left.
RETURN = """
UPDATE annotation_assignment a SET state = 'pending', slot = back.slot, finished_at = NULL FROM (
  SELECT w.id, (SELECT coalesce(max(other.slot), 0) FROM annotation_assignment other WHERE other.item_id = w.item_id)
      + row_number() OVER (PARTITION BY w.item_id ORDER BY w.id) AS slot
  FROM annotation_assignment w JOIN annotation_annotator n ON n.id = w.annotator_id
  WHERE n.campaign_id = %(campaign)s AND n.kind = 'human' AND n.state = 'active'
    AND w.state = 'withdrawn' AND w.repeat = 0
) back WHERE a.id = back.id
"""
# As a plan would give them, each in their own order. Slots beyond the overlap are no harm: no item waits for them.
GIVE = """
INSERT INTO annotation_assignment (item_id, annotator_id, state, slot, repeat, position)
SELECT i.id, n.id, 'pending',
  (SELECT coalesce(max(a.slot), 0) FROM annotation_assignment a WHERE a.item_id = i.id)
    + row_number() OVER (PARTITION BY i.id ORDER BY n.id), 0,
  (SELECT coalesce(max(a.position), 0) FROM annotation_assignment a WHERE a.annotator_id = n.id)
    + row_number() OVER (PARTITION BY n.id ORDER BY md5(n.order_seed || ' ' || i.id))
FROM annotation_item i JOIN annotation_annotator n ON n.campaign_id = i.campaign_id
WHERE i.campaign_id = %(campaign)s AND n.kind = 'human' AND n.state = 'active'
  AND NOT EXISTS (SELECT FROM annotation_assignment a WHERE a.item_id = i.id AND a.annotator_id = n.id)
"""
LACKS = """
SELECT 1 FROM annotation_item i JOIN annotation_annotator n ON n.campaign_id = i.campaign_id
WHERE i.campaign_id = %(campaign)s AND n.kind = 'human' AND n.state = 'active'
  AND NOT EXISTS (SELECT FROM annotation_assignment a
                  WHERE a.item_id = i.id AND a.annotator_id = n.id AND a.state <> 'withdrawn')
LIMIT 1
"""
# So that progress says how many answers are expected.
EXPECT = """
UPDATE annotation_campaign c SET overlap = least(%(most)s, greatest(1, (
  SELECT count(*) FROM annotation_annotator n WHERE n.campaign_id = c.id AND n.kind = 'human' AND n.state = 'active')))
WHERE c.id = %(campaign)s
"""


def give_practice(campaign: int) -> None:
    """Give every active person the items that they lack, also those that were taken back.

    Call it in a transaction; the lock of the campaign's row lets one at a time do it.
    """
    if execute(LACKS, {"campaign": campaign}):
        execute(EXPECT, {"campaign": campaign, "most": OVERLAP.most})
        execute(RETURN, {"campaign": campaign})
        execute(GIVE, {"campaign": campaign})
