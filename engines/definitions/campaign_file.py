"""A campaign's definition as a TOML file: settings, criteria with their levels, guideline."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from engines.definitions.drafts import BadOptions, CriterionDraft, LevelDraft
from engines.definitions.settings import IN_FILE
from engines.formats.jsonl import MAX_DEPTH, is_deeper
from engines.guarded.limits import Limits, ReadingFailed
from engines.guarded.reading import read_guarded

SETTINGS: dict[str, type] = {
    "name": str,
    "kind": str,
    "split": str,
    "order": str,
    "strategy": str,
    "deadline": date,
    **dict.fromkeys(IN_FILE, int),
}
TOP = {*SETTINGS, "guideline", "criteria"}
CRITERION: dict[str, type] = {"key": str, "label": str, "question": str, "scale": str, "levels": list}
LEVEL: dict[str, type] = {"value": int, "label": str, "definition": str, "example": str, "reasons": list}
ReadOptions = Callable[[Mapping[str, Any]], dict[str, Any]]
LIMITS = Limits(seconds=10, megabytes=512, quiet_seconds=60)
NONE: Mapping[str, ReadOptions] = {}
WORDS = {str: "text in quotes", int: "a whole number", list: "a list", date: "a date such as 2030-12-31"}


class BadCampaignFile(Exception):
    """The file is not TOML, or has something that a campaign does not have; `reason` says what and where."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class CampaignFile:
    """The contents of a file: `settings` that it has, `criteria` (() without any), `guideline` ("" without one)."""

    settings: dict[str, str | int | date] = field(default_factory=dict)
    criteria: tuple[CriterionDraft, ...] = ()
    guideline: str = ""
    options: dict[str, Any] | None = None  # the table of a kind, such as [rubric]; None where the file has none


def read_campaign_file(text: str, options: Mapping[str, ReadOptions] = NONE) -> CampaignFile:
    """Parse a campaign's TOML; raises BadCampaignFile. `problems_of` checks the criteria.

    `options`, by the names of kinds that have settings, reads the kind's table and raises BadOptions.
    """
    try:
        (found,) = read_guarded(partial(_parsed, text), limits=LIMITS)
    except ReadingFailed as failed:
        raise BadCampaignFile(f"The file {failed.reason}.") from failed
    if isinstance(found, str):
        raise BadCampaignFile(found)
    return _campaign_file(found, options)


def _parsed(text: str) -> Iterator[dict[str, Any] | str]:
    """What is in the TOML, or what is wrong with it. A child does it: keys of many parts take tomllib hours."""
    too_deep = "It is not read: its tables or arrays are nested too deeply."
    try:
        found = tomllib.loads(text)
        yield too_deep if is_deeper(found, MAX_DEPTH) else found  # dotted keys nest without recursion
    except ValueError as error:  # also of a number with too many digits
        yield f"It is not valid TOML: {error}."
    except RecursionError:
        yield too_deep


def _campaign_file(content: Mapping[str, Any], options: Mapping[str, ReadOptions]) -> CampaignFile:
    _check_names(content, {*TOP, *options}, "the file")
    for name, limits in IN_FILE.items():
        if type(content.get(name)) is int and (problem := limits.problem(content[name])):
            raise BadCampaignFile(f"In the file, {name}: {problem}")
    settings = {name: _typed(content, name, kind, "the file") for name, kind in SETTINGS.items() if name in content}
    criteria = tuple(_criterion(entry, number) for number, entry in enumerate(_tables(content, "criteria"), start=1))
    guideline = _typed(content, "guideline", str, "the file") if "guideline" in content else ""
    return CampaignFile(settings, criteria, guideline, _options(content, options))


def read_defaults(folder: Path) -> CampaignFile:
    """The default criteria and guideline of a campaign kind, in the `campaign.toml` of its folder."""
    return _campaign_file(tomllib.loads((folder / "campaign.toml").read_text(encoding="utf-8")), NONE)


def write_criteria(criteria: tuple[CriterionDraft, ...]) -> str:
    """The criteria as TOML that `read_campaign_file` reads back."""
    lines: list[str] = []
    for criterion in criteria:
        lines += ["[[criteria]]", *_pairs(key=criterion.key, label=criterion.label)]
        lines += [*_pairs(question=criterion.question, scale=criterion.scale), ""]
        for level in criterion.levels:
            lines += ["[[criteria.levels]]", f"value = {level.value}"]
            lines += _pairs(label=level.label, definition=level.definition, example=level.example)
            lines += [f"reasons = [{', '.join(map(_quoted, level.reasons))}]"] if level.reasons else []
            lines.append("")
    return "\n".join(lines)


def _options(content: Mapping[str, Any], options: Mapping[str, ReadOptions]) -> dict[str, Any] | None:
    names = [name for name in options if name in content]
    if len(names) > 1:
        raise BadCampaignFile(f"It has options of several kinds: {', '.join(names)}. A campaign is of one kind.")
    if not names:
        return None
    [name] = names
    if not isinstance(content[name], dict):
        raise BadCampaignFile(f"{name} must be a table: [{name}] with its options below it.")
    try:
        return options[name](content[name])
    except BadOptions as bad:
        raise BadCampaignFile(f"In [{name}]: {bad.reason}") from bad


def _criterion(entry: Mapping[str, Any], number: int) -> CriterionDraft:
    where = f"criterion {number}"
    _check_names(entry, set(CRITERION), where)
    levels = tuple(_level(level, f"{where}, level {n}") for n, level in enumerate(_tables(entry, "levels"), start=1))
    key = _typed(entry, "key", str, where)
    return CriterionDraft(
        key=key,
        label=_typed(entry, "label", str, where, default=key.replace("-", " ").capitalize()),
        question=_typed(entry, "question", str, where, default=""),
        scale=_typed(entry, "scale", str, where, default="ordinal"),
        levels=tuple(sorted(levels, key=lambda level: level.value)),
    )


def _level(entry: Mapping[str, Any], where: str) -> LevelDraft:
    _check_names(entry, set(LEVEL), where)
    reasons = _typed(entry, "reasons", list, where, default=[])
    if not all(isinstance(reason, str) for reason in reasons):
        raise BadCampaignFile(f"In {where}, reasons must be a list of texts in quotes.")
    return LevelDraft(
        value=_typed(entry, "value", int, where),
        label=_typed(entry, "label", str, where),
        definition=_typed(entry, "definition", str, where, default=""),
        example=_typed(entry, "example", str, where, default=""),
        reasons=tuple(reasons),
    )


def _tables(entry: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    tables = entry.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise BadCampaignFile(f"{name} must be tables, each under its own [[{name}]].")
    return tables


def _typed(entry: Mapping[str, Any], name: str, kind: type, where: str, default: Any = None) -> Any:
    value = entry.get(name, default)
    if value is None:
        raise BadCampaignFile(f"In {where}, {name} is missing.")
    if type(value) is not kind:
        raise BadCampaignFile(f"In {where}, {name} must be {WORDS[kind]}, not {value!r}.")
    return value


def _check_names(entry: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(entry) - known)
    if unknown:
        raise BadCampaignFile(f"In {where}, “{unknown[0]}” is not known. Known are: {', '.join(sorted(known))}.")


def _pairs(**texts: str) -> list[str]:
    return [f"{name} = {_quoted(text)}" for name, text in texts.items() if text]


def _quoted(text: str) -> str:
    """A TOML basic string. TOML wants all control characters but the tab escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in escaped) + '"'
