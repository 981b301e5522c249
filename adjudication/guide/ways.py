"""The ways in which steps are taken from where the guide stands: links, buttons, e-mail addresses, files."""

from collections.abc import Iterable
from dataclasses import dataclass

from accounts.refusals import Reason
from adjudication.evaluation.presets.preset import Preset
from adjudication.exporting.registry import EXPORTERS
from adjudication.guide.facts import GuideFacts
from annotation.campaigns.campaigns import fetch_readiness
from annotation.campaigns.rules import why_cannot_open
from annotation.kind import Judged

LINK, BUTTON, FILES, ADDRESSES = "link", "button", "files", "addresses"


@dataclass(frozen=True)
class Way:
    """One way to take a step: a link; a button that does `act` here, or posts to `address`; e-mail addresses; files."""

    label: str
    address: str = ""
    sort: str = LINK
    act: str = ""


def _template(facts: GuideFacts) -> str:
    """The template of a campaign that fits what the collection holds."""
    if facts.material["has_papers"]:
        return "acm-cr"
    if facts.has_questions:
        return "litsearch"
    return "doris-mae" if facts.material["has_aspects"] else "graded"


def campaign_ways(facts: GuideFacts) -> list[Way]:
    if facts.campaign is None:
        return [Way("New campaign", f"{facts.to('campaign_create')}?template={_template(facts)}")]
    return [Way("Add items", facts.inside("item_build"))]


def people_ways(facts: GuideFacts) -> Iterable[Way]:
    if cycle := facts.open_cycle:
        yield Way("Go on with the cycle", facts.to("cycle_detail", str(cycle.number)))
    yield Way("Invite", sort=ADDRESSES, act="invite")
    yield Way("Choose people", facts.inside("annotator_list"))
    if not facts.work["i_judge"]:
        yield Way("I judge myself", sort=BUTTON, act="join")
    if "judgments" in facts.chosen.kind_object.tabs and not cycle:
        yield Way("Import judgments", facts.inside("judgment_import"))


def why_not_open(facts: GuideFacts) -> str:
    return why_cannot_open(facts.chosen, fetch_readiness(facts.chosen))


def open_ways(facts: GuideFacts) -> list[Way]:
    reason = why_not_open(facts)
    if not reason:
        return [Way("Open the campaign", sort=BUTTON, act="open")]
    if isinstance(reason, Reason) and reason.remedy:
        return [Way(reason.remedy.label, reason.remedy.href)]
    return [Way("See the campaign", facts.inside("campaign_detail"))]


def judge_ways(facts: GuideFacts) -> list[Way]:
    kind = facts.chosen.kind_object
    links = [Way("Invitation links", f"{facts.to('member_list')}#invited")] * facts.work["invited"]
    if facts.work["i_judge"] and (facts.work["is_mine"] or facts.work["is_free"]):
        return [Way(kind.words.work, facts.inside(kind.screen)), *links[:1]]
    return [Way("See the progress", facts.inside("campaign_detail")), *links[:1]]


def tie_ways(facts: GuideFacts) -> list[Way]:
    screen = facts.inside("adjudication_screen")
    rules = [] if facts.procedure.no_votes else [Way("Let a rule decide", f"{screen}?rules=open#vote-rules")]
    if not facts.chooses_to_decide:
        return [Way("Decide", screen), *rules]
    return [
        Way("Decide them myself", facts.inside("own_items_decide"), BUTTON),
        Way("Invite an adjudicator", f"{facts.to('member_list')}#invite"),
        *rules,
    ]


def to_exports(facts: GuideFacts) -> Way:
    about = f"?campaign={facts.campaign.slug}" if facts.campaign else ""
    return Way("See all exports", f"{facts.to('export_list')}{about}")


def _to_tables(facts: GuideFacts) -> Way:
    about = f"?campaign={facts.campaign.slug}" if facts.campaign else ""
    return Way("Tables of the question set", f"{facts.to('question_set')}{about}")


def agreement_ways(facts: GuideFacts) -> list[Way]:
    """To the figures, once they are measured and shown to the person."""
    if facts.campaign is None or facts.hidden or facts.procedure.no_agreement or not facts.work["is_measured"]:
        return []
    return [Way("See the agreement", facts.inside("agreement_detail"))]


def topic_ways(facts: GuideFacts) -> list[Way]:
    model = [Way("Ask a language model", facts.to("generation_create"))] * facts.material["has_mentions"]
    return [
        *model,
        Way("Import", facts.to("import_create", "topics"), FILES),
        Way("Write one", facts.to("topic_create")),
        Way("Ask authors", facts.to("author_call_list")),
        Way("Papers that cite", facts.to("import_create", "papers")),
    ]


def release_ways(facts: GuideFacts) -> list[Way]:
    runs = [Way("Make a run to measure", facts.to("run_create"))] * facts.lacks_runs
    return [Way("See the check list", facts.to("release_create")), *runs]


def export_ways(facts: GuideFacts) -> list[Way]:
    exports = to_exports(facts)
    if facts.chosen.kind_object.judges == Judged.QUESTIONS:
        return [_to_tables(facts), exports]
    qrels = EXPORTERS["qrels"]
    if not qrels.takes(facts.chosen):
        return [exports]
    download = f"{facts.to('export_download', 'qrels')}?campaign={facts.chosen.slug}"
    return [Way("Download the qrels", download), exports]


def evaluation_ways(facts: GuideFacts) -> list[Way]:
    """A run; then its table, next to those that need none."""
    address = facts.to("evaluation_create")
    own = [each for each in facts.missing_tables if not each.measures_runs]
    tables = [Way(short_label(each), f"{address}?preset={each.name}") for each in own]
    of_runs = [each for each in facts.missing_tables if each.measures_runs]
    if not facts.material["has_runs"]:
        first = [Way("Make a run", facts.to("run_create"))]
    elif of_runs or not own:
        first = [Way("Evaluate", address + (f"?preset={of_runs[0].name}" if of_runs else ""))]
    else:
        first = []
    onward = to_exports(facts) if facts.material["has_papers"] else _to_tables(facts)
    return [*first, *tables, onward, *agreement_ways(facts)]


def short_label(table: Preset) -> str:
    """ "ACM-CR Table 1", without what it is about."""
    return table.label.partition(":")[0]
