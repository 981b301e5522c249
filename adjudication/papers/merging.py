"""Making one extraction of several people's of a paper: versions taken, edited, taken back, accepted, taken up again.

What annotators handed in is never changed. Every step is a revision of the campaign's adjudicated extraction.
The command line (`by` None) may do what its user asks for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from adjudication.labels.rules import check_adjudicator, check_can_decide, check_not_own_item, fetch_role
from adjudication.papers.papers import PaperCase, count_rows, fetch_case, paper_rows
from adjudication.verdicts.extra_judges import note_item_seen
from annotation.kind import Judged
from annotation.models import Campaign, Extraction, ExtractionSource, ExtractionState, Item
from annotation.papers.extracting import BLOCKING
from annotation.papers.extractions import append_revision, append_steps, move_to, store_extraction
from engines.definitions.extraction_steps import whole_step
from engines.definitions.extractions import findings_of, write_content
from engines.stats.versions import Difference, build_content, carry_over

CHANGED = "Somebody decided or submitted again while you looked at this paper. This is its current state."

NAME_LENGTH = 12  # characters of a difference's name, at least: what is shorter is a number
ONE_CHOICE = "Give a difference with a variant, or everything, or rest."
ELSEWHERE = "This paper was changed in another window in the meantime. Continue with the newest version."


def choose_versions(
    *,
    item: Item,
    seen: str | None,
    by: User | None,
    at: datetime,
    override: bool = False,
    difference: str = "",
    variant: str = "",
    everything: str = "",
    rest: str = "",
    earlier: PaperCase | None = None,
) -> Extraction:
    """Take a variant of one difference, everything of the version with this letter, or what is undecided (`rest`).

    Errors: Refused for none of them or several; those of `take_version` and `take_everything`.
    """
    if sum(map(bool, (difference or variant, everything, rest))) != 1 or bool(difference) != bool(variant):
        raise Refused(ONE_CHOICE)
    facts: dict[str, Any] = {"item": item, "seen": seen, "by": by, "at": at, "override": override}
    if difference:
        return take_version(difference=difference, variant=variant, earlier=earlier, **facts)
    return take_everything(side=everything or rest, only_open=bool(rest), **facts)


@transaction.atomic
def take_version(
    *,
    item: Item,
    difference: str,
    variant: str,
    seen: str | None,
    by: User | None,
    at: datetime,
    override: bool = False,
    earlier: PaperCase | None = None,
) -> Extraction:
    """Take one version at one difference. `seen` is what the person saw (PaperCase.seen; None: does not matter).

    A difference is given by its name or number, a variant by its name or the letter of a version that says it.
    `earlier` is the paper as read before; what is the same is not compared again.

    Errors: Conflict where the paper is another meanwhile, Refused for what is no choice and once it is accepted,
    NotAllowed for people who may not adjudicate it; the same of all actions here.
    """
    case = _open_case(item, seen, by, at, override, earlier=earlier)
    numbered = enumerate(case.comparison.differences, 1)
    place, found = next(((n, each) for n, each in numbered if difference in (each.name, str(n))), (0, None))
    if found is None and difference.isdecimal() and len(difference) < NAME_LENGTH:
        raise Refused(f"There is no difference {difference}; there are {len(case.comparison.differences)}.")
    if found is None:
        raise Conflict(CHANGED)
    return _store_choices(
        case, {**case.choices, found.name: _variant(case, found, variant)}, f"difference {place}", by, at
    )


@transaction.atomic
def take_everything(
    *,
    item: Item,
    side: str,
    seen: str | None,
    by: User | None,
    at: datetime,
    only_open: bool = False,
    override: bool = False,
) -> Extraction:
    """Take everything of the side with this letter, or only what is still undecided."""
    case = _open_case(item, seen, by, at, override)
    chosen = next((each for each in case.sides if each.letter == side), None)
    if chosen is None:
        raise Refused("There is no such version.")
    choices = case.comparison.choices_of(chosen.assignment)
    if only_open:
        undecided = {each.name for each in case.comparison.undecided(case.choices)}
        choices = case.choices | {name: variant for name, variant in choices.items() if name in undecided}
        return _store_choices(case, choices, f"the rest from {side}", by, at)
    return _store_choices(case, choices, f"everything from {side}", by, at, keep_edits=False)


@transaction.atomic
def begin_adjudication(*, item: Item, by: User | None, at: datetime, override: bool = False) -> Extraction:
    """The extraction to edit by hand; begun where nothing was decided yet."""
    case = _open_case(item, None, by, at, override)
    return _bring_up_to_date(case, by, at)


@transaction.atomic
def save_adjudication(
    *, item: Item, steps: Sequence[Any], base: int, by: User | None, at: datetime, override: bool = False
) -> Extraction:
    """Store what was edited on the extraction screen from revision `base`: a revision for each step.

    Errors also: Conflict where another revision is current, Refused for content that is no extraction.
    """
    case = _open_case(item, None, by, at, override)
    made = case.extraction
    if made is None or made.current != base:
        raise Conflict(ELSEWHERE)
    return append_steps(made, steps, by=by, at=at, unnamed="by hand", basis=case.basis)


@transaction.atomic
def write_adjudication(
    *, item: Item, content: Any, seen: str | None, by: User | None, at: datetime, override: bool = False
) -> Extraction:
    """Put a whole extraction in the place of the result as `seen`; begins the adjudication where nothing was decided.

    Errors also: Refused for content that is no extraction.
    """
    case = _open_case(item, seen, by, at, override)
    base = _bring_up_to_date(case, by, at).current
    return save_adjudication(item=item, steps=[whole_step(content, "")], base=base, by=by, at=at, override=override)


@transaction.atomic
def step_adjudication(
    *, item: Item, step: str, by: User | None, at: datetime, base: int | None = None, override: bool = False
) -> Extraction:
    """One step back (`undo`) or forward again (`redo`), over choices and edits.

    `base` is the revision that the person sees, where that is known. Errors: Refused at either end, Conflict where
    another one is current.
    """
    made = _open_case(item, None, by, at, override).extraction
    if made is None:
        raise Refused("There is nothing to undo.")
    if base is not None and base != made.current:
        raise Conflict(ELSEWHERE)
    if step == "redo":
        child = made.revisions.filter(parent=made.current).order_by("-number").first()
        if child is None:
            raise Refused("There is nothing to redo.")
        return move_to(made, child.number, at)
    parent = made.revisions.get(number=made.current).parent
    if parent is None:
        raise Refused("There is nothing to undo.")
    return move_to(made, parent, at)


@transaction.atomic
def accept_paper(
    *, item: Item, seen: str | None, by: User | None, at: datetime, despite: bool = False, override: bool = False
) -> Extraction:
    """Say that this is the paper's extraction. From then on exports and statistics are made of it.

    Errors also: Refused while differences are undecided, or, unless `despite`, while citations dangle or sentences
    are empty.
    """
    case = _locked_case(item, seen, by, at, override)
    if case.is_accepted and not case.is_outdated:
        raise Refused("It is accepted already.")
    _check_comparable(case)
    if left := len(case.comparison.undecided(case.choices)):
        raise Refused(
            f"{left} {'difference is' if left == 1 else 'differences are'} undecided. Take a version of each."
        )
    grave = [str(found.text) for found in findings_of(case.result) if found.rule in BLOCKING]
    if grave and not despite:
        more = f" And {len(grave) - 1} more of this kind." if len(grave) > 1 else ""
        raise Refused(f"{grave[0]}{more} Edit the result, or accept it anyway.")
    made = _bring_up_to_date(case, by, at)
    made.state, made.finished_at, made.updated_at = ExtractionState.FINISHED, at, at
    made.save(update_fields=["state", "finished_at", "updated_at"])
    facts = {"revision": made.current, "findings": len(grave), "differences": len(case.comparison.differences)}
    _record(case.item, made, by, at, "accept_extraction", override=override, **facts)
    return made


@dataclass(frozen=True)
class Majorities:
    """Papers that several people have finished: all agree, accepted now, decided before, left for an adjudicator."""

    alike: int
    accepted: int
    decided: int
    left: int


def accept_majorities(*, campaign: Campaign, by: User | None, at: datetime) -> Majorities:
    """Accept every paper in which a majority, or somebody, has decided every difference; each for itself.

    Papers with something to look at (citations that dangle, empty sentences) and those that `by` worked on are left.
    Errors: Refused for campaigns of other kinds, NotAllowed for people who may not adjudicate.
    """
    check_adjudicator(campaign.collection, by)
    if campaign.kind_object.judges != Judged.PAPERS:
        raise Refused(f"{campaign} grades items; their votes are counted.")
    rows, accepted = paper_rows(campaign), 0
    before = count_rows(rows)
    for row in rows:
        if row.needs_decision:
            try:
                accept_paper(item=row.item, seen=None, by=by, at=at)
            except Refused:
                continue  # it waits for a person, who sees the reason
            accepted += 1
    return Majorities(before.alike, accepted, before.decided, before.open - accepted)


@transaction.atomic
def withdraw_acceptance(
    *, item: Item, seen: str | None, by: User | None, at: datetime, override: bool = False
) -> Extraction:
    """Take an accepted extraction up again: until it is accepted again it does not count. Choices and edits stay."""
    case = _locked_case(item, seen, by, at, override)
    made = case.extraction
    if made is None or not case.is_accepted:
        raise Conflict("It is not accepted, so there is nothing to undo.")
    made.state, made.finished_at, made.updated_at = ExtractionState.DRAFT, None, at
    made.save(update_fields=["state", "finished_at", "updated_at"])
    _record(case.item, made, by, at, "withdraw_acceptance", override=override)
    return made


@transaction.atomic
def open_own_paper(*, item: Item, by: User, at: datetime) -> None:
    """A manager looks at the versions of a paper they worked on themselves: one of the few reads that are logged.

    Errors: NotAllowed for everybody but managers.
    """
    membership = fetch_role(item.campaign.collection, by)
    check_not_own_item(item.pk, membership, override=True)
    _record(item, item, by, at, "open_own_item")


def _locked_case(
    item: Item, seen: str | None, by: User | None, at: datetime, override: bool, *, earlier: PaperCase | None = None
) -> PaperCase:
    rows = Item.objects.select_related("campaign__collection", "paper").select_for_update(of=("self",), no_key=True)
    item = rows.get(pk=item.pk)
    if item.campaign.kind_object.judges != Judged.PAPERS:
        raise Refused("This item is graded; its verdict is a level.")
    check_can_decide(item.campaign.collection, item.pk, by, override=override)
    if by is not None:
        note_item_seen(item.pk, by, at)
    case = fetch_case(item, earlier)
    if seen is not None and seen != case.seen:
        raise Conflict(CHANGED)
    return case


def _open_case(
    item: Item, seen: str | None, by: User | None, at: datetime, override: bool, *, earlier: PaperCase | None = None
) -> PaperCase:
    case = _locked_case(item, seen, by, at, override, earlier=earlier)
    if case.is_accepted:
        raise Refused("This paper is accepted. Reopen it to change it.")
    _check_comparable(case)
    return case


def _variant(case: PaperCase, difference: Difference, text: str) -> str:
    """The name of a variant, given by it or by a letter. Errors: Refused, Conflict."""
    if text in {each.name for each in difference.variants}:
        return text
    side = next((each.assignment for each in case.sides if each.letter == text), None)
    if side is None:
        raise Conflict(CHANGED)
    said = difference.of(side)
    if said is None:
        raise Refused(f"Version {text} has no text at this difference.")
    return said.name


def _check_comparable(case: PaperCase) -> None:
    if len(case.sides) < 2 and case.extraction is None:
        raise Refused("Fewer than two people have finished this paper, so there is nothing to compare yet.")


def _store_choices(
    case: PaperCase, taken: Mapping[str, str], change: str, by: User | None, at: datetime, *, keep_edits: bool = True
) -> Extraction:
    """A revision of what these choices make. Choices of differences that no longer exist are forgotten."""
    known = {each.name for each in case.comparison.differences}
    taken = {name: variant for name, variant in taken.items() if name in known}
    content = build_content(case.comparison, taken)
    if keep_edits:
        content = carry_over(case.built, content, case.result)
    made = case.extraction or _begin(case, by, at)
    if taken == case.choices and not case.is_outdated and content == case.result:
        return made
    return append_revision(made, write_content(content), by=by, at=at, change=change, basis=_basis(case, taken))


def _bring_up_to_date(case: PaperCase, by: User | None, at: datetime) -> Extraction:
    """The extraction made of the versions as they are now."""
    if case.extraction is None:
        return _begin(case, by, at)
    if not case.is_outdated:
        return case.extraction
    known = {each.name for each in case.comparison.differences}
    basis = _basis(case, {name: variant for name, variant in case.choices.items() if name in known})
    return append_revision(
        case.extraction, write_content(case.result), by=by, at=at, change="newer versions", basis=basis
    )


def _begin(case: PaperCase, by: User | None, at: datetime) -> Extraction:
    paper = case.item.paper
    assert paper is not None  # noqa: S101 - items of extraction campaigns are papers
    begun = store_extraction(
        paper=paper,
        source=ExtractionSource.ADJUDICATED,
        content=build_content(case.comparison, {}),
        by=by,
        at=at,
        basis=_basis(case, {}),
        campaign=case.item.campaign,
    )
    _record(case.item, begun, by, at, "begin_adjudication")
    return begun


def _basis(case: PaperCase, taken: Mapping[str, str]) -> dict[str, Any]:
    return {"sides": [list(each) for each in case.revisions], "taken": dict(taken)}


def _record(item: Item, target: Item | Extraction, by: User | None, at: datetime, verb: str, **data: Any) -> None:
    campaign = item.campaign
    facts = {"campaign": campaign.slug, "paper": item.paper.key if item.paper else "", **data}
    record_event(by=by, at=at, verb=verb, target=target, scope=campaign.collection, **facts)
