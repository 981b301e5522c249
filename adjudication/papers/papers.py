"""Papers that several annotators have finished: the adjudicator's queue of them, and one with its versions."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import OuterRef, Q, Subquery

from accounts.caches import volatile
from adjudication.labels.ballots import letter
from annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Extraction,
    ExtractionRevision,
    ExtractionSource,
    ExtractionState,
    Item,
)
from annotation.papers.extractions import with_content
from engines.definitions.extractions import Content, read_content
from engines.stats.versions import (
    VersionComparison,
    build_content,
    carry_over,
    compare_versions,
    edited_parts,
)

PAPERS_AT_ONCE = 50
CACHE_SECONDS = 30 * 24 * 3600
CODE = 1  # of the comparison: another one makes counts that were kept void
OPEN, REOPENED, BEGUN, DECIDED, ALIKE = "open", "reopened", "begun", "decided", "alike"
FILTERS = {OPEN: "Needs a decision", REOPENED: "Reopened", BEGUN: "Begun", DECIDED: "Decided", ALIKE: "All agree"}

Basis = tuple[tuple[int, int], ...]  # ((assignment, revision), …)


@dataclass(frozen=True)
class PaperSide:
    """One annotator's version of the paper. `is_late`: it is newer than what the adjudicated one was made of.

    `finished_at` is None for one who has taken the paper up again: what they had handed in before stands meanwhile.
    """

    letter: str
    assignment: int
    revision: int
    content: Content
    finished_at: datetime | None
    is_late: bool


@dataclass(frozen=True)
class QueuedPaper:
    """One paper of the queue. `count` is how many differences there are, `state` one of FILTERS."""

    item: Item
    people: int
    waiting: int  # annotators who still work on it
    count: int
    state: str

    @property
    def needs_decision(self) -> bool:
        return self.state in (OPEN, REOPENED, BEGUN)

    def is_under(self, chosen: str) -> bool:
        return self.needs_decision if chosen == OPEN else self.state == chosen


@dataclass(frozen=True)
class PaperCase:
    """One paper: its versions, and what was made of them so far; `extraction` is None before anything was."""

    item: Item
    sides: list[PaperSide]
    extraction: Extraction | None
    basis: Mapping[str, Any]
    stored: Content | None

    @cached_property
    def comparison(self) -> VersionComparison:
        return compare_versions({side.assignment: side.content for side in self.sides})

    @property
    def choices(self) -> dict[str, str]:
        return dict(self.basis.get("taken", {}))

    @cached_property
    def built(self) -> Content:
        """What the choices alone make of the versions as they are now."""
        return build_content(self.comparison, self.choices)

    @cached_property
    def result(self) -> Content:
        """What is stored if the paper is accepted now: `built` with the edits made by hand."""
        if self.stored is None:
            return self.built
        if not self.is_outdated:
            return self.stored
        then = dict(basis_of(self.basis))
        contents = _contents(then)
        before = build_content(compare_versions({pk: contents[pk] for pk in then}), self.choices)
        return carry_over(before, self.built, self.stored)

    @cached_property
    def by_hand(self) -> frozenset[str]:
        return edited_parts(self.built, self.result)

    @property
    def revisions(self) -> Basis:
        return tuple((side.assignment, side.revision) for side in self.sides)

    @property
    def is_outdated(self) -> bool:
        """Whether what is stored was made of other versions than there are now."""
        return self.extraction is not None and set(self.revisions) != set(basis_of(self.basis))

    @property
    def is_accepted(self) -> bool:
        return self.extraction is not None and self.extraction.state == ExtractionState.FINISHED

    @property
    def is_reopened(self) -> bool:
        return self.is_accepted and any(side.is_late for side in self.sides)

    @property
    def state(self) -> str:
        """One of FILTERS."""
        return _state(len(self.comparison.differences), self.revisions, self.extraction)

    @property
    def seen(self) -> str:
        """What a page shows, in a word: an action refuses when it is no longer so."""
        current = self.extraction.current if self.extraction else 0
        state = self.extraction.state if self.extraction else ""
        return hashlib.sha256(f"{current} {state} {sorted(self.revisions)}".encode()).hexdigest()[:16]


def basis_of(basis: Mapping[str, Any] | None) -> Basis:
    """The versions, as (assignment, revision), that a stored basis names."""
    return tuple((assignment, revision) for assignment, revision in (basis or {}).get("sides", []))


def fetch_case(item: Item, earlier: PaperCase | None = None) -> PaperCase:
    """The paper of an item as it stands now. Four queries; letters are random but always the same.

    `earlier` is the same paper as read before: what it compared is not compared again where nobody handed in since.
    """
    adjudicated = _adjudicated(item.campaign).filter(paper=item.paper_id).select_related("paper__collection").first()
    basis = (adjudicated.basis if adjudicated else None) or {}
    finished = {each.assignment_id: each for each in _finished(item.campaign).filter(assignment__item=item)}
    revisions = _compared({pk: each.current for pk, each in finished.items()}, basis)
    same = earlier if earlier is not None and dict(earlier.revisions) == revisions else None
    contents = {side.assignment: side.content for side in same.sides} if same else _contents(revisions)
    made_of = set(basis_of(basis))
    sides = [
        PaperSide(
            letter=letter(place),
            assignment=pk,
            revision=revisions[pk],
            content=contents[pk],
            finished_at=finished[pk].finished_at if pk in finished else None,
            is_late=adjudicated is not None and (pk, revisions[pk]) not in made_of,
        )
        for place, pk in enumerate(sorted(revisions, key=lambda pk: _shuffle_key(item, pk)))
    ]
    case = PaperCase(item, sides, adjudicated, basis, read_content(adjudicated.content) if adjudicated else None)
    if same is not None:
        case.__dict__["comparison"] = same.comparison
    return case


def _compared(finished: Mapping[int, int], basis: Mapping[str, Any] | None) -> dict[int, int]:
    """{assignment: revision} of what is compared: what is finished, and of those who have taken the paper up again
    since, what the adjudication was made of."""
    return dict(basis_of(basis)) | dict(finished)


def _contents(revisions: Mapping[int, int]) -> dict[int, Content]:
    """What these revisions of these assignments' extractions say."""
    rows = ExtractionRevision.objects.filter(
        extraction__assignment__in=revisions, number__in=set(revisions.values())
    ).values_list("extraction__assignment", "number", "content")
    return {pk: read_content(content) for pk, number, content in rows if revisions[pk] == number}


