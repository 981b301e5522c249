"""Every label that counts, by annotator, as imports of judgments read it."""

from collections.abc import Iterator
from typing import Any

from adjudication.exports import statements
from adjudication.exports.exporter import CSV, NDJSON, CampaignExporter, Finding, Options, Reader
from adjudication.exports.findings import override_findings
from adjudication.exports.streams import rows
from annotation.models import AnnotatorKind
from corpus.formats.csv_text import write_csv
from corpus.formats.jsonl import write_objects

JUDGMENT_COLUMNS = (
    *("annotator", "topic", "aspect", "docno", "criterion", "value", "machine", "model", "run", "reason"),
    *("note", "flagged", "guideline", "at", "active_ms"),
)


class Judgments(CampaignExporter):
    name = "judgments"
    label = "Judgments, CSV"
    suffix = "judgments.csv"
    media_type = CSV
    about = "Every label that counts, by annotator. Can be imported again."

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        return override_findings(options, options.campaign)

    def lines(self, options: Options) -> Iterator[str]:
        return write_csv(JUDGMENT_COLUMNS, judgment_rows(options))


class JudgmentsJsonl(Judgments):
    name = "judgments-jsonl"
    label = "Judgments, JSONL"
    suffix = "judgments.jsonl"
    media_type = NDJSON
    about = "The same, one JSON object per line, with notes and times."

    def lines(self, options: Options) -> Iterator[str]:
        return write_objects(map(_object, judgment_rows(options)))


def judgment_rows(options: Options) -> Iterator[tuple[Any, ...]]:
    """One row of `JUDGMENT_COLUMNS` per label; yes and no are 1 and 0, None is unknown."""
    for name, kind, model, run, topic, aspect, docno, criterion, value, *more in rows(statements.JUDGMENTS, options):
        machine = kind == AnnotatorKind.MACHINE
        reason, note, flagged, guideline, at, active = more
        who = (1, model, run) if machine else (0, None, None)
        what = (name, topic, aspect, docno, criterion, value)
        yield (*what, *who, reason, note, int(flagged), guideline, at.isoformat(), active)


def _object(row: tuple[Any, ...]) -> dict[str, Any]:
    found = {name: value for name, value in zip(JUDGMENT_COLUMNS, row, strict=True) if value not in (None, "")}
    return found | {"machine": bool(found["machine"]), "flagged": bool(found["flagged"])}
