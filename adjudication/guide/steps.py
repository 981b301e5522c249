"""The steps, in their order: whether each is done, what it lacks, and how it is taken where the guide stands.

What kinds of campaigns differ in is asked of the kind and its procedure, never by the name of a kind.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.urls import reverse

from accounts.counting import counted
from accounts.models import Job, User
from accounts.refusals import Reason
from adjudication.agreement.requests import request_agreement, request_vote
from adjudication.exporting.registry import EXPORTERS
from adjudication.guide.facts import Facts
from adjudication.labels.rules import DECIDE
from adjudication.models import AgreementRun, VoteRun
from annotation.assignment.annotators import add_members
from annotation.campaigns.campaigns import fetch_readiness
from annotation.campaigns.lifecycle import open_campaign
from annotation.campaigns.rules import why_cannot_open
from annotation.kind import Judged
from annotation.models import CampaignState, ItemBuild
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import ImportRun, PoolRun, Role
from corpus.pools.requests import request_pools

NAME = "{campaign}"  # stands for the name of the campaign in words
LINK, BUTTON, FILES = "link", "button", "files"
DEPTH = 100  # of each run in a pool, as the form begins


@dataclass(frozen=True)
class Way:
    """One way to take a step: a link, a button that does `act` here, or files that are sent from here."""

    label: str
    address: str = ""
    sort: str = LINK
    act: str = ""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step. `words` follow "Next:", with NAME where the campaign is named.

    `lacks` says what is missing; `ways` lead on, the first is the usual one.
    `acts` are what its buttons do, by the name in a Way: with (facts, by, at). `job` is the background job that it
    waits for, or that failed. A step that is not `is_used` is passed by.
    """

    key: str
    title: str
    words: Callable[[Facts], str]
    is_done: Callable[[Facts], bool]
    ways: Callable[[Facts], Iterable[Way]]
    lacks: Callable[[Facts], str] = lambda _: ""
    is_used: Callable[[Facts], bool] = lambda _: True
    needs_campaign: bool = True
    roles: tuple[Role, ...] = MANAGE
    acts: Mapping[str, Callable[[Facts, User, datetime], Any]] = field(default_factory=dict)
    job: type[Job] | None = None


def _to(facts: Facts, name: str, *more: str) -> str:
    return reverse(name, args=[facts.collection.slug, *more])


def _in(facts: Facts, name: str) -> str:
    return _to(facts, name, facts.chosen.slug)


def _pool(facts: Facts, by: User, at: datetime) -> None:
    request_pools(collection=facts.collection, by=by, at=at, depth=DEPTH)


def _join(facts: Facts, by: User, at: datetime) -> None:
    add_members(campaign=facts.chosen, users=[by], by=by, at=at)


def _open(facts: Facts, by: User, at: datetime) -> None:
    open_campaign(campaign=facts.chosen, by=by, at=at)


def _count(facts: Facts, by: User, at: datetime) -> None:
    request_vote(campaign=facts.chosen, by=by, at=at)


def _measure(facts: Facts, by: User, at: datetime) -> None:
    request_agreement(campaign=facts.chosen, by=by, at=at)


def _needs_material(facts: Facts, judged: Judged) -> bool:
    """Whether it is a step: before there is a campaign, or because the campaign judges this sort of thing."""
    return facts.campaign is None or facts.chosen.kind_object.judges == judged


def _needs_pools(facts: Facts) -> bool:
    """Before there is a campaign: unless the topics are questions, for which their own targets are judged."""
    if facts.campaign is None and facts.has_questions:
        return False
    return not facts.material["has_papers"] and _needs_material(facts, Judged.DOCUMENTS)


def _is_decided(facts: Facts) -> bool:
    """Whether all is judged and counted, and nothing of it waits for a decision by hand."""
    if facts.hidden or not facts.is_judged:
        return False
    return bool(facts.procedure.no_votes or facts.votes.run) and not facts.undecided


def _is_drafted(facts: Facts) -> bool:
    return facts.campaign is not None and facts.work["has_items"]


def _campaign_ways(facts: Facts) -> list[Way]:
    if facts.campaign is None:
        return [Way("New campaign", _to(facts, "campaign_create"))]
    return [Way("Add items", _in(facts, "item_build"))]


def _why_people(facts: Facts) -> str:
    overlap, people = facts.chosen.overlap, facts.work["people"]
    here = "nobody is chosen yet" if not people else f"{people:,} {'is' if people == 1 else 'are'} chosen"
    return f"{counted(overlap, 'person judges', 'people judge')} each item; {here}."


def _people_ways(facts: Facts) -> Iterable[Way]:
    yield Way("Choose people", _in(facts, "annotator_list"))
    if not facts.work["i_judge"]:
        yield Way("I judge myself", sort=BUTTON, act="join")


def _why_not_open(facts: Facts) -> str:
    return why_cannot_open(facts.chosen, fetch_readiness(facts.chosen))


def _open_ways(facts: Facts) -> list[Way]:
    reason = _why_not_open(facts)
    if not reason:
        return [Way("Open the campaign", sort=BUTTON, act="open")]
    if isinstance(reason, Reason) and reason.remedy:
        return [Way(reason.remedy.label, reason.remedy.href)]
    return [Way("See the campaign", _in(facts, "campaign_detail"))]


def _judge_ways(facts: Facts) -> list[Way]:
    kind = facts.chosen.kind_object
    if facts.work["i_judge"] and (facts.work["is_mine"] or facts.work["is_free"]):
        return [Way(kind.words.work, _in(facts, kind.screen))]
    return [Way("See the progress", _in(facts, "campaign_detail"))]


def _judge_words(facts: Facts) -> str:
    return f"judge {NAME}" if facts.work["i_judge"] else f"the annotators judge {NAME}"