def paper_rows(*campaigns: Campaign) -> list[QueuedPaper]:
    """Every paper of these campaigns that two people have finished or that was adjudicated, most differences first.

    Four queries; differences are counted once for each pair of states and then remembered.
    """
    finished: dict[int, dict[int, int]] = defaultdict(dict)
    for item, assignment, current in _finished(*campaigns).values_list("assignment__item", "assignment", "current"):
        finished[item][assignment] = current
    by_paper = {(each.campaign_id, each.paper_id): each for each in _adjudicated(*campaigns, content=False)}
    papers = {paper for _, paper in by_paper}
    items = Item.objects.filter(Q(pk__in=finished) | Q(paper__in=papers), campaign__in=campaigns)
    items = items.select_related("campaign", "paper").defer("paper__blocks", "paper__references", "paper__pages")
    found: list[tuple[Item, Any, Basis]] = []
    for item in items:
        adjudicated, own = by_paper.get((item.campaign_id, item.paper_id)), finished.get(item.pk, {})
        if len(own) > 1 or adjudicated:
            revisions = _compared(own, adjudicated.basis if adjudicated else None)
            found.append((item, adjudicated, tuple(sorted(revisions.items()))))
    counts = _counts({item.pk: revisions for item, _, revisions in found})
    pending = Assignment.objects.filter(item__campaign__in=campaigns, state=AssignmentState.PENDING, repeat=0)
    working = Counter(pending.values_list("item", flat=True))
    rows = [
        QueuedPaper(
            item=item,
            people=len(revisions),
            waiting=working[item.pk],
            count=counts[item.pk],
            state=_state(counts[item.pk], revisions, adjudicated),
        )
        for item, adjudicated, revisions in found
    ]
    return sorted(rows, key=lambda row: (-row.count, row.item.pk))


