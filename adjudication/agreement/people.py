"""Each annotator's agreement with the others, the verdict and themselves, and each machine's, from a finished run."""

from dataclasses import dataclass
from typing import Any

from accounts.counting import share_in_percent
from adjudication.agreement.results import Difference, FigureText, comparisons, show
from adjudication.models import AgreementRun, VoteRun
from annotation.campaigns.progress import AnnotatorRow
from annotation.campaigns.progress_bars import Bar, with_bars
from annotation.models import Annotator, AnnotatorKind, Criterion
from engines.stats.blocks import ADJUDICATED
from engines.stats.reasons import words_of
from engines.stats.statistics import statistic


@dataclass(frozen=True)
class Consistency:
    """Answers to hidden repeats: how many were the same, of how many; agreement and kappa, or why there is none."""

    n_equal: int
    n_items: int
    share: str
    kappa: str
    why: str


@dataclass(frozen=True)
class AnnotatorFigures:
    """One annotator: labels given, mean agreement with the others, agreement with the verdict, answers to repeats.

    The others are the other people; everybody else where there is no other person.
    """

    id: int
    name: str
    kind: str
    model: str
    run: int
    n_items: int
    agreement: str
    with_verdict: FigureText | None
    repeats: Consistency | None


def annotator_figures(run: AgreementRun, criterion: str) -> list[AnnotatorFigures]:
    """In the order of the run's columns. One query."""
    detail = run.detail[criterion]
    people = {one["name"] for one in detail["annotators"] if one["kind"] == AnnotatorKind.HUMAN}
    rows = list(run.results.filter(criterion=criterion, statistic="accuracy", scope="pair", value__isnull=False))
    repeats = {one["id"]: _consistency(one) for one in detail["repeats"]}
    found = []
    for one in detail["annotators"]:
        mine = [row for row in rows if one["name"] in row.annotators]
        pairs = [row for row in mine if ADJUDICATED not in row.annotators]
        with_people = [row for row in pairs if people - {one["name"]} & set(row.annotators)]
        others = [row.value or 0.0 for row in with_people or pairs]
        verdict = next((row for row in mine if ADJUDICATED in row.annotators), None)
        found.append(
            AnnotatorFigures(
                **{name: one[name] for name in ("id", "name", "kind", "model", "run", "n_items")},
                agreement=statistic("accuracy").text(sum(others) / len(others)) if others else "",
                with_verdict=show(verdict) if verdict else None,
                repeats=repeats.get(one["id"]),
            )
        )
    return found


def _consistency(repeats: dict[str, Any]) -> Consistency:
    reason = repeats["reasons"].get("cohen_kappa", "")
    return Consistency(
        n_equal=repeats["n_equal"],
        n_items=repeats["n_items"],
        share=statistic("accuracy").text(repeats["accuracy"]),
        kappa=statistic("cohen_kappa").text(repeats["cohen_kappa"]),
        why=words_of(reason),
    )


@dataclass(frozen=True)
class PersonRow:
    """One annotator on the dashboard: the work, and the figures of a finished run where there are any."""

    work: AnnotatorRow
    figures: AnnotatorFigures | None
    bar: Bar | None

    @property
    def skip_rate(self) -> str:
        """Skipped of all that was answered or skipped; "" before the first."""
        seen = self.work.done + self.work.skipped
        return share_in_percent(self.work.skipped / seen, 1) if seen else ""

    @property
    def is_machine(self) -> bool:
        return self.work.annotator.kind == "machine"


def person_rows(work: list[AnnotatorRow], run: AgreementRun | None, criterion: str) -> list[PersonRow]:
    """Everybody of the campaign, in the order of `work`."""
    has_figures = run is not None and criterion in run.detail
    found = {one.id: one for one in annotator_figures(run, criterion)} if run and has_figures else {}
    return [PersonRow(row, found.get(row.annotator.pk), bar) for row, bar in with_bars(work)]


CELLS = {"GH": "With people", "GG": "Its runs with each other", "GA": "With the verdict"}


@dataclass(frozen=True)
class MachineRow:
    """One machine model: its runs, its blocks (GH, GG, GA) on one statistic, and the tests against the people."""

    model: str
    runs: list[AnnotatorFigures]
    blocks: dict[str, FigureText]
    tests: list[Difference]

    @property
    def cells(self) -> list[tuple[str, FigureText | None]]:
        """(label, figure) in the order of the table."""
        return [(label, self.blocks.get(block)) for block, label in CELLS.items()]


def machine_rows(run: AgreementRun, criterion: str, statistic: str) -> tuple[FigureText | None, list[MachineRow]]:
    """(people with people, each model) on a statistic, the models in the order of the run's columns. Two queries."""
    people = annotator_figures(run, criterion)
    models: dict[str, list[AnnotatorFigures]] = {}
    for one in people:
        if one.kind == "machine":
            models.setdefault(one.model or one.name, []).append(one)
    if not models:
        return None, []
    rows = list(run.results.filter(criterion=criterion, statistic=statistic, scope="block"))
    tests = comparisons(run, criterion)
    humans = next((show(row) for row in rows if row.block == "HH"), None)
    return humans, [
        MachineRow(
            model,
            runs,
            blocks={row.block: show(row) for row in rows if row.model == model},
            tests=[one for one in tests if one.model == model and one.is_planned],
        )
        for model, runs in models.items()
    ]


@dataclass(frozen=True)
class MachineConfusion:
    """What a machine says of items, by what the model of the people takes to be true.

    rows: (level, its shares in percent by level said, None where it is never true of these items).
    """

    name: str
    n_items: int
    rows: list[tuple[int, list[str] | None]]


def machines_confused(run: VoteRun, criterion: Criterion, scale: list[int]) -> list[MachineConfusion]:
    """The machines of a count of votes, by name; none where its model of the people can say nothing."""
    found = [each for each in run.detail.get(criterion.key, {}).get("confusion", []) if each["machine"]]
    names = dict(Annotator.objects.filter(pk__in=[each["annotator"] for each in found]).values_list("pk", "name"))
    shown = []
    for each in found:
        if each["annotator"] in names and each["n_items"]:
            rows = list(zip(scale, map(_in_percent, each["rates"]), strict=False))  # levels may have come since
            shown.append(MachineConfusion(names[each["annotator"]], each["n_items"], rows))
    return sorted(shown, key=lambda each: each.name)


def _in_percent(shares: list[float] | None) -> list[str] | None:
    return None if shares is None else [share_in_percent(share) for share in shares]
