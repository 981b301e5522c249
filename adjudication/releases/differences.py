"""What changed between two releases, read from their files: documents, topics, values and why."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

SHOWN = 50  # of each list
# Names and endings of files that describe a release; earlier versions also wrote .tex, .pdf and .png.
DESCRIBING = {"LICENSE", "datacite.json", "croissant.json", ".md", ".tex", ".pdf", ".cff", ".py", ".png"}
UNCHANGED = {"added": 0, "removed": 0, "changed": 0}
Key = Callable[[dict[str, Any]], tuple[Any, ...]]


class Files(Protocol):
    """The files of a release: {path: SHA-256}, and each on this machine for the length of a block."""

    @property
    def hashes(self) -> Mapping[str, str]: ...
    def local(self, path: str) -> AbstractContextManager[Path]: ...


def differences(before: Files, now: Files) -> dict[str, Any]:
    """{"documents", "topics", "values"}: how many were added, removed and changed, the first of each by name.

    Changed values have both values and the reasons of the newer one. Memory is some bytes for each line.
    """
    verdicts = (re.fullmatch(r"campaigns/([^/]+)/verdicts\.jsonl", path) for path in {*before.hashes, *now.hashes})
    campaigns = sorted(found[1] for found in verdicts if found)
    return {
        "documents": _compare(before, now, "documents.jsonl", lambda one: (one["docno"],)),
        "topics": _compare(before, now, "topics/topics.jsonl", lambda one: (one["number"],)),
        "values": {name: _values(before, now, f"campaigns/{name}/verdicts.jsonl") for name in campaigns},
    }


def changed_files(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The files of data that were added, removed or changed, of {path: SHA-256} before and now. What describes a
    release is not among them."""
    paths = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
    return sorted(path for path in paths if path not in DESCRIBING and Path(path).suffix not in DESCRIBING)


def sentences_of(found: dict[str, Any], files: list[str], name: str) -> list[str]:
    """The report as lines of a list of changes; `name` is the release before."""
    lines = []
    for what in ("documents", "topics"):
        part = found[what]
        if total := sum(part[how] for how in UNCHANGED):
            shown = ", ".join(part["names"]) + (" …" if total > SHOWN else "")
            lines.append(f"{what.capitalize()}: {_counts(part)} ({shown}).")
    for campaign, part in found["values"].items():
        if any(part[how] for how in UNCHANGED):
            lines.append(f"Values in {campaign}: {_counts(part)}.")
            lines += [_change(one) for one in part["changes"]]
    if files:
        lines.append(
            f"Files that differ from those of {name}: {', '.join(files[:SHOWN])}{' …' * (len(files) > SHOWN)}."
        )
    return lines or [f"No data changed since {name}."]


def _counts(part: dict[str, Any]) -> str:
    return f"{part['added']:,} added, {part['removed']:,} removed, {part['changed']:,} changed"


def _change(one: dict[str, Any]) -> str:
    what = " ".join(str(one[name]) for name in ("topic", "aspect", "docno") if one.get(name))
    return f"{what}, {one['criterion']}: {one['before']} → {one['after']} ({one['why']})."


def _compare(before: Files, now: Files, path: str, key: Key) -> dict[str, Any]:
    """Objects by their key: those whose lines differ have changed."""
    found: dict[str, Any] = {**UNCHANGED, "names": []}
    for how, name, _, _ in _changes(before, now, path, key, lambda line, _: _digest(line)):
        found[how] += 1
        if len(found["names"]) < SHOWN:
            found["names"].append(str(name[0]))
    return found


def _values(before: Files, now: Files, path: str) -> dict[str, Any]:
    """Verdicts by their item and criterion: those whose values differ have changed."""
    found: dict[str, Any] = {**UNCHANGED, "changes": []}
    for how, _, old, one in _changes(before, now, path, _place, lambda _, one: one["value"]):
        found[how] += 1
        if how == "changed" and len(found["changes"]) < SHOWN:
            found["changes"].append({**_names(one), "before": old, "after": one["value"], "why": _why(one)})
    return found


def _changes(
    before: Files, now: Files, path: str, key: Callable[[Any], Any], value: Callable[[bytes, Any], Any]
) -> Iterator[tuple[str, Any, Any, Any]]:
    """(added, changed or removed; key; value before; object now), in the order of the newer file, then of the older."""
    known = {key(one): value(line, one) for line, one in _lines(before, path)}
    for line, one in _lines(now, path):
        name = key(one)
        if name not in known:
            yield "added", name, None, one
        elif (old := known.pop(name)) != value(line, one):
            yield "changed", name, old, one
    for name, old in known.items():
        yield "removed", name, old, None


def _place(one: dict[str, Any]) -> bytes:
    return _digest(json.dumps([*_names(one).values()]).encode())


def _names(one: dict[str, Any]) -> dict[str, Any]:
    return {name: one.get(name) for name in ("topic", "aspect", "docno", "criterion")}


def _why(one: dict[str, Any]) -> str:
    votes = " ".join(str(value) for value in one.get("votes", {}).values())
    said = one.get("comment") or one.get("cause") or ""
    return "; ".join(filter(None, [one.get("method", ""), f"votes {votes}" if votes else "", said]))


def _digest(line: bytes) -> bytes:
    return hashlib.blake2b(line, digest_size=8).digest()


def _lines(files: Files, path: str) -> Iterator[tuple[bytes, dict[str, Any]]]:
    if path in files.hashes:
        with files.local(path) as place, place.open("rb") as file:
            for line in file:
                yield line, json.loads(line)
