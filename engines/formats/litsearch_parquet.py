"""LitSearch's files as parquet, as they lie on the hub: `query`, `corpus_clean` and `corpus_s2orc`, in columns."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Iterator
from itertools import islice
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from engines.extras import lacking, require
from engines.formats.records import BrokenFile, DocumentRecord, TopicRecord

MAGIC = b"PAR1"
ROWS = 500  # at a time
MEMORY = 64 << 20  # bytes of rows at a time: full texts are long
PIECE = 1 << 20
FULL_TEXT = "full_paper"
# LitSearch's files by their columns: what one is called, and what it is imported as.
KNOWN = (
    (frozenset({"query", "query_set"}), "LitSearch's questions", ("topics",)),
    (frozenset({"corpusid", "content"}), "LitSearch's corpus_s2orc", ("documents", "mentions")),
    (frozenset({"corpusid", "title", "abstract"}), "LitSearch's corpus_clean", ("documents",)),
)


def read_rows(stream: BinaryIO, file: str, carried: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (row from 1, {column: value}) of a parquet file, without nulls.

    `carried` is what should be read from it: topics, documents or mentions. Raises `BrokenFile` where it cannot be
    read, or is a file of LitSearch that holds something else, naming what it is and where it goes.
    """
    if words := lacking("pyarrow"):
        raise BrokenFile(file, 0, f"cannot be read here: {words.rstrip('.')}")
    import pyarrow as pa
    import pyarrow.parquet as pq

    with TemporaryFile() as spool:
        shutil.copyfileobj(stream, spool)
        try:
            # By pieces, and not a whole column of a row group at once.
            table = pq.ParquetFile(spool, buffer_size=PIECE, pre_buffer=False)
            names = table.schema_arrow.names
            _check_columns(frozenset(names), carried, file)
            number = 0
            for batch in table.iter_batches(batch_size=_rows_at_once(table.metadata), use_threads=False):
                for row in batch.to_pylist():
                    number += 1
                    yield number, {name: value for name, value in row.items() if value is not None}
        except MemoryError:  # Arrow's own memory error is an ArrowException as well
            raise
        except (pa.ArrowException, OSError, ValueError, UnicodeDecodeError) as error:
            raise BrokenFile(file, 0, f"is not a readable parquet file ({str(error)[:200]})") from error


def _rows_at_once(metadata: Any) -> int:
    """How many rows hold some MEMORY together, as far as the file says how long they are."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    longest = max((group.total_byte_size / max(group.num_rows, 1) for group in groups), default=0)
    return int(min(ROWS, max(1, MEMORY / max(longest, 1))))


def _check_columns(columns: frozenset[str], carried: str, file: str) -> None:
    for known, name, contained in KNOWN:
        if known <= columns and carried not in contained:
            raise BrokenFile(file, 0, f"holds no {carried}: it is {name}, to be imported as {' or '.join(contained)}")


def write_parquet_documents(
    documents: Iterable[DocumentRecord], *, whole: bool, full_texts: bool = False
) -> Iterator[bytes]:
    """Yield the bytes of a parquet file of documents in the columns of LitSearch's corpus_clean, and more.

    `whole` says that every docno is a whole number: then ids and citations are numbers under `corpusid`, as LitSearch
    has them, else texts under `docno`. A citation that is no whole number is left out then. With `full_texts` they
    stand under `full_paper`, null where a document has none.
    """
    require("pyarrow")
    import pyarrow as pa

    id_type, texts = pa.int64() if whole else pa.string(), pa.list_(pa.string())
    columns = {"corpusid" if whole else "docno": id_type, "title": pa.string(), "abstract": pa.string()}
    columns |= {"citations": pa.list_(id_type), "keywords": texts, "authors": texts, "venue": pa.string()}
    columns |= {"year": pa.int64(), "doi": pa.string(), "url": pa.string()}
    schema = pa.schema(columns | ({FULL_TEXT: pa.string()} if full_texts else {}))
    return written_rows((_row(document, whole=whole) for document in documents), schema)


def written_rows(rows: Iterable[dict[str, Any]], schema: Any) -> Iterator[bytes]:
    """Yield the bytes of a parquet file of the rows, a few of which are held at a time; `schema` is pyarrow's."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    found = iter(rows)
    with TemporaryFile() as file:
        with pq.ParquetWriter(file, schema, compression="snappy") as writer:
            while batch := list(islice(found, ROWS)):
                writer.write_table(pa.Table.from_pylist(batch, schema=schema))
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


def _row(document: DocumentRecord, *, whole: bool) -> dict[str, Any]:
    cited = [str(docno) for docno in document.extra.get("citations") or []]
    own = {"corpusid": int(document.docno)} if whole else {"docno": document.docno}
    return own | {
        "title": document.title,
        "abstract": document.abstract,
        "citations": [int(docno) for docno in cited if docno.isdecimal()] if whole else cited,
        "keywords": list(document.keywords),
        "authors": list(document.authors),
        "venue": document.venue,
        "year": document.year,
        "doi": document.doi,
        "url": document.url,
        FULL_TEXT: document.full_text,
    }


def write_litsearch_parquet(topics: Iterable[TopicRecord], objects: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield the bytes of a parquet file with `objects` (LitSearch's keys) of the topics.

    Where every docno of all topics is a whole number they stand as such under `corpusids`, else as texts under
    `docnos`: a column has one type.
    """
    require("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = list(objects)
    whole = all("corpusids" in row for row in rows)
    targets = ("corpusids", pa.list_(pa.int64())) if whole else ("docnos", pa.list_(pa.string()))
    schema = pa.schema(
        [
            ("query_set", pa.string()),
            ("query", pa.string()),
            ("specificity", pa.int64()),
            ("quality", pa.int64()),
            targets,
            ("number", pa.string()),
            *((name, pa.string()) for name in ("title", "narrative") if any(row.get(name) for row in rows)),
        ]
    )
    if not whole:
        for row, topic in zip(rows, topics, strict=True):
            row["docnos"] = list(topic.targets)
    table = pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema=schema)
    out = io.BytesIO()
    pq.write_table(table, out, compression="snappy")
    yield out.getvalue()
