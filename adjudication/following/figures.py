"""The figures of the quality page for files, programs and releases: the same measures from the same count."""

from collections.abc import Iterator
from typing import Any

from accounts.counting import day, share_in_percent
from accounts.refusals import Refused
from adjudication.following.measures import MEASURES, Shown, figures_of
from annotation.models import Annotator, AnnotatorKind, Campaign, Criterion, WorkSummary

COLUMNS = ("name", "criterion", "measure", "value", "low", "high", "n", "flagged", "note", "reason")
OF_ALL_CRITERIA = ("speed", "gold")
IN_RELEASES = {
    "others": "agreement with the others",
    "repeats": "equal answers to hidden repeats",
    "right": "right answers by Dawid and Skene's model",
}


def is_never_counted(campaign: Campaign) -> bool:
    """Whether a first count may be made; an archived collection stays as it is."""
    counts = WorkSummary.objects.filter(campaign=campaign, counted_at__isnull=False)
    return campaign.collection.archived_at is None and not counts.exists()


def newest_count(campaign: Campaign) -> WorkSummary:
    """Errors: Refused before the first count."""
    found = WorkSummary.objects.filter(campaign=campaign, counted_at__isnull=False).first()
    if found is None:
        raise Refused(
            f"The work in {campaign} has not been counted yet. A count starts within a minute of opening the campaign."
        )
    return found


def every_figure(summary: WorkSummary) -> Iterator[tuple[Annotator, Criterion | None, Shown]]:
    """Of everybody, criterion by criterion; what is measured over all criteria comes once, without one."""
    people = list(summary.campaign.annotators.filter(kind=AnnotatorKind.HUMAN).order_by("name"))
    for place, criterion in enumerate(summary.campaign.criteria.prefetch_related("levels")):
        levels = {level.value: str(level) for level in criterion.levels.all()}
        for one, figures in zip(people, figures_of(people, summary.people, criterion.key, levels), strict=True):
            for each in figures:
                is_of_all = each.measure.name in OF_ALL_CRITERIA
                if not (is_of_all and place):
                    yield one, None if is_of_all else criterion, each


def figure_rows(summary: WorkSummary) -> Iterator[tuple[object, ...]]:
    """Rows of COLUMNS."""
    for one, criterion, each in every_figure(summary):
        figure = each.figure
        where = (one.name, criterion.key if criterion else "", each.measure.name)
        yield *where, figure.value, figure.low, figure.high, figure.n, figure.is_flagged, figure.note, each.reason


def quality_as_json(summary: WorkSummary) -> dict[str, Any]:
    """For programs, with what each measure is."""
    known = ("name", "label", "unit", "words", "source")
    return {
        "counted_at": summary.counted_at.isoformat() if summary.counted_at else None,
        "level": 0.95,
        "measures": [{name: getattr(each, name) for name in known} for each in MEASURES],
        "figures": [dict(zip(COLUMNS, row, strict=True)) for row in figure_rows(summary)],
    }


def quality_sentence(campaign: Campaign) -> str:
    """The shares in the newest count without names, as a release states them; "" where no two people have any."""
    summary = WorkSummary.objects.filter(campaign=campaign, counted_at__isnull=False).first()
    if summary is None:
        return ""
    found: dict[str, list[float]] = {}
    for _, criterion, each in every_figure(summary):
        if each.measure.name in IN_RELEASES and each.figure.value is not None:
            where = f" ({criterion})" if criterion else ""
            found.setdefault(f"{IN_RELEASES[each.measure.name]}{where}", []).append(each.figure.value)
    parts = [
        f"{name} {share_in_percent(min(values))} to {share_in_percent(max(values))} over {len(values):,} people"
        for name, values in found.items()
        if len(values) > 1
    ]
    return f"by person, as counted on {day(summary.counted_at)}: {', '.join(parts)}." if parts else ""
