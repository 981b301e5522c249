"""Every label that counts, by annotator, as imports of judgments read it."""

from collections.abc import Iterator
from typing import ClassVar

from adjudication.exporting import statements
from adjudication.exporting.exporter import CSV, FATAL, NDJSON, CampaignExporter, Finding, Options, Reader, TextExporter
from adjudication.exporting.findings import override_findings
from adjudication.exporting.streams import rows
from engines.formats.judgments import write_csv_judgments, write_jsonl_judgments


class Judgments(TextExporter, CampaignExporter):
    name = "judgments"
    label = "Judgments, CSV"
    suffix = "judgments.csv"
    media_type = CSV
    about = "Every label that counts, by annotator, with the answers of machines. Can be imported again."
    anyway: ClassVar = {"annotators": "Each line already names the annotator. "}
    by_suffix: ClassVar = {".jsonl": "judgments-jsonl"}

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        found = override_findings(options, options.campaign)
        if not read(ANY_LABEL):
            found.append(Finding(FATAL, "no_labels", "No label counts in the campaign yet."))
        return found

    def lines(self, options: Options) -> Iterator[str]:
        return write_csv_judgments(rows(statements.JUDGMENTS, options))


class JudgmentsJsonl(Judgments):
    name = "judgments-jsonl"
    label = "Judgments, JSONL"
    suffix = "judgments.jsonl"
    media_type = NDJSON
    about = "The same, one JSON object per line, with notes and times."

    def lines(self, options: Options) -> Iterator[str]:
        return write_jsonl_judgments(rows(statements.JUDGMENTS, options))


class FormerJudgments(Judgments):
    name = "former-judgments"
    label = "Former judgments, CSV"
    suffix = "former-judgments.csv"
    about = "Judgments that were made again after a change of the guideline, with the version they were given under."
    by_suffix: ClassVar = {}

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        if read(f"{statements.FORMER_JUDGMENTS} LIMIT 1"):
            return override_findings(options, options.campaign)
        return [Finding(FATAL, "no_former", "No judgment of the campaign was made again.")]

    def lines(self, options: Options) -> Iterator[str]:
        return write_csv_judgments(rows(statements.FORMER_JUDGMENTS, options))


ANY_LABEL = """
SELECT 1 FROM annotation_judgment j JOIN annotation_assignment a ON a.id = j.assignment_id
JOIN annotation_item i ON i.id = a.item_id
WHERE i.campaign_id = %(campaign)s AND a.state = 'done' AND a.repeat = 0 LIMIT 1
"""

EXPORTERS = (Judgments(), JudgmentsJsonl(), FormerJudgments())
