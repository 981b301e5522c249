"""Documents as records, as several kinds of file write them."""

import json
from collections.abc import Iterator
from typing import Any

from adjudication.exports import statements
from adjudication.exports.options import Options
from adjudication.exports.streams import rows
from corpus.formats.records import DocumentRecord


def document_records(options: Options, statement: str = statements.DOCUMENTS) -> Iterator[DocumentRecord]:
    """All documents with everything that is known of them, in the order they came in."""
    for docno, title, abstract, keywords, authors, venue, year, doi, url, extra in rows(statement, options):
        lists = tuple(keywords), tuple(authors)
        yield DocumentRecord(docno, title, abstract, *lists, venue, year, doi, url, loaded(extra), "", 0)


def loaded(value: Any) -> Any:
    """JSON of the database: text where the cursor leaves it undecoded."""
    return json.loads(value) if isinstance(value, str) else value
