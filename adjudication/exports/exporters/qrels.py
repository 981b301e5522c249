"""Qrels, as trec_eval, ir-measures and ndeval read them.

External ids only: docnos, topic numbers, names. Each aspect is a topic, numbered `topic.place`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from accounts.doors import where
from accounts.refusals import Refused
from adjudication.exporting import statements
from adjudication.exporting.exporter import FATAL, CampaignExporter, Finding, Options, Reader, TextExporter
from adjudication.exporting.findings import MOST_EXAMPLES, name_findings, qrel_findings
from adjudication.exporting.forms import ASPECT, QUERY, SUB_QUERY, ByLevelForm, LevelField, SwitchField
from adjudication.exporting.streams import column, rows
from annotation.kind import Judged
from corpus.models import Collection
from engines.formats.qrels import write_diversity_qrels, write_qrels
from engines.formats.records import QrelRow


class QrelsForm(ByLevelForm):
    level = LevelField(QUERY, ASPECT, SUB_QUERY)
    annotators = SwitchField(
        label="Qrels by annotator", strict=True, help_text="labels by annotator, each named in column 2"
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if values.get("annotators") and values.get("level") == SUB_QUERY:
            text = (
                "Qrels of sub-queries are based on verdicts; labels by annotator are written for queries and aspects."
            )
            self.add_error("annotators", text)
        return values


class QrelsExport(TextExporter, CampaignExporter):
    name = "qrels"
    label = "TREC qrels"
    suffix = "qrels"
    about = "One line per topic (or aspect, or sub-query) and document, as trec_eval and ir-measures read it."
    form = QrelsForm
    judged = Judged.DOCUMENTS
    verdicts = True

    def options(self, collection: Collection, values: Mapping[str, Any]) -> Options:
        check_sub_queries(collection, values)
        return super().options(collection, values)

    def is_summed(self, level: str) -> bool:
        return level != ASPECT

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        found = aspect_findings(options, read) or qrel_findings(options, read)
        if options["annotators"]:
            found = found + name_findings(read)
            if not any(each.is_fatal for each in found) and not read(f"{statements.scores_of(options)} LIMIT 1"):
                one = "sub-query" if options.level == "sub-query" else "topic"
                fact = f"Nobody has judged a document on every aspect of its {one}."
                found.append(Finding(FATAL, "nothing_complete", fact, advice="Export by aspect."))
        return found

    def stem(self, options: Options) -> list[str]:
        values = "annotators" if options["annotators"] else options["grades"] if options.level != ASPECT else ""
        judged_only = "judged-aspects" if options.judged_only else ""
        return [*super().stem(options), options.level, values, judged_only]

    def about_file(self, options: Options) -> str:
        value = "label, with its annotator in column 2" if options["annotators"] else "value"
        over = "all aspects" if options.level == QUERY else "its aspects"
        summed = "" if options.level == ASPECT or not _by_aspect(options) else f", summed over {over}"
        return f"One line for each {options.level} and document with its {value}{summed}."

    def lines(self, options: Options) -> Iterator[str]:
        return write_qrels(qrel_rows(options))


class Diversity(TextExporter, CampaignExporter):
    name = "diversity"
    label = "TREC diversity qrels"
    suffix = "diversity.qrels"
    about = "Topic, subtopic, document and judgment, as ndeval reads it. Its subtopics are listed under “Aspects”."
    judged = Judged.DOCUMENTS
    verdicts = True

    def about_file(self, options: Options) -> str:
        return "Topic, subtopic, document and judgment, as ndeval reads it. A subtopic is the number of an aspect."

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        """ndeval reads topics as digits only, and subtopics are aspects."""
        if without := aspect_findings(options, read):
            return without
        odd = [number for (number,) in read(ODD_NUMBERS)]
        named = ", ".join(odd[:MOST_EXAMPLES]) + (" …" if len(odd) > MOST_EXAMPLES else "")
        fact = f"ndeval takes topic numbers of digits only; it cannot read {named}."
        advice = "Export plain qrels by aspect, whose topics may have any number."
        found = [Finding(FATAL, "number_not_digits", fact, len(odd), advice=advice)] if odd else []
        return qrel_findings(options, read) + found

    def lines(self, options: Options) -> Iterator[str]:
        found = rows(statements.scores(ASPECT), options)
        numbered = ((number.rpartition("."), docno, value) for number, _, docno, value, *_ in found)
        return write_diversity_qrels(
            QrelRow(topic, place, docno, value) for (topic, _, place), docno, value in numbered
        )


def _by_aspect(options: Options) -> bool:
    campaign = options.campaign
    return campaign is not None and campaign.items.filter(aspect__isnull=False).exists()


def aspect_findings(options: Options, read: Reader) -> list[Finding]:
    """Of files by aspect, where the campaign judges whole topics."""
    if not (options.level == ASPECT or isinstance(options.exporter, Diversity)) or read(ANY_ASPECT):
        return []
    fact = "The campaign judges whole topics: it has no item of an aspect."
    return [Finding(FATAL, "no_aspects", fact, advice="Export by query.")]


def check_sub_queries(collection: Collection, values: Mapping[str, Any]) -> None:
    """Refused where sub-queries are asked for and there are none."""
    if values["level"] == SUB_QUERY and not collection.sub_queries.exists():
        advice = where(
            "Make them first",
            page="page “Sub-queries”",
            rest=f"POST /api/collections/{collection.slug}/sub-queries/",
            command=f"make_sub_queries {collection.slug}",
        )
        raise Refused(f"There are no sub-queries yet. {advice}.")


def qrel_rows(options: Options) -> Iterator[QrelRow]:
    """Values of verdicts, or labels with their annotator as iteration, for queries or for aspects."""
    grades = "sum" if options.level == ASPECT else options["grades"]
    for number, annotator, docno, total, judged, _ in rows(statements.scores_of(options), options):
        yield QrelRow(number, column(annotator) if annotator else "0", docno, grade(total, judged, grades))


def grade(total: int, things: int, grades: str) -> int:
    """A document's grade from the sum of its `things` values: the sum, 1 if the mean is ≥ 1, or the rounded mean."""
    if grades == "binary":
        return int(total >= things)
    return (2 * total + things) // (2 * things) if grades == "mean" else total


ANY_ASPECT = """
SELECT 1 FROM annotation_item i WHERE i.campaign_id = %(campaign)s AND i.aspect_id IS NOT NULL LIMIT 1
"""
ODD_NUMBERS = f"""
SELECT DISTINCT t.written FROM {statements.PUBLISHED_TOPICS} t JOIN annotation_item i ON i.topic_id = t.id
WHERE i.campaign_id = %(campaign)s AND t.written !~ '^[0-9]+$' ORDER BY 1
"""

EXPORTERS = (QrelsExport(), Diversity())
