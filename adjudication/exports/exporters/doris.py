"""DORIS-MAE's JSON: topics with trees and pools in memory, documents and values as a stream."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from adjudication.exporting import statements
from adjudication.exporting.exporter import (
    FATAL,
    WARNING,
    CampaignExporter,
    Finding,
    Options,
    Reader,
    TextExporter,
    find_campaign,
)
from adjudication.exporting.findings import qrel_findings
from adjudication.exporting.forms import SummedForm
from adjudication.exporting.streams import rows
from adjudication.exports.exporters.documents import document_records
from adjudication.exports.exporters.topics import published_topics, topic_record
from annotation.kind import Judged
from annotation.models import Campaign
from corpus.models import Collection
from engines.formats.doris_json_writer import write_doris_json
from engines.formats.judgment_columns import SAID
from engines.formats.records import JudgmentRow, TopicRecord


class DorisMae(TextExporter, CampaignExporter):
    name = "doris-mae"
    label = "DORIS-MAE JSON"
    suffix = "doris-mae.json"
    media_type = "application/json; charset=utf-8"
    about = (
        "Queries with aspects and pools, all abstracts, and the value of each aspect and abstract with a machine's"
        " answer (gpt_response), in version 1 of DORIS-MAE's layout. Can be imported again."
    )
    form = SummedForm
    judged = Judged.DOCUMENTS
    verdicts = True
    adds_up = True

    def options(self, collection: Collection, values: Mapping[str, Any]) -> Options:
        """Without a campaign as well: queries, pools and abstracts, before anything is judged."""
        if collection.campaigns.judging(self.judged).exists():
            return super().options(collection, values)
        if values["campaign"]:
            find_campaign(collection, values["campaign"])  # refuses a name that is none
        return Options(collection, self)

    def campaigns(self, options: Options) -> list[Campaign]:
        return [options.campaign] if options.campaign else []

    def is_summed(self, level: str) -> bool:
        return True

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        """DORIS-MAE scores an abstract once for each text of an aspect, with 0, 1 or 2."""
        if options.campaign is None:
            text = "No campaign judges documents yet, so the file holds queries, pools and abstracts without a value."
            return [Finding(WARNING, "not_judged", text)]
        found = qrel_findings(options, read)
        if other := read(OTHER_SCORES):
            text = (
                "DORIS-MAE's layout holds the values 0, 1 and 2 of aspects; the campaign has others, or whole topics."
            )
            found.append(Finding(FATAL, "no_doris_score", text, sum(count for _, count in other)))
        for aspect, docno, count in read(TWO_SCORES):
            fact = f"Document {docno} has two values for the aspect “{aspect}”, which two topics share."
            found.append(Finding(FATAL, "two_scores", fact, count, advice="Decide on one."))
        ((other_words,),) = read(OTHER_WORDS)
        if other_words:
            text = f"Values whose gpt_response is of a machine that gave another value: {other_words:,}."
            found.append(Finding(WARNING, "other_words", text, other_words))
        ((alone,),) = read(statements.POOLED_ALONE)
        if alone:
            text = f"Pooled documents without any value, which readers of DORIS-MAE's layout score 0: {alone:,}."
            found.append(Finding(WARNING, "pooled_alone", text, alone))
        return found

    def stem(self, options: Options) -> list[str]:
        return [*super().stem(options), "judged-aspects" if options.judged_only else ""]

    def lines(self, options: Options) -> Iterator[str]:
        docnos = [docno for (docno,) in rows(DOCNOS, options)]
        return write_doris_json(_topics(options), docnos, document_records(options), _scores(options))


def _topics(options: Options) -> list[TopicRecord]:
    pools: dict[str, list[str]] = {}
    for number, docno in rows(POOLED_DOCNOS, options):
        pools.setdefault(number, []).append(docno)
    topics = published_topics(options.collection).prefetch_related("nodes__aspect", "targets__document")
    records = map(topic_record, topics)
    return [replace(one, extra={**one.extra, "candidate_pool": pools.get(one.number, [])}) for one in records]


def _scores(options: Options) -> Iterator[JudgmentRow]:
    for number, aspect, docno, value, said in rows(SCORES, options):
        yield JudgmentRow("", number, aspect, docno, "", str(value), False, details={SAID: said} if said else {})


# The words of a machine on the item: of one that gave this value, if any did.
_MACHINE = f"""
LEFT JOIN LATERAL (
  SELECT {statements.SAID} AS said, j.value
  FROM annotation_assignment a
  JOIN annotation_annotator who ON who.id = a.annotator_id AND who.kind = 'machine'
  JOIN annotation_judgment j ON j.assignment_id = a.id AND j.criterion_id = %(criterion)s
  JOIN annotation_submission s ON s.id = j.submission_id
  WHERE a.item_id = i.id AND a.state = 'done' AND a.repeat = 0
  ORDER BY j.value <> v.value, a.annotator_id LIMIT 1
) machine ON true
"""
OTHER_WORDS = f"""
SELECT count(*) FROM annotation_item i {statements.VERDICTS} {_MACHINE}
WHERE i.campaign_id = %(campaign)s AND machine.said <> '' AND machine.value <> v.value
"""
SCORES = f"""
SELECT t.number, asp.text, d.docno, v.value, machine.said
FROM annotation_item i
JOIN {statements.PUBLISHED_TOPICS} t ON t.id = i.topic_id
JOIN corpus_aspect asp ON asp.id = i.aspect_id
JOIN corpus_document d ON d.id = i.document_id
{statements.VERDICTS}
{_MACHINE}
WHERE i.campaign_id = %(campaign)s
ORDER BY t.position, t.id, i.aspect_id, d.id
"""
# Its annotations know an aspect by its text alone, whichever query asks for it.
TWO_SCORES = f"""
SELECT asp.text, d.docno, count(*) OVER ()
FROM annotation_item i
JOIN corpus_aspect asp ON asp.id = i.aspect_id
JOIN corpus_document d ON d.id = i.document_id
{statements.VERDICTS}
WHERE i.campaign_id = %(campaign)s
GROUP BY asp.text, d.docno HAVING min(v.value) < max(v.value) ORDER BY 1, 2 LIMIT 1
"""
OTHER_SCORES = """
SELECT v.value, count(*) FROM annotation_item i
JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s
WHERE i.campaign_id = %(campaign)s AND (v.value NOT BETWEEN 0 AND 2 OR i.aspect_id IS NULL) GROUP BY 1 ORDER BY 1
"""
POOLED_DOCNOS = f"""
SELECT t.number, d.docno FROM corpus_poolentry p
JOIN {statements.PUBLISHED_TOPICS} t ON t.id = p.topic_id AND t.collection_id = %(collection)s
JOIN corpus_document d ON d.id = p.document_id ORDER BY t.position, t.id, d.id
"""
DOCNOS = "SELECT d.docno FROM corpus_document d WHERE d.collection_id = %(collection)s ORDER BY d.id"

EXPORTERS = (DorisMae(),)
