"""Agreement as a release prints it: that of people, and apart from it that of each machine, by name."""

from collections.abc import Iterator
from itertools import groupby

from adjudication.agreement.method import method_sentence
from adjudication.agreement.results import reason_text
from adjudication.models import AgreementResult, AgreementRun
from engines.stats.statistics import statistic

SHOWN = ("accuracy", "cohen_kappa", "fleiss_kappa", "alpha_nominal", "alpha_ordinal")
PEOPLE = "HH"
MACHINE = {"GH": "with people", "GG": "its runs with each other", "GA": "with the verdict"}
VOTED = {  # with whom a machine that voted on the verdict is compared
    "leave_one_out": "with the vote of the other voters",
    "part_whole": "with the verdict, on which it alone voted,",
}
OF_PAIRS = ("accuracy", "cohen_kappa")
ALONE = "fewer_than_two_annotators"


def agreement_sentences(run: AgreementRun) -> Iterator[str]:
    """For each criterion: people with people, each machine by name, and how the intervals were made.

    Figures over people and machines together are never among them: they would say that people agree as they do not.
    """
    for criterion in sorted(run.detail):
        found = run.results.filter(criterion=criterion, scope="block", statistic__in=SHOWN)
        rows = sorted(found, key=_order)
        if people := [row for row in rows if row.block == PEOPLE]:
            yield f"Among people ({criterion}): {_figures(people)}{_basis(people)}."
        machines = [row for row in rows if row.block in MACHINE and row.reason != ALONE]
        for model, own in groupby(machines, key=lambda row: row.model):
            blocks = "; ".join(_block(list(same)) for _, same in groupby(own, key=lambda row: row.block))
            yield f"The machine {model} ({criterion}): {blocks}."
        yield method_sentence(run, criterion, rows)


def _order(row: AgreementResult) -> tuple[str, int, int]:
    blocks = (PEOPLE, *MACHINE)
    place = blocks.index(row.block) if row.block in blocks else len(blocks)
    return row.model, place, SHOWN.index(row.statistic)


def _block(rows: list[AgreementResult]) -> str:
    flags = rows[0].extra.get("flags", ())
    with_whom = next((words for flag, words in VOTED.items() if flag in flags), MACHINE[rows[0].block])
    return f"{with_whom} {_figures(rows)}{_basis(rows)}"


def _basis(rows: list[AgreementResult]) -> str:
    """Over how many items and pairs the figures are: fewer than the campaign has where some have no second label.
    Figures of pairs are means over these. "" where none is defined."""
    known = [row for row in rows if row.value is not None]
    items = sorted({row.n_items or 0 for row in known})
    if not items:
        return ""
    pairs = max((row.n_pairs or 0 for row in known if row.statistic in OF_PAIRS), default=0)
    means = f"; agreement and Cohen’s κ are means over {pairs:,} pairs" if pairs > 1 else ""
    return f" ({' to '.join(f'{n:,}' for n in (items[0], items[-1])[: len(items)])} items{means})"


def _figures(rows: list[AgreementResult]) -> str:
    """The figures with their intervals; where all are undefined for one reason, the reason once."""
    if len({row.reason for row in rows}) == 1 and rows[0].value is None:
        return f"undefined, {_why(rows[0])}"
    return ", ".join(map(_figure, rows))


def _figure(row: AgreementResult) -> str:
    record, ci = statistic(row.statistic), row.ci or {}
    if row.value is None:
        return f"{record.label} undefined ({_why(row)})"
    low, high = ci.get("low"), ci.get("high")
    interval = f" [{low:.3f}, {high:.3f}]" if low is not None and high is not None else ""
    return f"{record.label} {row.value:.3f}{interval}"


def _why(row: AgreementResult) -> str:
    return reason_text(row.reason, row.n_items)
