"""A finished agreement run in lines, as the command prints it."""

from collections import Counter
from collections.abc import Iterator

from accounts.counting import counted
from adjudication.agreement.method import resampled
from adjudication.agreement.results import BLOCKS, FigureText, block_name, show, why_nothing
from adjudication.models import AgreementResult, AgreementRun
from annotation.campaigns.overrides import overrides_in
from annotation.models import AnnotatorKind

EVERYBODY = {"mean": "All annotators, mean over pairs", "all": "All annotators together"}
Printed = tuple[AgreementResult, FigureText]


def printed(run: AgreementRun) -> str:
    """Who is compared, with a line per figure; figures of single pairs are in the JSON.

    What the figures of a group share is said once, as are figures that are undefined for one reason. Where no machine
    judged, the figures of all annotators are those of people, and printed once.
    """
    lines = [f"{counted(run.n_judgments, 'label')}, {run.seconds:.1f} s, seed {run.seed}"]
    figures = [(one, show(one)) for one in run.results.exclude(scope="pair").order_by("pk")]
    if nothing := why_nothing(figure for _, figure in figures):
        lines.append(nothing)
    else:
        lines += [line for name, group in _groups(run, figures).items() for line in _lines(name, group)]
    lines += [f"Note: {each.text}" for each in overrides_in(run.campaign)]
    return "\n".join(lines)


def _groups(run: AgreementRun, figures: list[Printed]) -> dict[str, list[Printed]]:
    of_people = {(one.criterion, one.statistic) for one, _ in figures if one.block == "HH"}
    criteria = list(dict.fromkeys(one.criterion for one, _ in figures))
    found: dict[str, list[Printed]] = {}
    order = [*BLOCKS, ""]  # all annotators last
    for one, figure in sorted(
        figures, key=lambda each: (criteria.index(each[0].criterion), order.index(each[0].block))
    ):
        if one.block:
            name = f"{one.criterion}: {block_name(one)} ({one.block})"
        elif not _has_machines(run, one.criterion) and (one.criterion, one.statistic) in of_people:
            continue
        else:
            name = f"{one.criterion}: {EVERYBODY[one.scope]}"
        found.setdefault(name, []).append((one, figure))
    return found


def _has_machines(run: AgreementRun, criterion: str) -> bool:
    return any(each["kind"] == AnnotatorKind.MACHINE for each in run.detail[criterion]["annotators"])


def _lines(name: str, group: list[Printed]) -> Iterator[str]:
    """A heading with what most figures share, the defined ones, and the undefined ones by reason."""
    defined = [(one, figure, _about(one, figure)) for one, figure in group if not figure.why]
    shared = Counter(about for _, _, about in defined).most_common(1)
    usual = shared[0][0] if shared else ""
    yield f"{name}, {usual}" if usual else name
    for one, figure, about in defined:
        interval = f" ({figure.low}, {figure.high})" if figure.low else ""
        own = f", {about}" if about != usual else ""
        yield f"  {one.statistic:<24} {figure.value}{interval}{own}"
    undefined: dict[str, list[str]] = {}
    for one, figure in group:
        if figure.why:
            undefined.setdefault(figure.why, []).append(one.statistic)
    for why, names in undefined.items():
        yield f"  undefined, {why}: {', '.join(names)}"


def _about(one: AgreementResult, figure: FigureText) -> str:
    """How many items, and what the interval is over."""
    items = f"n = {counted(figure.n_items, 'item')}"
    if not figure.low:
        return f"{items}, no interval: {figure.why_no_interval}"
    return f"{items}, interval over {resampled(one.run, one)} by {figure.method}"
