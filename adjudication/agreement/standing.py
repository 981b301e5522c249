"""Whether the agreement figures of a campaign are of today: by what has changed, or exactly by their inputs' hash."""

from django.db.models import Exists, OuterRef, Q

from accounts.models import JobState
from adjudication.labels.counts import fetch_vote_standing
from adjudication.labels.inputs import read_inputs
from adjudication.labels.labels import count_changed
from adjudication.labels.staleness import Standing, count_newer
from adjudication.models import AgreementRun, VoteRun
from annotation.models import AnnotatorKind, Assignment, AssignmentState, Campaign

OTHER = "other changes of labels, topics or annotators"
OTHER_VERDICTS = "changes of verdicts, with which some of its figures are"


def fetch_standing(campaign: Campaign, condition: Q | None = None) -> Standing[AgreementRun]:
    """At most five queries. `job` is the newest run of any state, so that a page can show its progress or failure.

    `newer` are labels of people and of the machines that the run has figures of; `changed` are verdicts, where a
    figure depends on them. With `condition`, `run` is the newest of those that fulfil it.
    """
    runs = AgreementRun.objects.filter(campaign=campaign).order_by("-pk")
    done = runs.filter(condition or Q(), state=JobState.DONE).first()
    if done is None:
        return Standing(job=runs.first())
    done.campaign = campaign
    return standing_of(done, runs.first())


def several_judged(campaign: Campaign) -> bool:
    """Whether there are two annotators to compare: without them no figure of agreement has a value."""
    done = Assignment.objects.filter(annotator=OuterRef("pk"), state=AssignmentState.DONE)
    return len(campaign.annotators.filter(Exists(done)).values("pk")[:2]) == 2


def standing_of(run: AgreementRun, job: AgreementRun | None = None) -> Standing[AgreementRun]:
    """The standing of one finished run. At most three queries."""
    changed = count_changed(run.campaign, run.verdicts_at) if _needs_verdicts(run) else 0
    newer = count_newer(run.campaign, run.snapshot, machines=_machines(run), repeats=True)
    return Standing(run, job, newer, changed)


def why_stale(run: AgreementRun) -> str:
    """What has changed since these figures were computed, as a sentence that is printed with them; "" for nothing."""
    return standing_of(run).sentence


def exact_standings(campaign: Campaign) -> tuple[Standing[VoteRun], Standing[AgreementRun]]:
    """Of the newest count of votes and the newest agreement figures, where nothing may be of other inputs: a release.

    Reads every label and verdict. Labels of a machine without figures count too, which pages do not mind.
    """
    inputs = read_inputs(campaign)
    votes = fetch_vote_standing(campaign, inputs.table)
    runs = AgreementRun.objects.filter(campaign=campaign).order_by("-pk")
    done = runs.filter(state=JobState.DONE).first()
    if done is None:
        return votes, Standing(job=runs.first())
    if done.inputs_hash != inputs.digest:
        newer = count_newer(campaign, done.snapshot, kinds=AnnotatorKind.values, repeats=True)
        return votes, Standing(done, runs.first(), newer, other=OTHER)
    is_other = _needs_verdicts(done) and done.verdicts_hash != inputs.verdicts_digest
    return votes, Standing(done, runs.first(), other=OTHER_VERDICTS if is_other else "")


def _machines(run: AgreementRun) -> list[str]:
    """The machines that the run has figures of: of others there are none that could be out of date."""
    annotators = [one for detail in run.detail.values() for one in detail.get("annotators", ())]
    machines = (one for one in annotators if one["kind"] == AnnotatorKind.MACHINE)
    return sorted({str(one["model"] or one["name"]) for one in machines})


def _needs_verdicts(run: AgreementRun) -> bool:
    """Whether a figure depends on the verdicts: those of non-voters do, where there were verdicts to compare them with.
    Voters are compared with each other.
    """
    return any(
        one["kind"] == AnnotatorKind.MACHINE or one["id"] not in detail.get("voters", ())
        for detail in run.detail.values()
        if detail.get("has_verdicts", bool(detail.get("voters")))
        for one in detail.get("annotators", ())
    )