def _count_words(facts: Facts) -> str:
    return f"count the votes of {NAME}{' again' if facts.votes.run else ''}"


def _decide_words(facts: Facts) -> str:
    return f"decide {counted(facts.undecided, 'item')} of {NAME} by hand"


def _export_ways(facts: Facts) -> list[Way]:
    exports = Way("See all exports", f"{_to(facts, 'export_list')}?campaign={facts.chosen.slug}")
    qrels = EXPORTERS["qrels"]
    if not qrels.takes(facts.chosen):
        return [exports]
    download = f"{_to(facts, 'export_download', 'qrels')}?campaign={facts.chosen.slug}"
    return [Way("Download the qrels", download), exports]


STEPS = (
    Step(
        key="documents",
        title="Bring in the documents",
        words=lambda _: "bring in the documents",
        lacks=lambda _: "They are what is searched and judged.",
        is_done=lambda facts: facts.material["has_documents"] or facts.material["has_papers"],
        is_used=lambda facts: facts.campaign is None or not facts.work["has_items"],
        ways=lambda facts: [
            Way("Import", _to(facts, "import_create", "documents"), FILES),
            Way("Papers instead", _to(facts, "import_create", "papers")),
        ],
        needs_campaign=False,
        job=ImportRun,
    ),
    Step(
        key="topics",
        title="Bring in the topics",
        words=lambda _: "bring in the topics",
        lacks=lambda _: "Questions or complex queries, for which people judge documents.",
        is_done=lambda facts: facts.material["has_topics"],
        is_used=lambda facts: not facts.material["has_papers"] and not _is_drafted(facts),
        ways=lambda facts: [
            Way("Import", _to(facts, "import_create", "topics"), FILES),
            Way("Write one", _to(facts, "topic_create")),
            Way("Ask authors", _to(facts, "author_call_list")),
        ],
        needs_campaign=False,
        job=ImportRun,
    ),
    Step(
        key="pools",
        title="Build the pools",
        words=lambda _: "build the pools",
        lacks=lambda _: "A pool is what is judged for a topic: the best documents of runs and searches.",
        is_done=lambda facts: facts.material["has_pools"],
        is_used=lambda facts: not _is_drafted(facts) and _needs_pools(facts),
        ways=lambda facts: [
            Way("Build pools", sort=BUTTON, act="build"),
            Way("Choose how", _to(facts, "pool_list")),
        ],
        acts={"build": _pool},
        needs_campaign=False,
        job=PoolRun,
    ),
    Step(
        key="campaign",
        title="Define a campaign",
        words=lambda facts: "define a campaign" if facts.campaign is None else f"add items to {NAME}",
        lacks=lambda _: "What is judged, on which scale, by which guideline.",
        is_done=_is_drafted,
        ways=_campaign_ways,
        needs_campaign=False,
    ),
    Step(
        key="people",
        title="Choose the people who judge",
        words=lambda _: f"choose who judges {NAME}",
        lacks=_why_people,
        is_done=lambda facts: facts.work["people"] >= facts.chosen.overlap or facts.work["has_labels"],
        ways=_people_ways,
        acts={"join": _join},
    ),
    Step(
        key="open",
        title="Open the campaign",
        words=lambda _: f"open {NAME}",
        lacks=_why_not_open,
        is_done=lambda facts: facts.chosen.state != CampaignState.DRAFT,
        is_used=lambda facts: not facts.came_judged,
        ways=_open_ways,
        acts={"open": _open},
        job=ItemBuild,
    ),
    Step(
        key="judge",
        title="Judge",
        words=_judge_words,
        is_done=lambda facts: facts.is_judged,
        ways=_judge_ways,
    ),
    Step(
        key="votes",
        title="Count the votes",
        words=_count_words,
        lacks=lambda facts: facts.hidden or (facts.votes.since and f"New since the last count: {facts.votes.since}."),
        is_done=lambda facts: facts.votes.run is not None and not facts.votes.is_stale,
        is_used=lambda facts: not facts.procedure.no_votes,
        ways=lambda facts: [] if facts.hidden else [Way("Count votes", sort=BUTTON, act="count")],
        acts={"count": _count},
        roles=DECIDE,
        job=VoteRun,
    ),
    Step(
        key="ties",
        title="Decide what the votes leave open",
        words=_decide_words,
        lacks=lambda facts: facts.hidden,
        is_done=_is_decided,
        ways=lambda facts: [Way("Decide", _in(facts, "adjudication_screen"))],
        roles=DECIDE,
    ),
    Step(
        key="agreement",
        title="Measure the agreement",
        words=lambda _: f"measure the agreement in {NAME}",
        lacks=lambda facts: facts.hidden,
        is_done=lambda facts: facts.work["is_measured"],
        is_used=lambda facts: not facts.procedure.no_agreement and facts.work["several_judged"],
        ways=lambda facts: [] if facts.hidden else [Way("Measure agreement", sort=BUTTON, act="measure")],
        acts={"measure": _measure},
        roles=DECIDE,
        job=AgreementRun,
    ),
    Step(
        key="export",
        title="Export",
        words=lambda _: f"export {NAME}",
        lacks=lambda facts: facts.hidden,
        is_done=lambda facts: facts.is_exported,
        ways=_export_ways,
        roles=OVERSEERS,
    ),
    Step(
        key="release",
        title="Release",
        words=lambda _: "freeze a release",
        lacks=lambda _: "A release is a version that never changes, with hashes and a dataset card.",
        is_done=lambda facts: facts.material["has_releases"],
        ways=lambda facts: [Way("See the check list", _to(facts, "release_create"))],
        needs_campaign=False,
    ),
)
