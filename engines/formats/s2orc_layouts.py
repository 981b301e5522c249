"""The layouts that S2ORC and doc2json have used, brought into one: metadata next to the text of the parse.

2019 has `metadata` and `grobid_parse`, as CORD-19 has `metadata`; 2020 and doc2json have `pdf_parse` or `latex_parse`.
doc2json cuts an id at its first dot: the file 2020.acl-main.207.json holds the paper_id “2020”.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

PARSE_KEYS = ("pdf_parse", "latex_parse", "grobid_parse")
LINKS = ("link", "links")  # of an entry of the bibliography, to the paper that it is
NAMED_BY_FILE = "the id is the name of the file, since doc2json cuts its paper_id off at a dot"
TEXTS_ALONE = (
    "full texts come in as paragraphs; an import of papers reads their citation markers, references, figures and tables"
)
_ENDINGS = re.compile(r"(?:\.(?:pdf|xml|tei|tex))*\.json(?:\.gz|\.bz2|\.xz)?$")


def with_metadata(item: dict[str, Any], file: str, said: set[str]) -> dict[str, Any]:
    """The object with its metadata next to its parse, its abstract from the parse where it has none, and its whole id.

    `said` takes what should be remarked on.
    """
    metadata = item.get("metadata")
    if isinstance(metadata, dict):
        del item["metadata"]
        item = {name: value for name, value in metadata.items() if value not in (None, "")} | item
    if not item.get("abstract") and (parse := _parse_of(item)):
        item["abstract"] = parse.get("abstract") or ""
    if item.get("year") == "":
        del item["year"]
    name = PurePath(file).name
    stem, paper_id = _ENDINGS.sub("", name), item.get("paper_id")
    if paper_id and stem != name and stem.startswith(f"{paper_id}."):
        item["paper_id"] = stem
        said.add(NAMED_BY_FILE)
    return item


def without_parse(item: dict[str, Any], said: set[str]) -> None:
    """Take out what only a paper has; cited papers that the bibliography links stay as `citations`."""
    parse = _parse_of(item) or {}
    entries = item.get("bib_entries") or parse.get("bib_entries")
    if "outbound_citations" not in item and (linked := _linked(entries)):
        item["citations"] = linked
    found = [item.pop(key, None) for key in (*PARSE_KEYS, "body_text", "bib_entries", "ref_entries", "back_matter")]
    if any(found):
        said.add(TEXTS_ALONE)


def _parse_of(item: dict[str, Any]) -> dict[str, Any] | None:
    return next((item[key] for key in PARSE_KEYS if isinstance(item.get(key), dict)), None)


def _linked(entries: object) -> list[str]:
    """The ids that entries of a bibliography link to, each once."""
    values = entries.values() if isinstance(entries, dict) else ()
    links = (entry.get(name) for entry in values if isinstance(entry, dict) for name in LINKS)
    return list(dict.fromkeys(link for link in links if isinstance(link, str) and link))
