"""Files that do not go out alone: their own format has no place for what must be said about them.

Neither qrels nor BEIR nor DORIS-MAE's layout can say over how many aspects a score runs. So `comment.tsv` says it for
each document, and `manifest.json` for each topic. The manifest also has the machines whose test was overridden, the
options, the warnings and a hash of each file.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from adjudication.exporting import statements
from adjudication.exporting.exporter import Files, Options
from adjudication.exporting.streams import pieces, rows
from engines.formats.csv_text import write_csv

DEFAULTS = {"level": "query", "grades": "sum", "annotators": False, "unresolved": "refuse"}  # of exports without them
COMMENT, MANIFEST = "comment.tsv", "manifest.json"
COLUMNS = ("topic", "annotator", "docno", "aspects_judged", "aspects")
MEANING = (
    "Scored over judged aspects only: a document's score runs over those aspects of its topic (or sub-query) that have "
    f"a value on it, not over all of them. {COMMENT} has their number for each document. Scores over different numbers"
    " of aspects cannot be compared."
)


def with_manifest(options: Options, files: Files, warnings: Sequence[str], overrides: Sequence[str]) -> Files:
    """The members, the comment file where scores need one, the manifest over all of them; to be read in this order."""
    listed: list[dict[str, Any]] = []
    for name, content in files:
        yield name, _hashed(name, content, listed)
    about: dict[str, Any] = {"machine_overrides": list(overrides)} if overrides else {}
    if options.judged_only:
        yield COMMENT, _hashed(COMMENT, pieces(_comment(options)), listed)
        about["aspects"] = _aspects(options)
    yield MANIFEST, _manifest(options, {**about, "warnings": list(warnings), "files": listed})


def _comment(options: Options) -> Iterator[str]:
    """A row for each score, in the order of the file."""
    found = (
        (
            _prefix(options, "query_prefix") + topic,
            annotator,
            _prefix(options, "document_prefix") + docno,
            judged,
            aspects,
        )
        for topic, annotator, docno, _, judged, aspects in rows(statements.scores_of(options), options)
    )
    return write_csv(COLUMNS, found, guarded=False, delimiter="\t")


def _prefix(options: Options, option: str) -> str:
    """What ids begin with, where the export gives them a prefix."""
    return options[option] or ""


def _hashed(name: str, content: Iterable[bytes], listed: list[dict[str, Any]]) -> Iterator[bytes]:
    """Pass the pieces through; note their size and hash at the end."""
    digest, size = hashlib.sha256(), 0
    for piece in content:
        digest.update(piece)
        size += len(piece)
        yield piece
    listed.append({"name": name, "bytes": size, "sha256": digest.hexdigest()})


def _aspects(options: Options) -> dict[str, Any]:
    """How many aspects are judged, of all and of each topic."""
    topics = [
        {"topic": _prefix(options, "query_prefix") + number, "judged": judged, "aspects": aspects}
        for number, judged, aspects in rows(statements.aspects_judged_of(options), options)
    ]
    totals = {name: sum(each[name] for each in topics) for name in ("judged", "aspects")}
    return {"scored": options["aspects"], "meaning": MEANING, **totals, "topics": topics}


def _manifest(options: Options, more: dict[str, Any]) -> Iterator[bytes]:
    about = {
        "format": options.exporter.format,
        "collection": options.collection.slug,
        "campaign": options.campaign.slug if options.campaign else None,
        "criterion": options.criterion.key if options.criterion else None,
        **{name: options.values.get(name, usual) for name, usual in DEFAULTS.items()},
        **more,
    }
    yield (json.dumps(about, ensure_ascii=False, indent=2) + "\n").encode()
