"""The shape of what the labelling screen sends, as JSON by its script or as a plain form: checked, not judged."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from accounts.counting import numeral
from accounts.refusals import Refused
from annotation.assignment.participation import UNKNOWN_VISIT, Visit
from annotation.labelling.answers import AnswerInput
from annotation.models import SubmissionKind

KINDS = (SubmissionKind.ANSWER, SubmissionKind.SKIP, SubmissionKind.UNDO)
DEVICES = ("keyboard", "mouse", "touch", "api")
MOST_UNITS = 50  # that somebody can hold
MOST_AT_ONCE = 200  # submissions in one request: all aspects of a document, with room
VISIT = re.compile(r"([0-9a-f]{16}):([0-9]{1,9})")
LONGEST_NOTE = 10_000  # characters
LONGEST_REASON = 500
LONGEST_GROUND = 60  # of a level
LONGEST_REWRITE = 5_000
MOST_FOUND = 100  # further targets of one question
MOST_MS = 24 * 3600 * 1000  # nobody looks at one item for longer; clocks that jump are cut here


class MalformedSubmission(Refused):
    """What was sent does not have the required shape; `field` says where, `problem` why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.problem = reason


@dataclass(frozen=True, slots=True)
class SubmissionRequest:
    """A request's body: submissions in order, and the units the sender holds still (None: deal no further ones)."""

    inputs: list[AnswerInput]
    have: list[list[int]] | None
    visit: Visit = UNKNOWN_VISIT


def read_body(body: bytes) -> SubmissionRequest:
    """The JSON {"submissions": [...], "have": [[ids]...]?}. Errors: Malformed."""
    return read_request(json_object(body))


def read_request(data: Any, **fixed: Any) -> SubmissionRequest:
    """A request from parsed JSON; `fixed` are fields that the sender cannot choose. Errors: Malformed."""
    if not isinstance(data, dict) or not isinstance(data.get("submissions"), list):
        raise MalformedSubmission("submissions", "send an object with a list of submissions.")
    if not 1 <= len(data["submissions"]) <= MOST_AT_ONCE:
        raise MalformedSubmission("submissions", f"send 1 to {MOST_AT_ONCE} at once.")
    inputs = [read_answer({**each, **fixed} if isinstance(each, dict) else each) for each in data["submissions"]]
    have = data.get("have")
    return SubmissionRequest(inputs, None if have is None else read_have(have), read_visit(data.get("visit")))


def read_have(value: Any, field: str = "have") -> list[list[int]]:
    """Units as lists of assignment ids. Errors: Malformed at this field."""
    if not isinstance(value, list) or len(value) > MOST_UNITS:
        raise MalformedSubmission(field, f"send a list of at most {MOST_UNITS} units.")
    for unit in value:
        if not isinstance(unit, list) or not unit or len(unit) > MOST_AT_ONCE or not all(map(_is_id, unit)):
            raise MalformedSubmission(field, "a unit is a list of assignment ids.")
    return value


def read_have_text(text: str) -> list[list[int]]:
    """Units as an address spells them: "1.2.3,4" is [[1, 2, 3], [4]]."""
    try:
        return read_have([[int(id_) for id_ in unit.split(".")] for unit in text.split(",") if unit])
    except ValueError:
        raise MalformedSubmission("have", "units are numbers with dots between, and commas between units.") from None


def read_leaving(body: bytes) -> tuple[Visit, list[list[int]]]:
    """The JSON {"visit": "browser:n", "seen": [[ids]...]}: units that were looked at. Errors: Malformed."""
    data = json_object(body)
    return read_visit(data.get("visit")), read_have(data.get("seen"), "seen")


def read_visit(value: Any) -> Visit:
    """A visit as the page was given it ("browser:n"); anything else is an unknown one, as of pages that send a number
    alone or none."""
    match = VISIT.fullmatch(value) if isinstance(value, str) else None
    return Visit(match[1], int(match[2])) if match else UNKNOWN_VISIT


