"""What was made of submissions, as programs and the screen's script are answered: one representation for both."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy

from accounts.refusals import Conflict, NotAllowed, NotHere, Refused
from annotation.assignment.rules import NotNow
from annotation.labelling.answers import Answer, AnswerInput, ChangedElsewhere, Invalid, Receipt
from annotation.labelling.feedback import fetch_feedback, in_words
from annotation.labelling.forms import MalformedSubmission
from annotation.labelling.units import fetch_units
from annotation.models import SubmissionOutcome

TOO_LATE = gettext_lazy(
    "This answer arrived after your time for the item had ended, and someone else has taken the item "
    "since. It is kept on record but does not count."
)
STATUSES: dict[type[Refused], tuple[int, str]] = {
    MalformedSubmission: (400, "malformed"),
    NotAllowed: (403, "not-allowed"),
    NotHere: (404, "not-here"),
    ChangedElsewhere: (409, "changed-elsewhere"),
    Conflict: (409, "conflict"),
}


def status_and_code(refusal: Refused) -> tuple[int, str]:
    """HTTP status and code of a refusal."""
    for kind, answer in STATUSES.items():
        if isinstance(refusal, kind):
            return answer
    if isinstance(refusal, NotNow):
        return 422, refusal.code
    return 422, "invalid" if isinstance(refusal, Invalid) else "refused"


def submitted(sent: Sequence[AnswerInput], answer: Answer) -> tuple[int, dict[str, Any]]:
    """The highest status, one result for each submission, the units that come next, the guideline's newest version."""
    statuses, results = zip(*map(_result, answer.results), strict=True)
    learned = feedback_of(answer)
    return max(statuses), {
        "results": [
            {"uuid": one.uuid, **result, **({"feedback": learned[one.uuid]} if one.uuid in learned else {})}
            for one, result in zip(sent, results, strict=True)
        ],
        "units": fetch_units(answer.participation, answer.units),
        "guideline": answer.participation.guideline,
    }


def feedback_of(answer: Answer) -> dict[UUID, str]:
    """In training: what is right about each answer that was stored, in words, by the submission's uuid."""
    stored = {each.assignment: each.uuid for each in answer.results if isinstance(each, Receipt)}
    done = [each.assignment for each in answer.results if isinstance(each, Receipt) and each.state == "done"]
    many = len(answer.participation.scales) > 1
    found = fetch_feedback(answer.participation, done)
    return {stored[assignment]: in_words(facts, many=many) for assignment, facts in found.items()}


def _result(result: Receipt | Refused) -> tuple[int, dict[str, Any]]:
    if isinstance(result, Receipt):
        data = {"outcome": result.outcome, "state": result.state, "at": result.received_at}
        if result.outcome == SubmissionOutcome.COUNTED:
            return 200, data
        return 409, {**data, "code": "not-counted", "detail": TOO_LATE}
    status, code = status_and_code(result)
    data = {"outcome": "refused", "code": code, "detail": result.reason}
    if isinstance(result, Invalid):
        data["field"] = result.field
    if isinstance(result, ChangedElsewhere):
        data["current"] = result.current
    return status, data
