"""Each person's labels against those of the others on the same items, added up a range of items at a time.

A range sorts in memory what the whole campaign would sort on disk, so the time grows with the labels and no faster.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection, transaction

ITEMS_AT_ONCE = 1_000_000  # ids, of this and of other campaigns
MEMORY = "128MB"  # for each sort of a range

OWN = "a.state = 'done' AND a.repeat = 0 AND a.imported_in_id IS NULL"
# The last assignments of the first three quarters of each person's own work in order of time (of their list, where they
# sent several at once). As NTILE parts it: the first quarters take what cannot be divided.
QUARTERS = f"""
WITH own AS (
  SELECT a.annotator_id, a.finished_at, a.position, a.id,
    row_number() OVER (PARTITION BY a.annotator_id ORDER BY a.finished_at, a.position, a.id) AS place
  FROM annotation_assignment a WHERE a.annotator_id = ANY(%(people)s) AND {OWN}
), size AS (
  SELECT a.annotator_id, count(*) AS n FROM annotation_assignment a
  WHERE a.annotator_id = ANY(%(people)s) AND {OWN} GROUP BY 1
)
SELECT own.annotator_id, own.finished_at, own.position, own.id
FROM size CROSS JOIN generate_series(1, 3) quarter
JOIN own ON own.annotator_id = size.annotator_id
  AND own.place = quarter * (size.n / 4) + least(quarter, size.n %% 4)
"""
RANGE = """
SELECT min(i.id), max(i.id) FROM annotation_item i
JOIN annotation_campaign c ON c.id = i.campaign_id WHERE c.id = %(campaign)s
"""
# `agreed` and `squares` are sums over the items that others judged too, of the share of the others who gave the same
# level. Hidden repeats are left out.
ANSWERS = """
WITH ending AS (
  SELECT *, row_number() OVER (PARTITION BY annotator_id ORDER BY at, position, id) AS quarter FROM unnest(
    %(annotators)s::bigint[], %(moments)s::timestamptz[], %(positions)s::bigint[], %(ids)s::bigint[]
  ) columns(annotator_id, at, position, id)
), ends AS (
  SELECT one.annotator_id, one.at AS at1, one.position AS position1, one.id AS id1, two.at AS at2,
    two.position AS position2, two.id AS id2, three.at AS at3, three.position AS position3, three.id AS id3
  FROM ending one LEFT JOIN ending two ON two.annotator_id = one.annotator_id AND two.quarter = 2
  LEFT JOIN ending three ON three.annotator_id = one.annotator_id AND three.quarter = 3
  WHERE one.quarter = 1
), label AS (
  SELECT a.annotator_id, a.finished_at, a.position, a.id, a.imported_in_id, j.criterion_id, j.value,
    count(*) OVER (PARTITION BY a.item_id, j.criterion_id, j.value) AS same,
    count(*) OVER (PARTITION BY a.item_id, j.criterion_id) AS total
  FROM annotation_assignment a JOIN annotation_judgment j ON j.assignment_id = a.id
  WHERE a.item_id BETWEEN %(first)s AND %(last)s AND a.annotator_id = ANY(%(people)s)
    AND a.state = 'done' AND a.repeat = 0
)
SELECT label.annotator_id, criterion_id, CASE
    WHEN (finished_at, position, id) > (at3, position3, id3) THEN 4
    WHEN (finished_at, position, id) > (at2, position2, id2) THEN 3
    WHEN (finished_at, position, id) > (at1, position1, id1) THEN 2 ELSE 1
  END AS quarter, value, count(*), count(*) FILTER (WHERE total > 1),
  coalesce(sum((same - 1) / (total - 1)::float8) FILTER (WHERE total > 1), 0),
  coalesce(sum(((same - 1) / (total - 1)::float8) ^ 2) FILTER (WHERE total > 1), 0)
FROM label LEFT JOIN ends ON ends.annotator_id = label.annotator_id WHERE imported_in_id IS NULL GROUP BY 1, 2, 3, 4
"""


def compare_answers(
    campaign: int, people: Sequence[int], reported: Callable[[], None] = lambda: None
) -> list[tuple[Any, ...]]:
    """Rows (annotator, criterion, quarter, value, n, shared, agreed, squares) of these people, in this order.

    A quarter is one of a person's own work in order of time; `reported` is called after each range of items.
    """
    sums: dict[tuple[int, int, int, int], list[float]] = defaultdict(lambda: [0, 0, 0.0, 0.0])
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL work_mem = '{MEMORY}'")
        named: dict[str, Any] = {"campaign": campaign, "people": list(people)}
        cursor.execute(RANGE, named)
        first, last = cursor.fetchone()
        cursor.execute(QUARTERS, named)
        rows = cursor.fetchall()
        names = ("annotators", "moments", "positions", "ids")
        ends = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        while first is not None and first <= last:
            cursor.execute(ANSWERS, named | ends | {"first": first, "last": min(first + ITEMS_AT_ONCE - 1, last)})
            for *key, n, shared, agreed, squares in cursor:
                found = sums[tuple(key)]
                found[:] = (old + new for old, new in zip(found, (n, shared, agreed, squares), strict=True))
            first += ITEMS_AT_ONCE
            reported()
    return [(*key, *sums[key]) for key in sorted(sums)]
