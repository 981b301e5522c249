"""The steps, in their order: whether each is done, what it lacks, and how it is taken where the guide stands.

What kinds of campaigns differ in is asked of the kind and its procedure, never by the name of a kind.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from accounts.counting import counted
from accounts.models import Job
from accounts.refusals import Reason
from adjudication.evaluation.presets.preset import Preset
from adjudication.exporting.registry import EXPORTERS
from adjudication.guide import acts
from adjudication.guide.acts import Press
from adjudication.guide.facts import Facts
from adjudication.labels.rules import DECIDE
from adjudication.models import AgreementRun, VoteRun
from annotation.campaigns.campaigns import fetch_readiness
from annotation.campaigns.rules import why_cannot_open
from annotation.kind import Judged
from annotation.models import CampaignState, ItemBuild
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import ImportRun, PoolRun, Role

NAME = "{campaign}"  # stands for the name of the campaign in words
LINK, BUTTON, FILES, ADDRESSES = "link", "button", "files", "addresses"


@dataclass(frozen=True)
class Way:
    """One way to take a step: a link; a button that does `act` here, or posts to `address`; e-mail addresses; files."""

    label: str
    address: str = ""
    sort: str = LINK
    act: str = ""


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
    words: Callable[[Facts], str]
    is_done: Callable[[Facts], bool]
    ways: Callable[[Facts], Iterable[Way]]
    lacks: Callable[[Facts], str] = lambda _: ""
    is_used: Callable[[Facts], bool] = lambda _: True
    is_known: Callable[[Facts], bool] = lambda _: True
    needs_campaign: bool = True
    roles: tuple[Role, ...] = MANAGE
    acts: Mapping[str, Callable[[Press], Any]] = field(default_factory=dict)
    job: type[Job] | None = None


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


def _template(facts: Facts) -> str:
    """The template of a campaign that fits what the collection holds."""
    if facts.material["has_papers"]:
        return "acm-cr"
    if facts.has_questions:
        return "litsearch"
    return "doris-mae" if facts.material["has_aspects"] else "graded"


def _campaign_ways(facts: Facts) -> list[Way]:
    if facts.campaign is None:
        return [Way("New campaign", f"{facts.to('campaign_create')}?template={_template(facts)}")]
    return [Way("Add items", facts.inside("item_build"))]


def _why_people(facts: Facts) -> str:
    overlap, people = facts.chosen.overlap, facts.work["people"]
    some = f"{people:,} of {overlap:,} {'is' if people == 1 else 'are'} chosen so far"
    here = some if people else "nobody is chosen yet"
    text = f"{counted(overlap, 'person judges', 'people judge')} each item; {here}."
    if facts.has_gold and facts.chosen.kind_object.judges == Judged.PAPERS:
        text += " Every paper is confirmed already: delete this draft if nobody should read them again."
    if cycle := facts.open_cycle:
        text += f" Anno-GPT cycle {cycle.number} is open: it freezes its machine before labels of its test set come in."
    return text


def _people_ways(facts: Facts) -> Iterable[Way]:
    if cycle := facts.open_cycle:
        yield Way("Go on with the cycle", facts.to("cycle_detail", str(cycle.number)))
    yield Way("Invite", sort=ADDRESSES, act="invite")
    yield Way("Choose people", facts.inside("annotator_list"))
    if not facts.work["i_judge"]:
        yield Way("I judge myself", sort=BUTTON, act="join")
    if "judgments" in facts.chosen.kind_object.tabs and not cycle:
        yield Way("Import judgments", facts.inside("judgment_import"))


def _why_not_open(facts: Facts) -> str:
    return why_cannot_open(facts.chosen, fetch_readiness(facts.chosen))


def _open_ways(facts: Facts) -> list[Way]:
    reason = _why_not_open(facts)
    if not reason:
        return [Way("Open the campaign", sort=BUTTON, act="open")]
    if isinstance(reason, Reason) and reason.remedy:
        return [Way(reason.remedy.label, reason.remedy.href)]
    return [Way("See the campaign", facts.inside("campaign_detail"))]


def _judge_ways(facts: Facts) -> list[Way]:
    kind = facts.chosen.kind_object
    links = [Way("Invitation links", f"{facts.to('member_list')}#invited")] * facts.work["invited"]
    if facts.work["i_judge"] and (facts.work["is_mine"] or facts.work["is_free"]):
        return [Way(kind.words.work, facts.inside(kind.screen)), *links[:1]]
    return [Way("See the progress", facts.inside("campaign_detail")), *links[:1]]


def _who_is_missing(facts: Facts) -> str:
    count = facts.work["invited"]
    return f"{counted(count, 'invited person has', 'invited people have')} not joined yet." if count else ""


def _judge_words(facts: Facts) -> str:
    return f"judge {NAME}" if facts.work["i_judge"] else f"the annotators judge {NAME}"


def _count_words(facts: Facts) -> str:
    if facts.hidden:
        return f"see the votes of {NAME}, once they are shown to you"
    return f"count the votes of {NAME}{' again' if facts.votes.run else ''}"


def _what_votes_said(facts: Facts) -> str:
    run = facts.votes.run
    if facts.hidden or run is None:
        return facts.hidden
    left = run.counts.get("unresolved", 0)
    since = left - facts.left_open if left else 0
    which = f"all {left:,} were" if since == left else f"{since:,} of the {left:,} {'was' if since == 1 else 'were'}"
    which = "it was" if left == 1 else which
    return f"{run.result} Since then {which} decided by hand." if since > 0 else run.result


def _why_ties(facts: Facts) -> str:
    alone = " You judged too, and nobody else in this collection decides." if facts.chooses_to_decide else ""
    return f"{_what_votes_said(facts)}{alone}"


def _tie_ways(facts: Facts) -> list[Way]:
    screen = facts.inside("adjudication_screen")
    rules = [] if facts.procedure.no_votes else [Way("Let a rule decide", f"{screen}?rules=open#vote-rules")]
    if not facts.chooses_to_decide:
        return [Way("Decide", screen), *rules]
    return [
        Way("Decide them myself", facts.inside("own_items_decide"), BUTTON),
        Way("Invite an adjudicator", f"{facts.to('member_list')}#invite"),
        *rules,
    ]


def _decide_words(facts: Facts) -> str:
    return f"decide {counted(facts.undecided, 'item')} of {NAME} by hand"


def _can_agree(facts: Facts) -> bool:
    """Whether several people judged, or still may."""
    may_still = facts.chosen.overlap > 1 and not facts.is_judged
    return not facts.procedure.no_agreement and bool(facts.work["several_judged"] or may_still)


def _to_exports(facts: Facts) -> Way:
    about = f"?campaign={facts.campaign.slug}" if facts.campaign else ""
    return Way("See all exports", f"{facts.to('export_list')}{about}")


def _to_tables(facts: Facts) -> Way:
    about = f"?campaign={facts.campaign.slug}" if facts.campaign else ""
    return Way("Tables of the question set", f"{facts.to('question_set')}{about}")


def _agreement_ways(facts: Facts) -> list[Way]:
    """To the figures, once they are measured and shown to the person."""
    if facts.campaign is None or facts.hidden or facts.procedure.no_agreement or not facts.work["is_measured"]:
        return []
    return [Way("See the agreement", facts.inside("agreement_detail"))]


def _topic_ways(facts: Facts) -> list[Way]:
    model = [Way("Ask a language model", facts.to("generation_create"))] * facts.material["has_mentions"]
    return [
        *model,
        Way("Import", facts.to("import_create", "topics"), FILES),
        Way("Write one", facts.to("topic_create")),
        Way("Ask authors", facts.to("author_call_list")),
        Way("Papers that cite", facts.to("import_create", "papers")),
    ]


def _release_ways(facts: Facts) -> list[Way]:
    runs = [Way("Make a run to measure", facts.to("run_create"))] * facts.lacks_runs
    return [Way("See the check list", facts.to("release_create")), *runs]


def _export_ways(facts: Facts) -> list[Way]:
    exports = _to_exports(facts)
    if facts.chosen.kind_object.judges == Judged.QUESTIONS:
        return [_to_tables(facts), exports]
    qrels = EXPORTERS["qrels"]
    if not qrels.takes(facts.chosen):
        return [exports]
    download = f"{facts.to('export_download', 'qrels')}?campaign={facts.chosen.slug}"
    return [Way("Download the qrels", download), exports]


def _what_tables_say(facts: Facts) -> str:
    if facts.material["has_papers"]:
        return "The tables of a paper: what the contexts are, and how well their citations are found."
    return "The tables of a paper: how well runs find the documents that answer the questions."


def _evaluation_words(facts: Facts) -> str:
    if not facts.material["has_runs"]:
        return "make a run to evaluate"
    missing = facts.missing_tables
    if missing and not missing[0].measures_runs:
        return f"make {_short(missing[0])}"
    return "evaluate a run"


def _evaluation_ways(facts: Facts) -> list[Way]:
    """A run; then its table, next to those that need none."""
    address = facts.to("evaluation_create")
    own = [each for each in facts.missing_tables if not each.measures_runs]
    tables = [Way(_short(each), f"{address}?preset={each.name}") for each in own]
    of_runs = [each for each in facts.missing_tables if each.measures_runs]
    if not facts.material["has_runs"]:
        first = [Way("Make a run", facts.to("run_create"))]
    elif of_runs or not own:
        first = [Way("Evaluate", address + (f"?preset={of_runs[0].name}" if of_runs else ""))]
    else:
        first = []
    onward = _to_exports(facts) if facts.material["has_papers"] else _to_tables(facts)
    return [*first, *tables, onward, *_agreement_ways(facts)]


def _short(table: Preset) -> str:
    """ "ACM-CR Table 1", without what it is about."""
    return table.label.partition(":")[0]


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
        ways=_topic_ways,
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
        acts={"invite": acts.invite, "join": acts.join},
    ),
    Step(
        key="open",
        title="Open the campaign",
        words=lambda _: f"open {NAME}",
        lacks=_why_not_open,
        is_done=lambda facts: facts.chosen.state != CampaignState.DRAFT,
        is_used=lambda facts: not facts.came_judged,
        ways=_open_ways,
        acts={"open": acts.open_it},
        job=ItemBuild,
    ),
    Step(
        key="judge",
        title="Judge",
        words=_judge_words,
        lacks=_who_is_missing,
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
        ways=_tie_ways,
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
        ways=lambda facts: [Way("Make topics", sort=BUTTON, act="make"), _to_exports(facts)],
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
        ways=_evaluation_ways,
        needs_campaign=False,
    ),
    Step(
        key="export",
        title="Export",
        words=lambda _: f"export {NAME}",
        lacks=_what_votes_said,
        is_done=lambda facts: facts.is_exported,
        ways=lambda facts: [*_export_ways(facts), *_agreement_ways(facts)],
        roles=OVERSEERS,
    ),
    Step(
        key="release",
        title="Release",
        words=lambda _: "freeze a release",
        lacks=lambda _: "A release is a version that never changes, with hashes and a dataset card.",
        is_done=lambda facts: facts.material["has_releases"],
        ways=_release_ways,
        needs_campaign=False,
    ),
)
