"""Whether a stored result is of today: only labels and verdicts that would change it make it stale.

Every page, file and answer that shows figures which a job has stored asks a `Standing`, and says what it says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from accounts.models import Job
from accounts.sql import execute
from annotation.models import AnnotatorKind, Campaign

R = TypeVar("R", bound=Job)

MOST_COUNTED = 1_000  # nobody needs to know how many more there are, and counting all of very many takes seconds

# Assignments with newer answers, skips or undos whose label is another one now than it was at the snapshot. Where
# something that is asked again (3) was undone, the former judgment counts again.
_CHANGED = """
SELECT count(*) FROM (
  SELECT FROM annotation_submission newest
  JOIN annotation_assignment a ON a.id = newest.assignment_id
  JOIN annotation_item i ON i.id = a.item_id
  JOIN annotation_annotator who ON who.id = a.annotator_id
  LEFT JOIN LATERAL (
    SELECT kind, answers FROM annotation_submission s
    WHERE s.assignment_id = a.id AND s.id <= %(snapshot)s AND s.outcome = 'counted' ORDER BY s.id DESC LIMIT 1
  ) before ON true
  WHERE i.campaign_id = %(campaign)s AND newest.id > %(snapshot)s
    AND (a.repeat IN (0, 3) OR %(repeats)s AND a.repeat = 1)
    AND (who.kind = ANY(%(kinds)s) OR coalesce(nullif(who.model, ''), who.name) = ANY(%(machines)s))
    AND NOT EXISTS (SELECT FROM annotation_submission s WHERE s.assignment_id = a.id AND s.id > newest.id)
    AND CASE WHEN before.kind IN ('answer', 'import') THEN before.answers ELSE '{}' END
      <> coalesce((
        SELECT jsonb_object_agg(c.key, j.value)
        FROM annotation_judgment j JOIN annotation_criterion c ON c.id = j.criterion_id
        WHERE j.assignment_id = a.id AND a.state = 'done'), '{}')
  LIMIT %(most)s
) changed
"""


@dataclass(frozen=True)
class Standing(Generic[R]):
    """Where a result stands: the newest finished one, the newest job, and what has changed since the former.

    `newer` are labels. `changed` are verdicts that have another value now: only figures with the verdict are made of
    them. `other` is said where no newer label explains that the result was made of other inputs.
    """

    run: R | None = None
    job: R | None = None
    newer: int = 0
    changed: int = 0
    other: str = ""

    @property
    def is_stale(self) -> bool:
        return bool(self.since)

    @property
    def since(self) -> str:
        """What came after the result, in words; "" where it is of today, but for figures with the verdict."""
        return newer_judgments(self.newer) or self.other

    @property
    def verdicts_since(self) -> str:
        """The changes of verdicts that came after the figures with the verdict, in words; "" for none."""
        return changed_verdicts(self.changed)

    @property
    def sentence(self) -> str:
        """What is no longer of today, as a sentence that is printed with the figures; "" for nothing."""
        if self.since:
            return f"Computed before {self.since}."
        if self.verdicts_since:
            return f"Figures with the verdict were computed before {self.verdicts_since}; all others are current."
        return ""


def count_newer(
    campaign: Campaign,
    snapshot: int | None,
    *,
    kinds: Sequence[str] = (AnnotatorKind.HUMAN,),
    machines: Sequence[str] = (),
    repeats: bool = False,
) -> int:
    """How many labels were given, changed or taken back after `snapshot` (the id of an answer), up to MOST_COUNTED.

    Only labels of annotators of these kinds count, and of the machines of these models (or names, without a model);
    answers to hidden repeats only with `repeats`. An answer that says what the one before said changes nothing.
    """
    return count_newer_each([Since(campaign.pk, snapshot, kinds, machines, repeats)])[0]


@dataclass(frozen=True)
class Since:
    """What `count_newer` is asked; `campaign` is an id."""

    campaign: int
    snapshot: int | None
    kinds: Sequence[str] = (AnnotatorKind.HUMAN,)
    machines: Sequence[str] = ()
    repeats: bool = False


def count_newer_each(asked: Sequence[Since]) -> list[int]:
    """`count_newer` for each of these, in their order. One query for all of them."""
    # A statement each, so that PostgreSQL plans each by its own snapshot: a recent one leaves few answers to look at.
    parts: list[str] = []
    named: dict[str, Any] = {}
    for place, each in enumerate(asked):
        parts.append(f"SELECT {place} AS place, newer.* FROM ({_CHANGED.replace(')s', f'{place})s')}) newer")
        given: dict[str, Any] = {"campaign": each.campaign, "snapshot": each.snapshot or 0, "repeats": each.repeats}
        given |= {"kinds": list(map(str, each.kinds)), "machines": list(each.machines), "most": MOST_COUNTED}
        named |= {f"{name}{place}": value for name, value in given.items()}
    found: dict[int, int] = dict(execute(" UNION ALL ".join(parts), named)) if parts else {}
    return [found[place] for place in range(len(asked))]


def newer_judgments(count: int) -> str:
    """What `count_newer` found, in words; "" for nothing."""
    if not count:
        return ""
    many = f"{count:,} or more" if count >= MOST_COUNTED else f"{count:,}"
    return f"{many} newer {'judgment' if count == 1 else 'judgments'}"


def changed_verdicts(count: int) -> str:
    """How many verdicts have another value now, in words; "" for none."""
    return f"{count:,} {'change of a verdict' if count == 1 else 'changes of verdicts'}" if count else ""
