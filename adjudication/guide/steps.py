"""The steps, in their order: whether each is done, what it lacks, and how it is taken where the guide stands.

What kinds of campaigns differ in is asked of the kind and its procedure, never by the name of a kind.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from accounts.counting import counted
from accounts.models import Job
from adjudication.guide import acts
from adjudication.guide.acts import Press
from adjudication.guide.facts import GuideFacts
from adjudication.guide.ways import (
    BUTTON,
    FILES,
    Way,
    agreement_ways,
    campaign_ways,
    evaluation_ways,
    export_ways,
    judge_ways,
    open_ways,
    people_ways,
    release_ways,
    short_label,
    tie_ways,
    to_exports,
    topic_ways,
    why_not_open,
)
from adjudication.models import AgreementRun, VoteRun
from annotation.kind import Judged
from annotation.models import CampaignState, ItemBuild
from corpus.collections.rules import DECIDE, MANAGE, OVERSEERS
from corpus.models import ImportRun, PoolRun, Role

NAME = "{campaign}"  # stands for the name of the campaign in words


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step. `words` follow "Next:", with NAME where the campaign is named.

    `lacks` says what is missing; `ways` lead on, the first is the usual one.
    `acts` are what its buttons do, by the name in a Way; what they return is said, where it is a text. `job` is the
    background job that it waits for, or that failed. A step that is not `is_used` is passed by; one that is not
    `is_known` does not even stand among the steps of such a collection.
    """

    key: str
    title: str
    words: Callable[[GuideFacts], str]
    is_done: Callable[[GuideFacts], bool]
    ways: Callable[[GuideFacts], Iterable[Way]]
    lacks: Callable[[GuideFacts], str] = lambda _: ""
    is_used: Callable[[GuideFacts], bool] = lambda _: True
    is_known: Callable[[GuideFacts], bool] = lambda _: True
    needs_campaign: bool = True
    roles: tuple[Role, ...] = MANAGE
    acts: Mapping[str, Callable[[Press], Any]] = field(default_factory=dict)
    job: type[Job] | None = None


def _needs_material(facts: GuideFacts, judged: Judged) -> bool:
    """Whether it is a step: before there is a campaign, or because the campaign judges this sort of thing."""
    return facts.campaign is None or facts.chosen.kind_object.judges == judged


def _needs_pools(facts: GuideFacts) -> bool:
    """Before there is a campaign: unless the topics are questions, for which their own targets are judged."""
    if facts.campaign is None and facts.has_questions:
        return False
    return not facts.material["has_papers"] and _needs_material(facts, Judged.DOCUMENTS)


def _is_decided(facts: GuideFacts) -> bool:
    """Whether all is judged and counted, and nothing of it waits for a decision by hand."""
    if facts.hidden or not facts.is_judged:
        return False
    return bool(facts.procedure.no_votes or facts.votes.run) and not facts.undecided


def _is_drafted(facts: GuideFacts) -> bool:
    return facts.campaign is not None and facts.work["has_items"]


def _why_people(facts: GuideFacts) -> str:
    overlap, people = facts.chosen.overlap, facts.work["people"]
    some = f"{people:,} of {overlap:,} {'is' if people == 1 else 'are'} chosen so far"
    here = some if people else "nobody is chosen yet"
    text = f"{counted(overlap, 'person judges', 'people judge')} each item; {here}."
    if facts.has_gold and facts.chosen.kind_object.judges == Judged.PAPERS:
        text += " Every paper is confirmed already: delete this draft if nobody should read them again."
    if cycle := facts.open_cycle:
        text += f" Anno-GPT cycle {cycle.number} is open: it freezes its machine before labels of its test set come in."
    return text


def _who_is_missing(facts: GuideFacts) -> str:
    count = facts.work["invited"]
    return f"{counted(count, 'invited person has', 'invited people have')} not joined yet." if count else ""


def _judge_words(facts: GuideFacts) -> str:
    return f"judge {NAME}" if facts.work["i_judge"] else f"the annotators judge {NAME}"


def _count_words(facts: GuideFacts) -> str:
    if facts.hidden:
        return f"see the votes of {NAME}, once they are shown to you"
    return f"count the votes of {NAME}{' again' if facts.votes.run else ''}"


def _what_votes_said(facts: GuideFacts) -> str:
    run = facts.votes.run
    if facts.hidden or run is None:
        return facts.hidden
    left = run.counts.get("unresolved", 0)
    since = left - facts.left_open if left else 0
    which = f"all {left:,} were" if since == left else f"{since:,} of the {left:,} {'was' if since == 1 else 'were'}"
    which = "it was" if left == 1 else which
    return f"{run.result} Since then {which} decided by hand." if since > 0 else run.result


def _why_ties(facts: GuideFacts) -> str:
    alone = " You judged too, and nobody else in this collection decides." if facts.chooses_to_decide else ""
    return f"{_what_votes_said(facts)}{alone}"


def _decide_words(facts: GuideFacts) -> str:
    return f"decide {counted(facts.undecided, 'item')} of {NAME} by hand"


def _can_agree(facts: GuideFacts) -> bool:
    """Whether several people judged, or still may."""
    may_still = facts.chosen.overlap > 1 and not facts.is_judged
    return not facts.procedure.no_agreement and bool(facts.work["several_judged"] or may_still)


def _what_tables_say(facts: GuideFacts) -> str:
    if facts.material["has_papers"]:
        return "The tables of a paper: what the contexts are, and how well their citations are found."
    return "The tables of a paper: how well runs find the documents that answer the questions."


def _evaluation_words(facts: GuideFacts) -> str:
    if not facts.material["has_runs"]:
        return "make a run to evaluate"
    missing = facts.missing_tables
    if missing and not missing[0].measures_runs:
        return f"make {short_label(missing[0])}"
    return "evaluate a run"