def read_answer(data: Any) -> AnswerInput:
    """One submission from its JSON object, or from a form's fields put into the same shape."""
    if not isinstance(data, dict):
        raise MalformedSubmission("submissions", "each submission is an object.")
    kind = data.get("kind", SubmissionKind.ANSWER)
    if kind not in KINDS:
        raise MalformedSubmission("kind", f"use one of {', '.join(KINDS)}.")
    answers = kind == SubmissionKind.ANSWER
    return AnswerInput(
        uuid=_uuid(data.get("uuid"), "uuid"),
        assignment=_id(data, "assignment"),
        kind=kind,
        base=None if data.get("base") is None else _uuid(data["base"], "base"),
        answers=_answers(data.get("answers") or {}) if answers else {},
        reasons=_texts(data.get("reasons") or {}) if answers else {},
        reason=_text(data, "reason", LONGEST_REASON),
        note=_text(data, "note", LONGEST_NOTE),
        flagged=data.get("flagged") is True,
        rewrite=_text(data, "rewrite", LONGEST_REWRITE).strip() if answers else "",
        found=_docnos(data.get("found") or []) if answers else (),
        guideline=_number(data, "guideline"),
        active_ms=_milliseconds(data, "active_ms"),
        away_ms=_milliseconds(data, "away_ms"),
        device=data["device"] if data.get("device") in DEVICES else "",
        client_at=_datetime(data.get("client_at")),
    )


def read_form(fields: Mapping[str, str]) -> list[AnswerInput]:
    """The submissions of a plain form: `cells` names the assignments, each with fields `<assignment>-uuid` and so on.

    Answers are `<assignment>-answer-<criterion>`; the button `skip` names the one assignment that is skipped, and
    `kind` may be undo. Of several cells those without an answer are left for later. Errors: Malformed.
    """
    cells = [number for cell in fields.get("cells", "").split(",") if (number := read_number(cell)) is not None]
    skipped, guideline = read_number(fields.get("skip", "")), read_number(fields.get("guideline", ""))
    if skipped is not None:
        cells = [cell for cell in cells if cell == skipped]
        common: dict[str, Any] = {"kind": SubmissionKind.SKIP, "reason": fields.get("skip-reason", "")}
    else:
        common = {"kind": fields.get("kind") or SubmissionKind.ANSWER}
    if guideline is not None:
        common["guideline"] = guideline
    read = [_cell_data(fields, cell) for cell in cells]
    if common["kind"] == SubmissionKind.ANSWER and len(read) > 1:
        read = [cell for cell in read if cell["answers"]]
    if not read:
        raise MalformedSubmission("answers", _("choose a grade first."))
    return [read_answer({**cell, **common}) for cell in read]


def _cell_data(fields: Mapping[str, str], cell: int) -> dict[str, Any]:
    def part(prefix: str) -> dict[str, str]:
        start = f"{cell}-{prefix}-"
        return {name.removeprefix(start): value for name, value in fields.items() if name.startswith(start) and value}

    return {
        "assignment": cell,
        "uuid": fields.get(f"{cell}-uuid"),
        "base": fields.get(f"{cell}-base") or None,
        "answers": {key: _whole(key, value) for key, value in part("answer").items()},
        "reasons": part("reason"),
        "note": fields.get(f"{cell}-note", ""),
        "flagged": f"{cell}-flagged" in fields,
        "rewrite": fields.get(f"{cell}-rewrite", "").replace("\r\n", "\n"),
        "found": fields.get(f"{cell}-found", "").split(),
    }


