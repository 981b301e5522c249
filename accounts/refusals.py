"""The base of every expected "no": an action or a permission refuses with a reason that a person reads."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils.functional import Promise

from engines.extras import Lacking

E = TypeVar("E", bound=BaseException | None)
TRIGGER_REFUSAL = "stated_refusal"  # what triggers name as the constraint of an error whose message is for people


@dataclass(frozen=True)
class Remedy:
    """Where what a refusal asks for is done: the words of a link, and the page by the name of its URL."""

    label: str
    view: str = ""
    args: tuple[object, ...] = ()
    after: str = ""  # of the address: a query, an anchor
    address: str = ""  # where it is no page of its own name

    @property
    def href(self) -> str:
        """The address of the page."""
        return self.address or reverse(self.view, args=self.args) + self.after


class Reason(str):
    """Why something is refused, as a text, with the page that mends it where there is one."""

    remedy: Remedy | None

    def __new__(cls, text: str, label: str = "", view: str = "", *args: object, **more: str) -> "Reason":
        """As `Remedy` has them: the words of the link, its page, `after` and `address`."""
        made = super().__new__(cls, text)
        made.remedy = Remedy(label, view, args, **more) if label else None
        return made

    @classmethod
    def of(cls, text: str, remedy: Remedy) -> "Reason":
        """With a remedy that is there already."""
        made = cls(text)
        made.remedy = remedy
        return made


class Refused(Exception):
    """Something a person asked for cannot be done now; `reason` says what, why, and what to do about it.

    A `Reason` also names the page where that is done, which a button that is refused links to.
    """

    heading: str | Promise = ""  # of the page that shows it, where that of its status does not fit

    def __init__(self, reason: str | Promise) -> None:
        self.reason = reason if isinstance(reason, str) else str(reason)
        super().__init__(self.reason)


class NotAllowed(Refused):
    """The person lacks the role: shown as 403, where other refusals go into the form (or 409 / 422 in the API)."""


class NotHere(Refused):
    """The thing exists, but it has no such page or part: shown as 404, with the reason."""


class Conflict(Refused):
    """Somebody else was faster or the thing has changed meanwhile: 409 in the API.

    `retry_after` are seconds after which the same may be asked again, where waiting helps.
    """

    def __init__(self, reason: str | Promise, *, retry_after: int | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class Busy(Conflict):
    """More of this at a time would hold up other requests: shown as 503."""

    heading = "Busy at the moment"


def refusal_reason(check: Callable[..., object], *facts: object) -> str:
    """Why `check` refuses these facts, as it stands next to a button that is refused; "" where it does not."""
    try:
        check(*facts)
    except Refused as refusal:
        return refusal.reason
    return ""


@contextmanager
def taken_is_conflict(reason: str, constraint: str = "") -> Iterator[None]:
    """A savepoint: if what it writes breaks a constraint (of this name), that is a Conflict with this reason."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if constraint in str(error):
            raise Conflict(reason) from error
        raise


def as_refusal(error: E) -> E | Refused:
    """The refusal that a trigger of the database stated, or that names a missing library; else the error itself."""
    if isinstance(error, Lacking):
        return Refused(str(error))
    diagnosis = getattr(getattr(error, "__cause__", None), "diag", None)
    return Refused(diagnosis.message_primary) if diagnosis and diagnosis.constraint_name == TRIGGER_REFUSAL else error