STEPS = (
    Step(
        key="documents",
        title="Bring in the documents",
        words=lambda _: "bring in the documents",
        lacks=lambda _: "Documents are searched and judged.",
        is_done=lambda facts: facts.material["has_documents"],
        is_used=lambda facts: facts.campaign is None or not facts.work["has_items"],
        ways=lambda facts: [Way("Import", facts.to("import_create", "documents"), FILES)],
        needs_campaign=False,
        job=ImportRun,
    ),
    Step(
        key="topics",
        title="Bring in the topics",
        words=lambda _: "bring in the topics",
        lacks=lambda _: "Questions or complex queries, for which people judge documents; or papers that cite them.",
        is_done=lambda facts: facts.material["has_topics"],
        is_used=lambda facts: not facts.material["has_papers"] and not _is_drafted(facts),
        ways=topic_ways,
        needs_campaign=False,
        job=ImportRun,
    ),
    Step(
        key="pools",
        title="Build the pools",
        words=lambda _: "build the pools",
        lacks=lambda _: "A pool holds the documents to judge for a topic: the best ones of runs and searches.",
        is_done=lambda facts: facts.material["has_pools"],
        is_used=lambda facts: not _is_drafted(facts) and _needs_pools(facts),
        ways=lambda facts: [
            Way("Build pools", sort=BUTTON, act="build"),
            Way("Choose how", facts.to("pool_list")),
            Way("Import a list", facts.to("import_create", "pool")),
        ],
        acts={"build": acts.build_pools},
        needs_campaign=False,
        job=PoolRun,
    ),
    Step(
        key="campaign",
        title="Define a campaign",
        words=lambda facts: "define a campaign" if facts.campaign is None else f"add items to {NAME}",
        lacks=lambda _: "What is judged, on which scale, by which guideline.",
        is_done=_is_drafted,
        is_used=lambda facts: not facts.came_confirmed,
        ways=campaign_ways,
        needs_campaign=False,
    ),
    Step(
        key="people",
        title="Choose the people who judge",
        words=lambda _: f"choose who judges {NAME}",
        lacks=_why_people,
        is_done=lambda facts: facts.work["people"] >= facts.chosen.overlap or facts.work["has_labels"],
        ways=people_ways,
        acts={"invite": acts.invite, "join": acts.join},
    ),
    Step(
        key="open",
        title="Open the campaign",
        words=lambda _: f"open {NAME}",
        lacks=why_not_open,
        is_done=lambda facts: facts.chosen.state != CampaignState.DRAFT,
        is_used=lambda facts: not facts.came_judged,
        ways=open_ways,
        acts={"open": acts.open_it},
        job=ItemBuild,
    ),
    Step(
        key="judge",
        title="Judge",
        words=_judge_words,
        lacks=_who_is_missing,
        is_done=lambda facts: facts.is_judged,
        ways=judge_ways,
    ),
    Step(
        key="votes",
        title="Count the votes",
        words=_count_words,
        lacks=lambda facts: facts.hidden or (facts.votes.since and f"New since the last count: {facts.votes.since}."),
        is_done=lambda facts: facts.votes.run is not None and not facts.votes.is_stale,
        is_used=lambda facts: not facts.procedure.no_votes,
        ways=lambda facts: [] if facts.hidden else [Way("Count votes", sort=BUTTON, act="count")],
        acts={"count": acts.count},
        roles=DECIDE,
        job=VoteRun,
    ),
    Step(
        key="ties",
        title="Decide what the votes leave open",
        words=_decide_words,
        lacks=_why_ties,
        is_done=_is_decided,
        ways=tie_ways,
        roles=DECIDE,
    ),
    Step(
        key="agreement",
        title="Measure the agreement",
        words=lambda _: f"measure the agreement in {NAME}",
        lacks=_what_votes_said,
        is_done=lambda facts: facts.work["is_measured"],
        is_used=_can_agree,
        ways=lambda facts: [] if facts.hidden else [Way("Measure agreement", sort=BUTTON, act="measure")],
        acts={"measure": acts.measure},
        roles=DECIDE,
        job=AgreementRun,
    ),
    Step(
        key="context_topics",
        title="Make topics of the contexts",
        words=lambda _: "make topics of the contexts",
        lacks=lambda _: "Runs and evaluations need them: one for each paragraph that cites, and one for each sentence.",
        is_done=lambda facts: facts.material["has_paragraph_topics"] and facts.material["has_sentence_topics"],
        is_used=lambda facts: facts.material["has_papers"],
        is_known=lambda facts: facts.material["has_papers"],
        ways=lambda facts: [Way("Make topics", sort=BUTTON, act="make"), to_exports(facts)],
        acts={"make": acts.make_topics},
        needs_campaign=False,
    ),
    Step(
        key="evaluation",
        title="Evaluate a run",
        words=_evaluation_words,
        lacks=_what_tables_say,
        is_done=lambda facts: facts.material["has_evaluations"] and not facts.missing_tables,
        is_used=lambda facts: facts.measures_runs,
        is_known=lambda facts: facts.measures_runs,
        ways=evaluation_ways,
        needs_campaign=False,
    ),
    Step(
        key="export",
        title="Export",
        words=lambda _: f"export {NAME}",
        lacks=_what_votes_said,
        is_done=lambda facts: facts.is_exported,
        ways=lambda facts: [*export_ways(facts), *agreement_ways(facts)],
        roles=OVERSEERS,
    ),
    Step(
        key="release",
        title="Release",
        words=lambda _: "freeze a release",
        lacks=lambda _: "A release is a version that never changes, with hashes and a dataset card.",
        is_done=lambda facts: facts.material["has_releases"],
        ways=release_ways,
        needs_campaign=False,
    ),
)