def _whole(key: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise MalformedSubmission(key, _("choose one of the levels.")) from None


def json_object(body: bytes) -> dict[str, Any]:
    """A request's body. Errors: Malformed where it is no JSON object."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):  # the latter: brackets nested by the thousand
        data = None
    if not isinstance(data, dict):
        raise MalformedSubmission("body", "it is not a JSON object.")
    return data


def read_number(text: str) -> int | None:
    """A whole number as addresses and plain forms have it; None for anything else, also for endless digits."""
    return int(text) if text.isdecimal() and len(text) < 19 else None


def _is_id(value: Any) -> bool:
    return type(value) is int and 0 < value < 2**63


def _id(data: dict[str, Any], name: str) -> int:
    value = data.get(name)
    if type(value) is not int or not _is_id(value):
        raise MalformedSubmission(name, "a number is needed.")
    return value


def _number(data: dict[str, Any], name: str) -> int | None:
    value = data.get(name)
    if type(value) is int and 0 <= value < 2**31:
        return value or None  # 0: the campaign has no guideline
    if value is None:
        return None
    raise MalformedSubmission(name, "send the number of a version, or leave it out.")


def _milliseconds(data: dict[str, Any], name: str) -> int | None:
    value = data.get(name)
    return min(max(value, 0), MOST_MS) if type(value) is int else None


def _uuid(value: Any, name: str) -> UUID:
    try:
        return UUID(str(value))
    except ValueError:
        raise MalformedSubmission(name, "a UUID is needed.") from None


def _answers(value: Any) -> dict[str, int]:
    if not isinstance(value, dict) or not all(type(each) is int and abs(each) < 2**15 for each in value.values()):
        raise MalformedSubmission("answers", "send an object of whole numbers by criterion.")
    return value


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(
        isinstance(each, str) and len(each) <= LONGEST_GROUND for each in value.values()
    ):
        raise MalformedSubmission("reasons", "send an object of texts by criterion.")
    return value


def _docnos(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and _can_be_stored(each) for each in value):
        raise MalformedSubmission("found", "send a list of docnos.")
    if len(value) > MOST_FOUND:
        raise MalformedSubmission(
            "found",
            _("these are more than {most} documents. A question that broad is not kept.").format(most=MOST_FOUND),
        )
    return tuple(dict.fromkeys(value))


def _text(data: dict[str, Any], name: str, longest: int) -> str:
    value = data.get(name) or ""
    if not isinstance(value, str) or not _can_be_stored(value):
        raise MalformedSubmission(name, "a text is needed.")
    if len(value) > longest:
        longer = _("it is longer than {most} characters. Shorten it.")
        raise MalformedSubmission(name, longer.format(most=numeral(longest)))
    return value


def _can_be_stored(text: str) -> bool:
    """PostgreSQL keeps no NUL, and half a surrogate pair is no character."""
    return "\x00" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def _datetime(value: Any) -> datetime | None:
    """A time with its zone. Anything else is ignored: it is only what the client says."""
    try:
        at = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None


def read_question(data: dict[str, Any]) -> dict[str, Any]:
    """A question to the managers: assignment, text and uuid, as `ask_managers` takes them. Errors: Malformed."""
    assignment, text = _id(data, "assignment"), data.get("text")
    if not isinstance(text, str):
        raise MalformedSubmission("text", "a text is needed.")
    return {"assignment": assignment, "text": text, "uuid": _uuid(data.get("uuid"), "uuid")}


def read_seen(body: bytes, most: int) -> list[UUID]:
    """The JSON {"seen": [uuid, …]}, at most so many. Errors: Malformed."""
    seen = json_object(body).get("seen")
    try:
        if isinstance(seen, list) and len(seen) <= most:
            return [UUID(str(each)) for each in seen]
    except ValueError:
        pass
    raise MalformedSubmission("seen", "send a list of UUIDs.")


def read_preferences(data: Any) -> dict[str, Any]:
    """How somebody likes their screen: {"shortcuts", "highlights", "delay", "keys"}. Errors: Malformed."""
    if not isinstance(data, dict):
        raise MalformedSubmission("body", "send an object.")
    delay, keys = data.get("delay"), data.get("keys", {})
    if delay is not None and type(delay) is not int:
        raise MalformedSubmission("delay", "send milliseconds, or null for none.")
    if not isinstance(keys, dict) or not all(isinstance(key, str) and _can_be_stored(key) for key in keys.values()):
        raise MalformedSubmission("keys", "send an object of keys by action.")
    flags = {name: data.get(name, True) is True for name in ("shortcuts", "highlights")}
    return {**flags, "delay": delay, "keys": keys}
