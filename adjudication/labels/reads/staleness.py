"""Which labels have changed since figures were made from them: only those that would change a result make it stale."""

from collections.abc import Sequence

from django.db import connection

from annotation.models import AnnotatorKind, Campaign

# Assignments with newer answers, skips or undos whose label is another one now than it was at the snapshot.
_CHANGED = """
SELECT count(*) FROM (
  SELECT DISTINCT a.id, a.state FROM annotation_submission s
  JOIN annotation_assignment a ON a.id = s.assignment_id
  JOIN annotation_item i ON i.id = a.item_id
  JOIN annotation_annotator who ON who.id = a.annotator_id
  WHERE i.campaign_id = %(campaign)s AND s.id > %(snapshot)s AND (a.repeat = 0 OR %(repeats)s)
    AND (who.kind = ANY(%(kinds)s) OR coalesce(nullif(who.model, ''), who.name) = ANY(%(machines)s))
) one
LEFT JOIN LATERAL (
  SELECT kind, answers FROM annotation_submission s
  WHERE s.assignment_id = one.id AND s.id <= %(snapshot)s AND s.outcome = 'counted' ORDER BY s.id DESC LIMIT 1
) before ON true
WHERE CASE WHEN before.kind IN ('answer', 'import') THEN before.answers ELSE '{}' END
  <> coalesce((
    SELECT jsonb_object_agg(c.key, j.value)
    FROM annotation_judgment j JOIN annotation_criterion c ON c.id = j.criterion_id
    WHERE j.assignment_id = one.id AND one.state = 'done'), '{}')
"""


def count_newer(
    campaign: Campaign,
    snapshot: int | None,
    *,
    kinds: Sequence[str] = (AnnotatorKind.HUMAN,),
    machines: Sequence[str] = (),
    repeats: bool = False,
) -> int:
    """How many labels were given, changed or taken back after `snapshot` (the id of an answer). One query.

    Only labels of annotators of these kinds count, and of the machines of these models (or names, without a model);
    answers to hidden repeats only with `repeats`. An answer that says what the one before said changes nothing.
    """
    named = {"campaign": campaign.pk, "snapshot": snapshot or 0, "repeats": repeats}
    with connection.cursor() as cursor:
        cursor.execute(_CHANGED, {**named, "kinds": list(map(str, kinds)), "machines": list(machines)})
        return int(cursor.fetchone()[0])
