"""BEIR: corpus, queries and qrels in one archive."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from django import forms

from adjudication.exporting import statements
from adjudication.exporting.exporter import (
    FATAL,
    WARNING,
    ZIP,
    CampaignExporter,
    Exporter,
    Files,
    Finding,
    Options,
    Reader,
)
from adjudication.exporting.findings import MOST_EXAMPLES, qrel_findings
from adjudication.exporting.forms import ASPECT, ByLevelForm
from adjudication.exporting.streams import pieces
from adjudication.exports.exporters.documents import document_records
from adjudication.exports.exporters.qrels import qrel_rows
from adjudication.exports.exporters.topics import trec_topics
from adjudication.models import ExportPrefixes
from annotation.kind import Judged
from corpus.models import Collection
from engines.formats.jsonl_documents import write_beir_corpus
from engines.formats.jsonl_topics import write_beir_queries
from engines.formats.qrels import write_beir_qrels
from engines.formats.records import QrelRow, TopicRecord
from engines.formats.zip_stream import zipped

SUGGESTED = ("q", "d")  # prefixes of ids of queries and documents
PREFIXES = ("query_prefix", "document_prefix")
_PREFIX = re.compile(r"[!#-~]{0,20}").fullmatch


class PrefixField(forms.CharField):
    """What ids begin with: "" for nothing, None where it was not asked for."""

    widget = forms.TextInput(attrs={"class": "input mono", "maxlength": 20, "size": 6, "autocomplete": "off"})
    on_card = True

    def __init__(self, **more: Any) -> None:
        super().__init__(required=False, strip=False, **more)

    def to_python(self, value: Any) -> str | None:
        if value is not None and not _PREFIX(value):
            text = f"“{value[:40]}” cannot begin an id: at most 20 ASCII characters, no blank, no double quote."
            raise forms.ValidationError(text)
        return value if value is None else str(value)

    def is_strict(self, value: Any) -> bool:
        return bool(value)


class PrefixForm(forms.Form):
    """Of BEIR, which takes equal ids of a query and a document for one thing."""

    query_prefix = PrefixField(
        label="Query ids begin with", help_text="of BEIR: what ids of queries begin with; remembered"
    )
    document_prefix = PrefixField(
        label="Document ids begin with", help_text="of BEIR: what ids of documents begin with; remembered"
    )


class BeirArchive(Exporter):
    """What all BEIR archives share: ids may have prefixes, which are remembered for each collection and campaign."""

    media_type = ZIP

    def options(self, collection: Collection, values: Mapping[str, Any]) -> Options:
        """The options with the prefixes asked for, else those that the same export had last."""
        options = super().options(collection, values)
        last = ExportPrefixes.objects.filter(collection=collection, campaign=options.campaign, kind=self.name).first()
        known = (last.query, last.document) if last else ("", "")
        prefixes = {
            name: before if values[name] is None else values[name] for name, before in zip(PREFIXES, known, strict=True)
        }
        return replace(options, values={**values, **prefixes})

    def remember(self, options: Options) -> None:
        """Keep the prefixes; of an archived collection they are used once."""
        if any(name in options.words for name in PREFIXES) and not options.collection.archived_at:
            ExportPrefixes.objects.update_or_create(
                collection=options.collection,
                campaign=options.campaign,
                kind=self.name,
                defaults={"query": options["query_prefix"], "document": options["document_prefix"]},
            )

    def card(self, options: Options, findings: Iterable[Finding]) -> dict[str, str]:
        """Prefixes, where there are some or queries and documents share ids."""
        if not any(options[name] for name in PREFIXES) and all(finding.code != "same_id" for finding in findings):
            return {}
        return {name: options[name] or suggested for name, suggested in zip(PREFIXES, SUGGESTED, strict=True)}

    def pieces(self, options: Options) -> Any:
        return zipped(self.files(options))


class BeirForm(PrefixForm, ByLevelForm):
    pass


class Beir(BeirArchive, CampaignExporter):
    name = "beir"
    label = "BEIR"
    suffix = "beir.zip"
    about = "corpus.jsonl, queries.jsonl and qrels/test.tsv in one archive."
    form = BeirForm
    judged = Judged.DOCUMENTS
    verdicts = True

    def is_summed(self, level: str) -> bool:
        return level != ASPECT

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        return qrel_findings(options, read) + beir_findings(options, read)

    def stem(self, options: Options) -> list[str]:
        return [*super().stem(options), "judged-aspects" if options.judged_only else ""]

    def files(self, options: Options) -> Files:
        return beir_files(options, trec_topics(options), qrel_rows(options))


def beir_files(options: Options, topics: Iterable[TopicRecord], qrels: Iterable[QrelRow]) -> Files:
    """The three members of a BEIR data set, ids with their prefixes; all judgments are its split `test`."""
    query, document = (options[name] for name in PREFIXES)
    documents = (replace(each, docno=document + each.docno) for each in document_records(options))
    yield "corpus.jsonl", pieces(write_beir_corpus(documents))
    named = (replace(each, number=query + each.number) for each in topics)
    yield "queries.jsonl", pieces(write_beir_queries(named))
    rows = (replace(each, topic=query + each.topic, docno=document + each.docno) for each in qrels)
    yield "qrels/test.tsv", pieces(write_beir_qrels(rows))


def beir_findings(options: Options, read: Reader) -> list[Finding]:
    """Ids that BEIR would take for one another, or cannot read."""
    found = []
    query, document = (options[name] for name in PREFIXES)
    if query or document:
        text = f"Ids begin with “{query}” (queries) and “{document}” (documents)."
        found.append(Finding(WARNING, "prefixed_ids", text))
    if same := [name for (name,) in read(SAME_IDS)]:
        fact = f"BEIR drops results whose id is the query's own: {', '.join(same[:MOST_EXAMPLES])}."
        advice = options.advise("", *zip(PREFIXES, SUGGESTED, strict=True))
        found.append(Finding(FATAL, "same_id", fact, len(same), advice=advice))
    if quoted := [name for (name,) in read(QUOTED_IDS)]:
        text = f"BEIR reads a double quote as the start of a quoted field: {', '.join(quoted[:MOST_EXAMPLES])}."
        found.append(Finding(FATAL, "quoted_id", text, len(quoted)))
    return found


SAME_IDS = f"""
SELECT t.written FROM {statements.PUBLISHED_TOPICS} t JOIN corpus_document d ON d.collection_id = t.collection_id
  AND %(document_prefix)s::text || d.docno = %(query_prefix)s::text || t.written
WHERE t.collection_id = %(collection)s ORDER BY 1
"""
QUOTED_IDS = """
SELECT d.docno FROM corpus_document d WHERE d.collection_id = %(collection)s AND d.docno LIKE '%%"%%'
UNION SELECT t.number FROM corpus_topic t WHERE t.collection_id = %(collection)s AND t.number LIKE '%%"%%' ORDER BY 1
"""

EXPORTERS = (Beir(),)
