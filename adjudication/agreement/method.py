"""How figures were made, in the sentences that must stand with them in a paper."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Exists

from accounts.counting import counted, share_in_percent
from accounts.models import JobState
from adjudication.agreement.results import Difference, comparisons
from adjudication.labels.inputs import given_in_sight
from adjudication.models import AgreementResult, AgreementRun, Method, Verdict, Voters, VoteRun
from annotation.models import AnnotatorKind

METHODS = {
    "percentile": "percentile bootstrap",
    "bca": "BCa bootstrap",
    "jackknife_t": "delete-one jackknife with Student’s t",
}
KINDS = {AnnotatorKind.HUMAN: "labels of people", AnnotatorKind.MACHINE: "of machines"}


def method_sentence(run: AgreementRun, criterion: str, rows: Iterable[AgreementResult] | None = None) -> str:
    """n, method, unit, resamples, seed, of what the intervals speak, and whether the items are a sample of the
    campaign, for the figures in `rows` (None: all)."""
    detail = run.detail[criterion]
    if "unit" not in detail:
        return ""
    found = run.results.filter(criterion=criterion, ci__isnull=False) if rows is None else rows
    used = {row.ci["method"] for row in found if row.ci}
    methods = " or ".join(METHODS[name] for name in METHODS if name in used)
    items = f"{detail['n_items']:,} items, {_labels_text(detail)}"
    if not methods:
        return f"{items}; too few for intervals."
    versions = f"NumPy {run.library_versions.get('numpy', '?')}, Litmus {run.code_version or '?'}"
    intervals = f"{share_in_percent(detail['level'])} intervals by {methods} over {_unit(run, detail)}"
    facts = "; ".join(filter(None, (items, intervals, _resamples(run, used, detail), versions)))
    fixed = "Annotators are fixed: the intervals speak of other items judged by the same annotators."
    return " ".join(filter(None, (f"{facts}.", fixed, detail.get("sample"))))


def _labels_text(detail: dict[str, Any]) -> str:
    """How many labels; of people and of machines apart, where there are both."""
    given = {kind: sum(one["n_items"] for one in detail["annotators"] if one["kind"] == kind) for kind in KINDS}
    labels = " and ".join(f"{n:,} {name}" for kind, name in KINDS.items() if (n := given[kind]))
    return labels if all(given.values()) else f"{sum(given.values()):,} labels"


def resampled(run: AgreementRun, result: AgreementResult) -> str:
    """What an interval is over: "8 topics"; "at most 8 topics" of a figure that may not stand on all; "items"."""
    detail = run.detail[result.criterion]
    if not result.ci or result.ci.get("unit") != "topic":
        return "items"
    is_whole = result.n_items == detail["n_items"]
    return f"{'' if is_whole else 'at most '}{detail['n_topics']:,} topics"


def _unit(run: AgreementRun, detail: dict[str, Any]) -> str:
    if detail["unit"] == "topic":
        return f"{detail['n_topics']:,} topics, each with all its items"
    return "items, conditional on independent items" if run.parameters.get("cluster") == "item" else "items"


def _resamples(run: AgreementRun, used: set[str], detail: dict[str, Any]) -> str:
    """The resamples with their seed; "" for the jackknife alone, which draws none."""
    if used == {"jackknife_t"}:
        return ""
    without = " (none for the jackknife)" if "jackknife_t" in used else ""
    return f"{detail['resamples']:,} resamples{without}, seed {run.seed}"


def verdict_sentence(run: AgreementRun, criterion: str) -> str:
    """What verdict the criterion's figures are compared with: the vote counted last before the run, "" for none."""
    votes = VoteRun.objects.filter(campaign=run.campaign_id, state=JobState.DONE, finished_at__lte=run.finished_at)
    vote = votes.order_by("-pk").first()
    if vote is None:
        return ""
    outcomes = vote.outcomes_of(criterion) or "no item had a vote"
    since = _decided_since(vote, run, criterion)
    seen = Verdict.objects.filter(
        Exists(given_in_sight()), criterion__campaign=run.campaign_id, criterion__key=criterion
    ).count()
    are = "is" if seen == 1 else "are"
    left_out = f" {counted(seen, 'value')} given in sight of a machine’s label {are} left out of these figures."
    return (
        f"Verdict: {rules_text(vote)}; when counted {outcomes}{since}. Who voted is compared with the vote of the other"
        f" voters, as their own label is part of the verdict.{left_out if seen else ''}"
    )


def _decided_since(vote: VoteRun, run: AgreementRun, criterion: str) -> str:
    """How many values an adjudicator gave after the count and before the run read the verdicts; "" for none."""
    of_criterion = Verdict.objects.filter(criterion__campaign=run.campaign_id, criterion__key=criterion)
    until = run.verdicts_at or run.finished_at
    given = of_criterion.filter(method=Method.BY_HAND, changed_at__gt=vote.finished_at, changed_at__lte=until)
    count = given.count()
    return f"; since then {count:,} decided {Method.BY_HAND.label}" if count else ""


def rules_text(vote: VoteRun) -> str:
    """The rules of a count: who votes with what weight, how many votes a verdict needs, what settles ties."""
    return f"majority of {Voters(vote.voters).label}{weights_text(vote)}, {vote.least}, ties: {vote.ties_label}"


def weights_text(vote: VoteRun) -> str:
    """The weights that the count was made with, to be put behind “majority of …”; "" where each vote counted once."""
    if not vote.parameters.get("weighted"):
        return ""
    noted = vote.parameters.get("weights", {})
    names = vote.campaign.annotators.filter(pk__in=noted).order_by("kind", "name").values_list("pk", "name")
    apart = [f"{name} {noted[str(pk)]:g}" for pk, name in names if noted[str(pk)] != 1]
    weights = f" ({', '.join(apart)}; the others 1)" if apart else " (each 1)" if noted else ""
    return f", weighted by annotator{weights}"


def test_sentence(run: AgreementRun, criterion: str) -> str:
    """What the p of the table test, with each difference, its interval and corrected p; "" without machines."""
    planned = [one for one in comparisons(run, criterion) if one.is_planned]
    if not planned:
        return ""
    tested = sum(1 for one in planned if one.p)
    return (
        "p tests that people agree with each other as they do with the machine, by the paired difference on the"
        f" items that at least two people and every run have judged: {'; '.join(map(_in_words, planned))}."
        f" Holm’s correction is over the {tested} test{'' if tested == 1 else 's'} of this criterion named here;"
        " the p in the table are uncorrected, and tests of other figures are exploratory. A large p is no evidence"
        " that there is no difference."
    )


test_sentence.__test__ = False  # type: ignore[attr-defined]  # pytest: this is no test


def _in_words(one: Difference) -> str:
    name = f"{one.label} ({one.model})"
    if not one.value:
        return f"{name} undefined, {one.why}"
    out = f", {one.n_excluded:,} unfit" if one.n_excluded else ""
    interval = f" ({one.low} to {one.high})" if one.low else f" (no interval: {one.why})"
    p = f", Holm-adjusted {equals('p', one.p_holm)}" if one.p_holm else ""
    notes = "".join(f", {note}" for note in one.notes)
    return f"{name} {one.value}{interval}, n {one.n_items:,}{out}{p}{notes}, {one.verdict}"


def equals(name: str, value: str) -> str:
    """ "p = 0.012", or "p < 0.001" where the value says so itself."""
    return f"{name} {value}" if value.startswith("<") else f"{name} = {value}"