@dataclass(frozen=True)
class PaperCounts:
    """Of the papers that several people have finished: on how many all agree, what is decided, what is open."""

    alike: int
    decided: int
    open: int

    @property
    def compared(self) -> int:
        return self.alike + self.decided + self.open


def count_papers(campaigns: Iterable[Campaign]) -> dict[int, PaperCounts]:
    """How many papers of each of these campaigns, by its id, are identical, decided, and still to be decided."""
    rows: dict[int, list[QueuedPaper]] = {each.pk: [] for each in campaigns}
    for row in paper_rows(*campaigns) if rows else ():
        rows[row.item.campaign_id].append(row)
    return {pk: count_rows(found) for pk, found in rows.items()}


def count_rows(rows: Sequence[QueuedPaper]) -> PaperCounts:
    """How many of these rows are identical, decided, and still to be decided."""
    states = Counter(row.state for row in rows)
    return PaperCounts(states[ALIKE], states[DECIDED], sum(row.needs_decision for row in rows))


def _state(count: int, revisions: Basis, adjudicated: Any) -> str:
    if adjudicated is None:
        return OPEN if count else ALIKE
    if adjudicated.state != ExtractionState.FINISHED:
        return BEGUN
    return REOPENED if set(revisions) - set(basis_of(adjudicated.basis)) else DECIDED


def _finished(*campaigns: Campaign) -> Any:
    return Extraction.objects.filter(
        source=ExtractionSource.ANNOTATOR,
        state=ExtractionState.FINISHED,
        assignment__item__campaign__in=campaigns,
        assignment__repeat=0,
    )


def _adjudicated(*campaigns: Campaign, content: bool = True) -> Any:
    """The campaigns' adjudicated extractions with the `basis` (and `content`) of their current revisions."""
    made = Extraction.objects.filter(source=ExtractionSource.ADJUDICATED, campaign__in=campaigns)
    current = ExtractionRevision.objects.filter(extraction=OuterRef("pk"), number=OuterRef("current"))
    made = made.annotate(basis=Subquery(current.values("basis")[:1]))
    return with_content(made) if content else made


def _counts(revisions: Mapping[int, Basis]) -> dict[int, int]:
    """How many differences the versions of each item have. Revisions never change, so counts are kept."""
    keys = {
        item: f"paper-differences-{CODE}-" + "-".join(f"{a}.{r}" for a, r in each) for item, each in revisions.items()
    }
    counts = volatile.get_many(keys.values())
    missing = [item for item, key in keys.items() if key not in counts]
    for start in range(0, len(missing), PAPERS_AT_ONCE):
        some = missing[start : start + PAPERS_AT_ONCE]
        contents = _contents(dict(pair for item in some for pair in revisions[item]))
        fresh = {keys[item]: _count({pk: contents[pk] for pk, _ in revisions[item]}) for item in some}
        volatile.set_many(fresh, CACHE_SECONDS)
        counts |= fresh
    return {item: counts[key] for item, key in keys.items()}


def _count(versions: Mapping[int, Content]) -> int:
    return len(compare_versions(versions).differences) if len(versions) > 1 else 0


def _shuffle_key(item: Item, assignment: int) -> str:
    """A key to sort by that hides who is who and stays the same when another version comes in."""
    return hashlib.sha256(f"paper {item.pk} {assignment}".encode()).hexdigest()
