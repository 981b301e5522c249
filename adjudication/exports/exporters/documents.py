"""Documents, with everything that is known of them."""

from collections.abc import Iterator

from adjudication.exporting import statements
from adjudication.exporting.exporter import NDJSON, Options, TextExporter
from adjudication.exporting.streams import loaded, rows
from corpus.formats.jsonl_documents import write_jsonl_documents
from corpus.formats.records import DocumentRecord


class Documents(TextExporter):
    name = "documents"
    label = "Documents, JSONL"
    suffix = "documents.jsonl"
    media_type = NDJSON
    about = "All documents but citing papers, with everything that is known of them. Can be imported again."
    labels = False

    def lines(self, options: Options) -> Iterator[str]:
        return write_jsonl_documents(document_records(options, statements.SEARCHED_DOCUMENTS))


def document_records(options: Options, statement: str = statements.DOCUMENTS) -> Iterator[DocumentRecord]:
    """All documents with everything that is known of them, in the order they came in."""
    for docno, title, abstract, keywords, authors, venue, year, doi, url, extra in rows(statement, options):
        lists = tuple(keywords), tuple(authors)
        yield DocumentRecord(docno, title, abstract, *lists, venue, year, doi, url, loaded(extra), "", 0)
