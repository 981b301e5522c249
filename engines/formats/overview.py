"""All formats as text: for `docs/formats.md`, the command `formats` and its JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from textwrap import indent
from typing import Any

from engines.formats.layouts import Field, Layout
from engines.formats.registry import Format, formats_for

# What is read from files, in the order of the work, and the command that reads it.
SORTS = {
    "documents": ("Documents", "import_documents"),
    "topics": ("Topics", "import_topics"),
    "papers": ("Papers", "import_papers"),
    "paper-order": ("Order of papers, sent with them", "import_papers"),
    "reference-notes": ("Notes on references, sent with papers", "import_papers"),
    "mentions": ("Citation mentions", "import_mentions"),
    "runs": ("Runs", "import_runs"),
    "pool": ("Pool lists", "import_pool"),
    "judgments": ("Judgments", "import_judgments"),
    "known-answers": ("Known answers", "import_known_answers"),
    "qrels": ("Qrels", "import_qrels"),
}


def as_markdown() -> str:
    """The page `docs/formats.md`."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield "# Formats of files"
    yield ""
    yield (
        "Generated from the registered formats by `python docs/list_formats.py`; `litmus formats` prints the "
        "same. Files may be plain, compressed (gz, bz2, xz), in archives (zip, tar) or in folders. Litmus detects the"
        " format from the file; the option `format` sets it. Each sample can be copied into a file and imported."
    )
    for carried, (title, command) in SORTS.items():
        yield f"\n## {title}\n\n`litmus {command}`"
        for each in formats_for(carried):
            yield f"\n### {each.label} (`{each.name}`)\n\n{_about(each, carried)}"
            yield from _in_markdown(each.layouts[carried])


def _about(each: Format, carried: str) -> str:
    return f"{each.help} Exports write it as well." if carried in each.writes else each.help


def _in_markdown(layout: Layout) -> Iterator[str]:
    if layout.note:
        yield f"\n{layout.note}"
    if layout.sample:
        yield f"\n```\n{layout.sample.rstrip()}\n```"
    if layout.fields:
        yield "\n| field | meaning |\n|---|---|"
        for one in layout.fields:
            yield f"| {', '.join(f'`{name}`' for name in one.names)} | {words_of(one).replace('|', chr(92) + '|')} |"
    if layout.others:
        yield f"\n{layout.others}"


def words_of(one: Field) -> str:
    """The meaning of a field, and whether it is required."""
    return f"{one.meaning} (required)" if one.is_required else one.meaning


def as_text(sorts: Iterable[str] = SORTS, names: Iterable[str] = ()) -> str:
    """The formats of these sorts of records, as plain text; of `names` only, where some are given."""
    wanted, parts = set(names), []
    for carried in sorts:
        title, command = SORTS[carried]
        found = [each for each in formats_for(carried) if not wanted or each.name in wanted]
        if found:
            parts.append(f"{title.upper()} (litmus {command})")
            parts += [_as_text(each, carried) for each in found]
    return "\n\n".join(parts)


def _as_text(each: Format, carried: str) -> str:
    layout = each.layouts[carried]
    lines = [f"{each.label} ({each.name})", f"  {_about(each, carried)}"]
    if layout.sample:
        lines.append(indent(layout.sample.rstrip(), "    ", lambda _: True))
    lines += [f"  {', '.join(one.names)}: {words_of(one)}" for one in layout.fields]
    lines += [f"  {words}" for words in (layout.others, layout.note) if words]
    return "\n".join(lines)


def as_objects(sorts: Iterable[str] = SORTS, names: Iterable[str] = ()) -> list[dict[str, Any]]:
    """What `as_text` shows, for JSON: an object for each format and sort of records."""
    wanted = set(names)
    return [
        {"records": carried, "format": each.name, "label": each.label, "help": each.help}
        | {"exported": carried in each.writes, **asdict(each.layouts[carried])}
        for carried in sorts
        for each in formats_for(carried)
        if not wanted or each.name in wanted
    ]
