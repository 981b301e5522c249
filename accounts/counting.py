"""Numbers with their nouns, dates, percentages and names, as pages and messages have them: one form of each.

Files and interfaces write machine forms (ISO 8601, bare numbers) instead.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

from django.conf import settings
from django.template.defaultfilters import floatformat
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import pgettext

from engines.endpoints.prices import Spending


def counted(count: int, one: str, many: str = "") -> str:
    """ "1 note", "1,204 notes"; `many` where the plural is not `one` with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def numeral(number: int) -> str:
    """ "1,204", as the language in use writes it."""
    return floatformat(number, "0g")


def some(words: Sequence[str], most: int) -> str:
    """ "a, b and 1,204 more"."""
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def day(at: date | None) -> str:
    """ "22 Nov 2026", of a moment in the site's time zone; "" for None, as of all that follow."""
    return _shown(at, pgettext("form of a date, as Django's filter date takes it", "j M Y"))


def moment(at: datetime | None) -> str:
    """ "22 Nov 2026, 01:05" of the site's time zone."""
    return ", ".join(filter(None, (day(at), clock(at))))


def exact_moment(at: datetime | None) -> str:
    """ "22 Nov 2026, 01:05:09", where the order within a minute matters."""
    return ", ".join(filter(None, (day(at), _shown(at, "H:i:s"))))


def moment_with_zone(at: datetime | None) -> str:
    """ "22 Nov 2026, 01:05 (Europe/Berlin)", for mails, whose readers may be elsewhere."""
    return f"{moment(at)} ({settings.TIME_ZONE})" if at else ""


def clock(at: datetime | None) -> str:
    """ "01:05", of today."""
    return _shown(at, "H:i")


def _shown(at: date | None, form: str) -> str:
    if not at:  # "" is what a template passes for what it does not find
        return ""
    return date_format(timezone.localtime(at) if isinstance(at, datetime) else at, form)


def decimal(value: float | Decimal | None, places: int = 1) -> str:
    """ "1,204.5"; a negative number of places leaves out those that are zero."""
    return floatformat(value, f"{places}g")


def spent(spending: Spending, currency: str = "") -> str:
    """ "0.0042 USD", "at least 0.0042" where the cost of some answers is not known, "none" or "not known"."""
    if spending.whole == 0:
        return "none"
    if not spending.known:
        return "not known"
    return f"{'at least ' if spending.unknown else ''}{decimal(spending.known, 4)} {currency}".rstrip()


def significant(value: float | None, digits: int = 3) -> str:
    """ "0.0421", to so many significant digits."""
    return "" if value is None else f"{value:.{digits}g}"


def percent(value: float | None, places: int = 0) -> str:
    """ "67%", of 67."""
    return f"{decimal(value, places)}%" if isinstance(value, int | float | Decimal) else ""


def share_in_percent(value: float | None, places: int = 0) -> str:
    """ "67%", of 0.67."""
    return "" if value is None else percent(100 * value, places)


def named(text: object) -> SafeString:
    """A name or another text of people, which may run from right to left inside a sentence that does not."""
    return format_html("<bdi>{}</bdi>", text)


QUOTED = re.compile("“([^”]*)”")


def quoted_apart(text: object) -> SafeString:
    """A sentence with every name that it has in “quotes” as `named` has it."""
    return mark_safe(QUOTED.sub(r"“<bdi>\1</bdi>”", escape(text)))  # noqa: S308 # escaped as a whole


def by(person: object, before: str = " by ") -> SafeString:
    """ " by Ada", "" for nobody."""
    return format_html("{}{}", before, named(person)) if person else SafeString()
