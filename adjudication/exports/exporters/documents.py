"""Documents, with everything that is known of them."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from adjudication.exporting.exporter import FATAL, NDJSON, Exporter, Finding, Options, Reader, TextExporter
from adjudication.exporting.forms import Choices, ExportForm, SwitchField
from adjudication.exporting.streams import loaded, rows
from corpus.models import Collection, Document, FullText, Paper
from engines.formats.jsonl_documents import write_jsonl_documents
from engines.formats.litsearch_parquet import write_parquet_documents
from engines.formats.records import DocumentRecord
from engines.formats.s2orc_parquet import write_s2orc_parquet

_FIELDS = "d.docno, d.title, d.abstract, d.keywords, d.authors, d.venue, d.year, d.doi, d.url, d.extra"
# Without the papers whose citation contexts are queries.
_SEARCHED = """
WHERE d.collection_id = %(collection)s AND NOT EXISTS (
  SELECT FROM corpus_paper p WHERE p.collection_id = d.collection_id AND p.key = d.docno
) ORDER BY d.id
"""
DOCUMENTS = f"SELECT {_FIELDS} FROM corpus_document d WHERE d.collection_id = %(collection)s ORDER BY d.id"
SEARCHED_DOCUMENTS = f"SELECT {_FIELDS} FROM corpus_document d {_SEARCHED}"
SEARCHED_TEXTS = f"SELECT d.docno, d.title, d.abstract FROM corpus_document d {_SEARCHED}"
SEARCHED_IDS = f"SELECT d.id FROM corpus_document d {_SEARCHED}"
FULL_DOCUMENTS = f"""
SELECT {_FIELDS}, f.text FROM corpus_document d LEFT JOIN corpus_fulltext f ON f.document_id = d.id {_SEARCHED}
"""
WHOLE = r"^(0|[1-9][0-9]{0,16})$"  # docnos that are whole numbers and come back the same


class FullTextField(SwitchField):
    """Whether documents come with their full texts; offered where there are any."""

    def offered(self, collection: Collection, _: Mapping[str, Any]) -> Choices | None:
        return None if FullText.objects.filter(document__collection=collection).exists() else []


class DocumentForm(ExportForm):
    """Of documents."""

    full_texts = FullTextField(
        strict=True,
        label="Documents with their full texts",
        help_text="of documents: with their full texts, as far as there are any",
    )


class DocumentExporter(Exporter):
    media_type = "application/octet-stream"
    form = DocumentForm
    labels = False

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        if read(f"{SEARCHED_IDS} LIMIT 1"):
            return []
        return [Finding(FATAL, "no_documents", "The collection has no documents.", advice="Import some first.")]


class Documents(TextExporter, DocumentExporter):
    name = "documents"
    label = "Documents, JSONL"
    suffix = "documents.jsonl"
    media_type = NDJSON
    about = "All documents but citing papers, with everything that is known of them. Can be imported again."

    def about_file(self, options: Options) -> str:
        texts = "with" if options["full_texts"] else "without"
        return f"All documents but citing papers, {texts} full texts. Can be imported again."

    def lines(self, options: Options) -> Iterator[str]:
        return write_jsonl_documents(_searched(options))


class DocumentsParquet(DocumentExporter):
    name = "documents-parquet"
    label = "Documents, parquet"
    suffix = "documents.parquet"
    about = "All documents but citing papers in the columns of LitSearch's corpus_clean, and what else has a column."

    def pieces(self, options: Options) -> Iterator[bytes]:
        return write_parquet_documents(
            _searched(options), whole=_is_whole(options), full_texts=bool(options["full_texts"])
        )


class DocumentsS2orc(DocumentExporter):
    name = "documents-s2orc"
    label = "Documents, parquet as S2ORC"
    suffix = "s2orc.parquet"
    about = (
        "All documents but citing papers in the layout of LitSearch's corpus_s2orc: one text, in which title, authors,"
        " venue, abstract, paragraphs and references are marked."
    )

    def pieces(self, options: Options) -> Iterator[bytes]:
        return write_s2orc_parquet(_searched(options), whole=_is_whole(options))


def searched_documents(collection: Collection) -> QuerySet[Document]:
    """The documents that exports hold: without the papers whose citation contexts are queries."""
    papers = Paper.objects.filter(collection=collection, key=OuterRef("docno"))
    return collection.documents.filter(~Exists(papers))


def _is_whole(options: Options) -> bool:
    """Whether every docno is a whole number, so that a column of numbers can hold them."""
    return not options.collection.documents.exclude(docno__regex=WHOLE).exists()


def _searched(options: Options) -> Iterator[DocumentRecord]:
    """All documents but citing papers, with their full texts where these are asked for."""
    return document_records(options, FULL_DOCUMENTS if options["full_texts"] else SEARCHED_DOCUMENTS)


def document_records(options: Options, statement: str = DOCUMENTS) -> Iterator[DocumentRecord]:
    """All documents with everything that is known of them, in the order they came in."""
    for docno, title, abstract, keywords, authors, venue, year, doi, url, extra, *full in rows(statement, options):
        lists = tuple(keywords), tuple(authors)
        yield DocumentRecord(docno, title, abstract, *lists, venue, year, doi, url, loaded(extra), "", 0, *full)


EXPORTERS = (Documents(), DocumentsParquet(), DocumentsS2orc())
