"""What an answer costs, of people and of machines (DORIS-MAE, 4.4), and why where it is not known.

An answer is what one person, or one run of a machine, said of one item. People's time is active time in Litmus; that of
a machine is the time of its calls, one after the other. What was imported is nobody's work here and has no cost.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import floor, log10

from django.db.models import Avg, Count

from accounts.counting import counted
from adjudication.following.pay import pay_sheet, work_now
from adjudication.models import PaidPer, PayRate
from annotation.machines.machines import RunCounts, count_replies
from annotation.models import (
    AnnotatorKind,
    Assignment,
    AssignmentState,
    Campaign,
    MachineKind,
    MachineReply,
    MachineRun,
)
from engines.endpoints.prices import Prices
from engines.formats.csv_text import write_csv
from engines.text.latex_escape import escape

PEOPLE = "People"
HEADINGS = (
    *("Who", "Answers", "Items", "Minutes per answer", "Minutes per item", "Cost per answer", "Cost per item"),
    *("Tokens", "Not known"),
)


@dataclass(frozen=True)
class Cost:
    """People together, or one run of a machine. `seconds` are the mean of the `timed` answers, None where none was.

    `money` is what all answers cost, None where it is not known, in `currency` ("": that of the price, which has none).
    """

    name: str
    answers: int
    items: int
    seconds: float | None
    timed: int
    money: float | None
    currency: str
    tokens: int | None
    notes: tuple[str, ...]

    @property
    def minutes(self) -> float | None:
        return None if self.seconds is None else self.seconds / 60

    @property
    def minutes_per_item(self) -> float | None:
        """Of all its answers, at their mean."""
        return None if self.minutes is None or not self.items else self.minutes * self.answers / self.items

    @property
    def per_answer(self) -> float | None:
        return None if self.money is None or not self.answers else self.money / self.answers

    @property
    def per_item(self) -> float | None:
        return None if self.money is None or not self.items else self.money / self.items

    @property
    def cells(self) -> tuple[str, ...]:
        """As HEADINGS name them."""
        money = (f"{price(each)} {self.currency}".rstrip() for each in (self.per_answer, self.per_item))
        tokens = "–" if self.tokens is None else f"{self.tokens:,}"
        shown = (price(self.minutes), price(self.minutes_per_item), *money, tokens)
        return self.name, f"{self.answers:,}", f"{self.items:,}", *shown, "; ".join(self.notes)


def price(value: float | None) -> str:
    """Two decimals, or two digits that are not 0 where it is smaller; "–" for what is not known."""
    if value is None:
        return "–"
    return f"{value:,.{2 if value == 0 or value >= 0.1 else 1 - floor(log10(value))}f}"


def costs_of(campaign: Campaign) -> list[Cost]:
    """People first, then the runs of machines; none without answers."""
    found = [_of_people(campaign), *map(_of_run, campaign.machine_runs.select_related("annotator").order_by("pk"))]
    return [one for one in found if one.answers]


def _of_people(campaign: Campaign) -> Cost:
    by_person = work_now(campaign)
    work = by_person.values()
    judged, sent, timed = (sum(getattr(one, name) for one in work) for name in ("judgments", "sent", "timed"))
    pay = PayRate.objects.filter(campaign=campaign).first()
    untimed = sent - timed
    money, notes = None, []
    if pay is None:
        notes.append("no rate of pay is set")
    elif pay.per == PaidPer.HOUR and untimed:
        notes.append(f"pay is by the hour, and the time of {counted(untimed, 'answer')} was not measured")
    else:
        pay.campaign = campaign
        money = float(pay_sheet(pay, by_person).total)
    if not timed:
        notes.append("no time was measured")
    done = Assignment.objects.filter(
        annotator__campaign=campaign, annotator__kind=AnnotatorKind.HUMAN, state=AssignmentState.DONE, imported_in=None
    )
    items = done.values("item").distinct().count()
    seconds = sum(one.active_ms for one in work) / 1000 / timed if timed else None
    return Cost(PEOPLE, judged, items, seconds, timed, money, pay.currency if pay else "", None, tuple(notes))


def _of_run(run: MachineRun) -> Cost:
    timed = MachineReply.objects.filter(run=run).aggregate(mean=Avg("seconds"), n=Count("seconds"))
    counts = count_replies([run], 0)[run.pk]
    notes = [*_unpriced(run, counts), *([] if timed["n"] else ["no time was measured"])]
    whole, tokens = counts.spending.whole, None if counts.uncounted else counts.tokens or None
    if run.kind == MachineKind.COMMITTEE:
        whole, notes = None, ["a committee has the cost of its members"]
    money = None if whole is None else float(whole)
    answers = run.annotator.assignments.filter(state=AssignmentState.DONE, repeat=0).count()
    return Cost(run.annotator.name, answers, answers, timed["mean"], timed["n"], money, "", tokens, tuple(notes))


def _unpriced(run: MachineRun, counts: RunCounts) -> Iterator[str]:
    """Why the cost of a run is not known, and what it is at least."""
    if counts.uncounted:
        yield f"the endpoint did not count the tokens of {counted(counts.uncounted, 'reply', 'replies')}"
    spending = counts.spending
    if spending.unknown and not Prices.of(run.parameters).are_known:
        yield "no price is set"
    if spending.unknown and spending.known:
        yield f"all replies together cost at least {price(float(spending.known))} in the currency of the price"


def cost_sentence(campaign: Campaign, costs: Sequence[Cost]) -> str:
    """People against machines as a paper says it, with what is not known; "" where nobody answered here."""
    people = next((one for one in costs if one.name == PEOPLE), None)
    found = [_people_in_words(people, campaign.items.count())] if people else []
    found += [_machine_in_words(one, people) for one in costs if one is not people]
    return " ".join(found)


def _people_in_words(one: Cost, items: int) -> str:
    time = f"took {price(one.minutes)} minutes of active time (mean of {counted(one.timed, 'timed answer')})"
    cost = f"earned {price(one.per_answer)} {one.currency}"
    parts = [time if one.minutes is not None else "", cost if one.per_answer is not None else ""]
    first = f"For one answer, people {' and '.join(filter(None, parts))}." if any(parts) else ""
    hours = (one.minutes or 0) * items / 60
    whole = f"One answer on each of the {items:,} items takes {hours:,.1f} hours at that pace."
    return " ".join(filter(None, (first, whole if one.minutes else "", _not_known(one, "people"))))


def _machine_in_words(one: Cost, people: Cost | None) -> str:
    parts = [f"took {price(one.seconds)} seconds" if one.seconds is not None else ""]
    cost = f"cost {price(one.per_answer)} in the currency of its price" if one.per_answer else "cost nothing"
    parts += [cost if one.per_answer is not None else ""]
    first = f"For one answer, {one.name} {' and '.join(filter(None, parts))}." if any(parts) else ""
    factor = ""
    if people and people.seconds and one.seconds:
        factor = f"People took {price(people.seconds / one.seconds)} times as long."
    if people and people.per_answer and one.per_answer:
        factor += f" They cost {price(people.per_answer / one.per_answer)} times as much if its price is in"
        factor += f" {people.currency}."
    return " ".join(filter(None, (first, factor.strip(), _not_known(one, one.name))))


def _not_known(one: Cost, who: str) -> str:
    return f"Not known of {who}: {'; '.join(one.notes)}." if one.notes else ""


def as_text(costs: Sequence[Cost]) -> str:
    return "\n".join("; ".join(f"{head}: {cell}" for head, cell in _named(one) if cell) for one in costs)


def as_csv(costs: Sequence[Cost]) -> str:
    """Every figure in full."""
    header = (
        "who",
        "answers",
        "items",
        "seconds",
        "timed",
        "minutes_per_item",
        "per_answer",
        "per_item",
        "currency",
        "tokens",
        "not_known",
    )
    rows = [(*(getattr(one, name) for name in ("name", *header[1:-1])), "; ".join(one.notes)) for one in costs]
    return "".join(write_csv(header, rows))


def as_markdown(costs: Sequence[Cost]) -> str:
    rows = [HEADINGS, ["---", *["---:"] * (len(HEADINGS) - 2), "---"], *(one.cells for one in costs)]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows) + "\n"


def as_latex(costs: Sequence[Cost]) -> str:
    """A table environment to be put into a paper as it is."""
    lines = [" & ".join(map(escape, row)) + r" \\" for row in (HEADINGS, *(one.cells for one in costs))]
    head = [r"\begin{table}", r"\begin{tabular}{lrrrrrrrl}", r"\hline", lines[0], r"\hline"]
    foot = [r"\hline", r"\end{tabular}", r"\caption{Cost of people and machines.}", r"\end{table}", ""]
    return "\n".join([*head, *lines[1:], *foot])


def _named(one: Cost) -> list[tuple[str, str]]:
    return list(zip(HEADINGS, one.cells, strict=True))


WRITERS: dict[str, Callable[[Sequence[Cost]], str]] = {
    "text": as_text,
    "csv": as_csv,
    "markdown": as_markdown,
    "latex": as_latex,
}
