"""Numbers with their nouns, times and names, as the sentences of pages have them."""

from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString


def counted(count: int, one: str, many: str = "") -> str:
    """ "1 note", "1,204 notes"; `many` where the plural is not `one` with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def moment(at: datetime) -> str:
    """ "22 Nov 2026, 01:05" of the site's time zone."""
    return date_format(timezone.localtime(at), "j M Y, H:i")


def named(text: object) -> SafeString:
    """A name or another text of people, which may run from right to left inside a sentence that does not."""
    return format_html("<bdi>{}</bdi>", text)


def by(person: object, before: str = " by ") -> SafeString:
    """ " by Ada", "" for nobody."""
    return format_html("{}{}", before, named(person)) if person else SafeString()
