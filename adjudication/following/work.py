"""What the page of a campaign's work shows, from the newest count alone."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from django.utils import timezone

from accounts.models import User
from adjudication.following.days import Chart, Timeline, add_up, make_chart, make_timeline, round_above
from adjudication.following.measures import Measure, Shown, figures_of
from adjudication.following.people import Look, Person, TimeLeft, Work, make_people
from adjudication.labels.rules import why_labels_are_hidden
from annotation.models import (
    Annotator,
    AnnotatorKind,
    Assignment,
    Campaign,
    CampaignState,
    Criterion,
    DailyWork,
    Strategy,
    WorkSummary,
)

ROW = 28  # pixels of a row of the plot
MOST_NEWER = 1_000  # counted at most
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class SpeedMark:
    """One person in the plot of speeds; positions in percent of its width."""

    label: str
    text: str
    y: int
    low: float
    at: float
    high: float

    @property
    def span(self) -> float:
        return round(self.high - self.low, 2)


@dataclass(frozen=True, slots=True)
class SpeedPlot:
    """Medians with quartiles, the fastest on top, from 0 seconds. `ticks` are (position in percent, text)."""

    marks: tuple[SpeedMark, ...]
    ticks: tuple[tuple[float, str], ...]

    @property
    def height(self) -> int:
        return ROW * len(self.marks)


@dataclass(frozen=True, slots=True)
class WorkPage:
    """`chosen`: the one person whose days are drawn, None for all. `hidden`: why answers are not looked at, or ""."""

    summary: WorkSummary
    by_person: dict[int, Work]
    people: list[Person]
    chosen: Person | None
    total: Work
    last_week: Work
    timeline: Timeline
    judgments: Chart | None
    hours: Chart | None
    speeds: SpeedPlot | None
    hidden: str
    time_left: TimeLeft | None

    @property
    def annotators(self) -> list[Annotator]:
        return [person.annotator for person in self.people]

    @property
    def measures(self) -> list[Measure]:
        """The columns of the figures."""
        return [each.measure for each in self.people[0].figures] if self.people else []

    @property
    def late(self) -> list[Person]:
        return [person for person in self.people if person.is_late]

    @property
    def lateness(self) -> str:
        """Who is late, in a sentence; where there are some, the names of `late` follow."""
        if self.time_left is None:
            return "Items of the open queue belong to nobody until taken, so no person is late."
        is_over = self.time_left.days < 1
        if not self.late:
            return "Nobody has items left." if is_over else "No person is known to be late."
        are = "is" if len(self.late) == 1 else "are"
        are_late = f"{are} late" if is_over else "would not finish in time at the pace of the last days"
        return f"{len(self.late):,} of {len(self.people):,} people {are_late}:"

    @property
    def flagged(self) -> list[Person]:
        return [person for person in self.people if person.flags]

    @property
    def is_known(self) -> bool:
        """Whether anything can be concluded about anybody."""
        return any(person.is_known for person in self.people)


def fetch_work(
    summary: WorkSummary, user: User, *, criterion: Criterion | None, person: int | None, today: date
) -> WorkPage:
    """From the rows of a finished count: as many as there are people and days, however many judgments."""
    campaign = summary.campaign
    hidden = why_labels_are_hidden(campaign, user)
    annotators = list(campaign.annotators.filter(kind=AnnotatorKind.HUMAN).order_by("name"))
    rows = list(DailyWork.objects.filter(annotator__campaign=campaign).order_by("day"))
    by_person: dict[int, list[DailyWork]] = defaultdict(list)
    for row in rows:
        by_person[row.annotator_id].append(row)
    levels = {level.value: str(level) for level in criterion.levels.all()} if criterion else {}
    key = criterion.key if criterion and not hidden else None
    work = {pk: add_up(days) for pk, days in by_person.items()}
    time_left = fetch_time_left(campaign, rows, today)
    people = make_people(annotators, work, summary.people, key, levels, time_left=time_left)
    people = [
        replace(one, figures=figures, looks=(*looks_of(figures), *one.looks))
        for one, figures in zip(people, figures_of(annotators, summary.people, key, levels), strict=True)
    ]
    chosen = next((one for one in people if one.annotator.pk == person), None)
    drawn = by_person[chosen.annotator.pk] if chosen else rows
    timeline = make_timeline(drawn)
    return WorkPage(
        summary=summary,
        by_person=work,
        people=people,
        chosen=chosen,
        total=add_up(rows),
        last_week=add_up(row for row in rows if row.day > today - WEEK),
        timeline=timeline,
        judgments=make_chart([each.work.judgments for each in timeline.periods], least=2),
        hours=make_chart([each.work.hours or 0.0 for each in timeline.periods]),
        speeds=plot_speeds(people),
        hidden=hidden,
        time_left=time_left,
    )


def looks_of(figures: Sequence[Shown]) -> list[Look]:
    """Those from which something can be concluded, in words."""
    known = [each for each in figures if each.figure.is_flagged is not None]
    return [Look(each.measure.label, each.figure.is_flagged, each.text) for each in known]


def fetch_time_left(campaign: Campaign, rows: Sequence[DailyWork], today: date) -> TimeLeft | None:
    """For open campaigns with a deadline whose items belong to people; None for others."""
    if campaign.deadline is None or campaign.state != CampaignState.OPEN or campaign.strategy == Strategy.QUEUE:
        return None
    opened = timezone.localdate(campaign.opened_at)
    window = min(WEEK.days, (today - opened).days + 1)
    recent: dict[int, int] = defaultdict(int)
    for row in rows:
        if row.day > today - timedelta(days=window):
            recent[row.annotator_id] += row.judgments
    return TimeLeft((campaign.deadline - today).days + 1, window, recent)


def plot_speeds(people: Sequence[Person]) -> SpeedPlot | None:
    """People with timed answers, the fastest on top; None where nobody has any, or none took any time."""
    timed = sorted(
        ((one, one.seconds) for one in people if one.seconds is not None),
        key=lambda pair: (pair[1][1], pair[0].annotator.name),
    )
    slowest = max((seconds[2] for _, seconds in timed), default=0.0)
    if not slowest:
        return None
    step = round_above(slowest / 4, ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8", "10"))
    marks = tuple(
        SpeedMark(
            one.annotator.name,
            f"median {seconds[1]:.1f} s, half of the answers between {seconds[0]:.1f} s and {seconds[2]:.1f} s",
            ROW * at + ROW // 2,
            *(round(25 * each / step, 2) for each in seconds),
        )
        for at, (one, seconds) in enumerate(timed)
    )
    return SpeedPlot(marks, tuple((25.0 * at, f"{step * at:.6g}") for at in range(5)))


def count_newer(summary: WorkSummary) -> int:
    """Items that people finished since the count, up to MOST_NEWER. One look at an index for each person."""
    newer = Assignment.objects.filter(
        annotator__campaign=summary.campaign_id, annotator__kind=AnnotatorKind.HUMAN, finished_at__gt=summary.counted_at
    )
    return newer[:MOST_NEWER].count()
