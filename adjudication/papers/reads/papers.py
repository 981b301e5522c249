"""Papers that several annotators have finished: the adjudicator's queue of them, and one with its accounts."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import OuterRef, Q, Subquery

from accounts.caches import volatile
from adjudication.labels.reads.ballots import letter
from adjudication.stats.versions import (
    Comparison,
    build_content,
    carry_over,
    compare_versions,
    edited_parts,
)
from annotation.definitions.extractions import Content, read_content
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
from annotation.papers.reads.extractions import with_content

PAPERS_AT_ONCE = 50
CACHE_SECONDS = 30 * 24 * 3600
CODE = 1  # of the comparison: another one makes counts that were kept void
OPEN, REOPENED, BEGUN, DECIDED, ALIKE = "open", "reopened", "begun", "decided", "alike"
FILTERS = {OPEN: "Needs a decision", REOPENED: "Reopened", BEGUN: "Begun", DECIDED: "Decided", ALIKE: "All agree"}

Basis = tuple[tuple[int, int], ...]  # ((assignment, revision), …)


@dataclass(frozen=True)
class Side:
    """What one annotator says of the paper. `is_late`: it is newer than what the adjudicated one was made of.

    `finished_at` is None for one who has taken the paper up again: what they had handed in before stands meanwhile.
    """

    letter: str
    assignment: int
    revision: int
    content: Content
    finished_at: datetime | None
    is_late: bool


@dataclass(frozen=True)
class PaperRow:
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
    """One paper: the accounts of it, what was made of them so far, `extraction` None before anything was."""

    item: Item
    sides: list[Side]
    extraction: Extraction | None
    basis: Mapping[str, Any]
    stored: Content | None

    @cached_property
    def comparison(self) -> Comparison:
        return compare_versions({side.assignment: side.content for side in self.sides})

    @property
    def taken(self) -> dict[str, str]:
        return dict(self.basis.get("taken", {}))

    @cached_property
    def built(self) -> Content:
        """What the choices alone make of the accounts as they are now."""
        return build_content(self.comparison, self.taken)

    @cached_property
    def result(self) -> Content:
        """The same with what was edited by hand: what is accepted when it is accepted now."""
        if self.stored is None:
            return self.built
        if not self.is_outdated:
            return self.stored
        return carry_over(self._built_then(), self.built, self.stored)

    @cached_property
    def by_hand(self) -> frozenset[str]:
        return edited_parts(self.built, self.result)

    @property
    def standing(self) -> Basis:
        return tuple((side.assignment, side.revision) for side in self.sides)

    @property
    def is_outdated(self) -> bool:
        """Whether what is stored was made of other accounts than there are now."""
        return self.extraction is not None and set(self.standing) != set(basis_of(self.basis))

    @property
    def is_accepted(self) -> bool:
        return self.extraction is not None and self.extraction.state == ExtractionState.FINISHED

    @property
    def is_reopened(self) -> bool:
        return self.is_accepted and any(side.is_late for side in self.sides)

    @property
    def state(self) -> str:
        """One of FILTERS."""
        return _state(len(self.comparison.differences), self.standing, self.extraction)

    @property
    def seen(self) -> str:
        """What a page shows, in a word: an action refuses when it is no longer so."""
        current = self.extraction.current if self.extraction else 0
        state = self.extraction.state if self.extraction else ""
        return hashlib.sha256(f"{current} {state} {sorted(self.standing)}".encode()).hexdigest()[:16]

    def _built_then(self) -> Content:
        """What the choices made of the accounts that what is stored was made of."""
        then = dict(basis_of(self.basis))
        contents = _contents(then)
        return build_content(compare_versions({pk: contents[pk] for pk in then}), self.taken)


def basis_of(basis: Mapping[str, Any] | None) -> Basis:
    """The versions, as (assignment, revision), that a stored basis names."""
    return tuple((assignment, revision) for assignment, revision in (basis or {}).get("sides", []))


def fetch_case(item: Item, known: PaperCase | None = None) -> PaperCase:
    """The paper of an item as it stands now. Four queries; letters are random but always the same.

    `known` is the same paper as read before: what it compared is not compared again where nobody handed in since.
    """
    made = _adjudicated(item.campaign).filter(paper=item.paper_id).select_related("paper__collection").first()
    basis = (made.basis if made else None) or {}
    finished = {each.assignment_id: each for each in _accounts(item.campaign).filter(assignment__item=item)}
    now = _standing({pk: each.current for pk, each in finished.items()}, basis)
    same = known if known is not None and dict(known.standing) == now else None
    contents = {side.assignment: side.content for side in same.sides} if same else _contents(now)
    stands_on = set(basis_of(basis))
    sides = [
        Side(
            letter(place),
            pk,
            now[pk],
            contents[pk],
            finished[pk].finished_at if pk in finished else None,
            made is not None and (pk, now[pk]) not in stands_on,
        )
        for place, pk in enumerate(sorted(now, key=lambda pk: _shuffled(item, pk)))
    ]
    case = PaperCase(item, sides, made, basis, read_content(made.content) if made else None)
    if same is not None:
        case.__dict__["comparison"] = same.comparison
    return case


def _standing(finished: Mapping[int, int], basis: Mapping[str, Any] | None) -> dict[int, int]:
    """{assignment: revision} of what is compared: what is finished, and for who has taken the paper up again since
    what an adjudication stands on."""
    return dict(basis_of(basis)) | dict(finished)


def _contents(revisions: Mapping[int, int]) -> dict[int, Content]:
    """What these revisions of these assignments' extractions say."""
    rows = ExtractionRevision.objects.filter(
        extraction__assignment__in=revisions, number__in=set(revisions.values())
    ).values_list("extraction__assignment", "number", "content")
    return {pk: read_content(content) for pk, number, content in rows if revisions[pk] == number}


