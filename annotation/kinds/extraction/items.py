"""The papers of a collection as items, in its order, drawn as pairs are."""

from typing import Any

from accounts.sql import execute
from annotation.campaigns.items import campaign_parameters
from annotation.kind import Draw, Report, Supply
from annotation.models import Campaign

LEFT = """
SELECT p.id, p.key, p.position FROM corpus_paper p
WHERE p.collection_id = %(collection)s AND NOT EXISTS (
  SELECT FROM annotation_item i WHERE i.paper_id = p.id
    AND (i.campaign_id = %(campaign)s OR (%(held_out)s AND i.split IN ('dev', 'test')))
)
"""
SUPPLY = f"""
SELECT (SELECT count(*) FROM corpus_paper WHERE collection_id = %(collection)s),
  (SELECT count(*) FROM annotation_item WHERE campaign_id = %(campaign)s),
  (SELECT count(*) FROM ({LEFT}) l)
"""
INSERT = f"""
INSERT INTO annotation_item (campaign_id, split, paper_id, extra_overlap)
SELECT %(campaign)s, %(split)s, drawn.id, 0 FROM (
  SELECT l.* FROM ({LEFT}) l ORDER BY md5(concat_ws(E'\\x1f', %(seed)s, l.key)) LIMIT %(sample)s
) drawn ORDER BY drawn.position, drawn.id RETURNING id
"""


def fetch_supply(campaign: Campaign, choice: Any = None, *, sampled: bool = False) -> Supply:
    """How many papers there are and are left for the campaign, or for a sample of it."""
    ((papers, taken, left),) = execute(SUPPLY, campaign_parameters(campaign, sampled=sampled))
    return Supply(papers, taken, left, papers - taken - left)


def insert(campaign: Campaign, supply: Supply, draw: Draw, choice: Any, report: Report) -> int:
    """Make items of all papers that are left, or of a sample."""
    named = campaign_parameters(campaign, sampled=draw.sample is not None)
    return len(execute(INSERT, {**named, "sample": draw.sample, "seed": str(draw.seed)}))
