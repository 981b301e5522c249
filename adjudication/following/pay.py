"""What people have earned in a campaign: their measured time or their items, times the rate. Litmus pays nobody.

The rate counts for all work, also what was done before it was set. Imported judgments are nobody's work here. Answers
whose time was not measured are not in anybody's hours: the sheet says how many there are.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db import transaction

from accounts.audit import record_event
from accounts.counting import counted
from accounts.doors import where
from accounts.models import User
from accounts.refusals import Refused
from adjudication.following.counting import work_days
from adjudication.following.days import add_up
from adjudication.following.people import Work
from adjudication.models import PaidPer, PayRate
from annotation.models import Annotator, AnnotatorKind, Campaign, DailyWork
from corpus.collections.rules import check_manager
from engines.definitions.settings import MOST_PAID

CENT = Decimal("0.01")
HOUR = Decimal(3_600_000)  # milliseconds


@dataclass(frozen=True, slots=True)
class PayLine:
    """One person: `judged` items that count, active `hours` (None where nothing was timed), `untimed` answers and
    skips, the rate that counts for them, and the amount, rounded to hundredths, half up."""

    annotator: Annotator
    judged: int
    hours: float | None
    untimed: int
    rate: float
    is_personal: bool
    amount: Decimal


@dataclass(frozen=True, slots=True)
class PaySheet:
    """The lines of everybody who has worked, by name; `total` is the sum of the rounded amounts."""

    pay: PayRate
    lines: tuple[PayLine, ...]

    @property
    def total(self) -> Decimal:
        return sum((line.amount for line in self.lines), Decimal("0.00"))

    @property
    def hours(self) -> float:
        return sum(line.hours or 0.0 for line in self.lines)

    @property
    def judged(self) -> int:
        return sum(line.judged for line in self.lines)

    @property
    def warning(self) -> str:
        """What the hours do not hold; "" where nothing is missing, or pay is by the item."""
        untimed = sum(line.untimed for line in self.lines)
        if not untimed or self.pay.per != PaidPer.HOUR:
            return ""
        return f"The time of {counted(untimed, 'answer')} was not measured and is not in the hours."

    @property
    def sentence(self) -> str:
        """The total without names, as a release states it."""
        own = sum(line.is_personal for line in self.lines)
        rates = f", {own:,} of them by personal rates" if own else ""
        people = counted(len(self.lines), "person", "people")
        done = f"{self.hours:.2f} hours" if self.pay.per == PaidPer.HOUR else counted(self.judged, "item")
        earned = f"{self.total:,} {self.pay.currency} for {done} of {people}, at {self.pay}{rates}."
        return f"{earned} {self.warning}".rstrip()


def pay_sheet(pay: PayRate, work: Mapping[int, Work]) -> PaySheet:
    """`work` is each annotator's, by id; people without any are left out."""
    people = pay.campaign.annotators.filter(kind=AnnotatorKind.HUMAN).select_related("user").order_by("name")
    return PaySheet(pay, tuple(_line(pay, one, work[one.pk]) for one in people if one.pk in work))


def work_now(campaign: Campaign) -> dict[int, Work]:
    """The work of each person up to now, by annotator. Reads every assignment of people once."""
    people = list(campaign.annotators.filter(kind=AnnotatorKind.HUMAN).values_list("pk", flat=True))
    return work_by_person(work_days(people))


def work_by_person(days: Iterable[DailyWork]) -> dict[int, Work]:
    """The rows of each annotator together."""
    found: dict[int, list[DailyWork]] = {}
    for row in days:
        found.setdefault(row.annotator_id, []).append(row)
    return {pk: add_up(rows) for pk, rows in found.items()}


def current_sheet(campaign: Campaign) -> PaySheet:
    """The sheet up to now. Errors: Refused before a rate is set."""
    pay = PayRate.objects.filter(campaign=campaign).first()
    if pay is None:
        slugs = (campaign.collection.slug, campaign.slug)
        advice = where(
            "Set it first",
            page="page “Quality and hours” of the campaign",
            rest="PUT /api/collections/{}/campaigns/{}/pay/".format(*slugs),
            command="set_pay_rate {} {} RATE CURRENCY".format(*slugs),
        )
        raise Refused(f"{campaign} has no rate of pay. {advice}.")
    pay.campaign = campaign
    return pay_sheet(pay, work_now(campaign))


def paid(campaign: Campaign) -> str:
    """The total up to now without names, as a release states it; "" where no rate is set or nobody has worked."""
    if not PayRate.objects.filter(campaign=campaign).exists():
        return ""
    sheet = current_sheet(campaign)
    return sheet.sentence if sheet.lines else ""


COLUMNS = ("name", "email", "items", "hours", "untimed", "rate", "per", "amount", "currency")


def csv_rows(sheet: PaySheet) -> Iterator[tuple[object, ...]]:
    """The lines of a file, in the order of COLUMNS; hours with four decimals."""
    for line in sheet.lines:
        who = line.annotator
        hours = "" if line.hours is None else f"{line.hours:.4f}"
        worked = (line.judged, hours, line.untimed)
        email = who.user.email if who.user else ""
        yield who.name, email, *worked, f"{line.rate:.10g}", sheet.pay.per, line.amount, sheet.pay.currency


def sheet_as_json(sheet: PaySheet) -> dict[str, Any]:
    """The lines for programs, with the total."""
    lines = [dict(zip(COLUMNS, row, strict=True)) for row in csv_rows(sheet)]
    for shown, line in zip(lines, sheet.lines, strict=True):
        shown |= {"hours": line.hours, "rate": line.rate, "amount": float(line.amount)}
    return {"lines": lines, "total": float(sheet.total), "currency": sheet.pay.currency, "warning": sheet.warning}


def _line(pay: PayRate, annotator: Annotator, work: Work) -> PayLine:
    rate = pay.rate if annotator.pay_rate is None else annotator.pay_rate
    done = Decimal(work.active_ms) / HOUR if pay.per == PaidPer.HOUR else Decimal(work.judgments)
    return PayLine(
        annotator,
        judged=work.judgments,
        hours=work.hours,
        untimed=work.sent - work.timed,
        rate=rate,
        is_personal=annotator.pay_rate is not None,
        amount=(done * Decimal(repr(rate))).quantize(CENT, ROUND_HALF_UP),
    )


@transaction.atomic
def set_pay_rate(*, campaign: Campaign, per: str, rate: float, currency: str, by: User | None, at: datetime) -> PayRate:
    """Set what everybody without a personal rate is paid, per hour of active judging or per item.

    Errors: NotAllowed for others than managers, Refused for a rate or a currency that is none.
    """
    check_manager(campaign.collection, by)
    if not 0 <= rate <= MOST_PAID:
        raise Refused(f"A rate of pay is a number from 0 to {MOST_PAID:,}.")
    if not (len(currency) == 3 and currency.isascii() and currency.isalpha()):
        raise Refused("A currency is a code of three letters, such as EUR, USD or JPY.")
    values = {"per": str(PaidPer(per)), "rate": rate, "currency": currency.upper()}
    pay, _ = PayRate.objects.update_or_create(campaign=campaign, defaults={**values, "set_by": by, "set_at": at})
    record_event(by=by, verb="set_pay_rate", target=campaign, scope=campaign.collection, at=at, **values)
    return pay