def paper_rows(campaign: Campaign) -> list[PaperRow]:
    """Every paper that two people have finished or that was adjudicated, most differences first.

    Four queries; differences are counted once for each pair of states and then remembered.
    """
    accounts: dict[int, dict[int, int]] = defaultdict(dict)
    for item, assignment, current in _accounts(campaign).values_list("assignment__item", "assignment", "current"):
        accounts[item][assignment] = current
    made = {each.paper_id: each for each in _adjudicated(campaign, content=False)}
    items = Item.objects.filter(Q(pk__in=accounts) | Q(paper__in=made), campaign=campaign)
    items = items.select_related("campaign", "paper").defer("paper__blocks", "paper__references", "paper__pages")
    found = []
    standing = {}
    for item in items:
        adjudicated = made.get(item.paper_id or 0)
        standing[item.pk] = _standing(accounts.get(item.pk, {}), adjudicated.basis if adjudicated else None)
        if len(accounts.get(item.pk, {})) > 1 or adjudicated:
            found.append((item, adjudicated))
    counts = _counts({item.pk: tuple(sorted(standing[item.pk].items())) for item, _ in found})
    working = _working(campaign)
    shown = [
        PaperRow(
            item,
            len(standing[item.pk]),
            working.get(item.pk, 0),
            counts[item.pk],
            _state(counts[item.pk], standing[item.pk].items(), adjudicated),
        )
        for item, adjudicated in found
    ]
    return sorted(shown, key=lambda row: (-row.count, row.item.pk))


@dataclass(frozen=True)
class PaperCounts:
    """Of the papers that several people have finished: on how many all agree, what is decided, what is open."""

    alike: int
    decided: int
    open: int

    @property
    def compared(self) -> int:
        return self.alike + self.decided + self.open


def count_papers(campaign: Campaign) -> PaperCounts:
    """How many papers are identical, decided, and still to be decided."""
    rows = paper_rows(campaign)
    states = Counter(row.state for row in rows)
    return PaperCounts(states[ALIKE], states[DECIDED], sum(row.needs_decision for row in rows))


def count_waiting(campaign: Campaign) -> int:
    """How many papers of the campaign need an adjudicator."""
    return count_papers(campaign).open


def _state(count: int, accounts: Iterable[tuple[int, int]], made: Any) -> str:
    if made is None:
        return OPEN if count else ALIKE
    if made.state != ExtractionState.FINISHED:
        return BEGUN
    return REOPENED if set(accounts) - set(basis_of(made.basis)) else DECIDED


def _accounts(campaign: Campaign) -> Any:
    return Extraction.objects.filter(
        source=ExtractionSource.ANNOTATOR,
        state=ExtractionState.FINISHED,
        assignment__item__campaign=campaign,
        assignment__repeat=0,
    )


def _adjudicated(campaign: Campaign, *, content: bool = True) -> Any:
    """The campaign's adjudicated extractions with the `basis` (and `content`) of their current revisions."""
    made = Extraction.objects.filter(source=ExtractionSource.ADJUDICATED, campaign=campaign)
    current = ExtractionRevision.objects.filter(extraction=OuterRef("pk"), number=OuterRef("current"))
    made = made.annotate(basis=Subquery(current.values("basis")[:1]))
    return with_content(made) if content else made


def _working(campaign: Campaign) -> dict[int, int]:
    """How many people still work on each paper of which somebody has finished."""
    pending = Assignment.objects.filter(item__campaign=campaign, state=AssignmentState.PENDING, repeat=0)
    found: dict[int, int] = defaultdict(int)
    for item in pending.values_list("item", flat=True):
        found[item] += 1
    return found


def _counts(wanted: Mapping[int, Basis]) -> dict[int, int]:
    """How many differences the accounts of each item have. Revisions never change, so counts are kept."""
    keys = {item: f"paper-differences-{CODE}-" + "-".join(f"{a}.{r}" for a, r in each) for item, each in wanted.items()}
    kept = volatile.get_many(keys.values())
    missing = [item for item, key in keys.items() if key not in kept]
    for start in range(0, len(missing), PAPERS_AT_ONCE):
        some = missing[start : start + PAPERS_AT_ONCE]
        contents = _contents(dict(pair for item in some for pair in wanted[item]))
        fresh = {keys[item]: _count([(pk, contents[pk]) for pk, _ in wanted[item]]) for item in some}
        volatile.set_many(fresh, CACHE_SECONDS)
        kept |= fresh
    return {item: kept[key] for item, key in keys.items()}


def _count(accounts: Sequence[tuple[int, Content]]) -> int:
    return len(compare_versions(dict(accounts)).differences) if len(accounts) > 1 else 0


def _shuffled(item: Item, assignment: int) -> str:
    """A key to sort by that hides who is who and stays the same when another account comes in."""
    return hashlib.sha256(f"paper {item.pk} {assignment}".encode()).hexdigest()
