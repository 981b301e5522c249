"""Drawing the items that more people judge than the others, so that agreement can be measured on them."""

from django.db import connection

from accounts.refusals import Refused
from annotation.campaigns.rules.settings import check_within
from annotation.definitions.settings import OVERLAP
from annotation.models import Campaign

# An item's place in the draw follows from the seed and its external ids, as in runs/items.py.
RAISE = """
UPDATE annotation_item i SET extra_overlap = %(extra)s
FROM (
  SELECT i.id FROM annotation_item i
  LEFT JOIN corpus_topic t ON t.id = i.topic_id
  LEFT JOIN corpus_aspect a ON a.id = i.aspect_id
  LEFT JOIN corpus_document d ON d.id = i.document_id
  WHERE i.campaign_id = %(campaign)s
  ORDER BY md5(concat_ws(E'\\x1f', 'calibration', %(seed)s::text, t.number, a.text, d.docno)), i.id LIMIT %(sample)s
) drawn
WHERE i.id = drawn.id AND i.extra_overlap < %(extra)s
"""


def check_calibration(campaign: Campaign, sample: int, overlap: int, available: int) -> None:
    """Whether `sample` of `available` items may have `overlap` judges. Errors: Refused."""
    if overlap <= campaign.overlap:
        raise Refused(f"Every item gets {campaign.overlap} already; a calibration sample needs more than that.")
    check_within(OVERLAP, overlap)
    if not 1 <= sample <= available:
        raise Refused(f"The sample must have from 1 to {available:,} items: that is how many the campaign has.")


def draw_calibration(campaign: Campaign, sample: int, seed: int, extra: int) -> int:
    """Give `sample` items of the campaign `extra` judges more than its overlap; how many had fewer before."""
    with connection.cursor() as cursor:
        cursor.execute(RAISE, {"campaign": campaign.pk, "sample": sample, "seed": str(seed), "extra": extra})
        return cursor.rowcount
