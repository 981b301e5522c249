"""LitSearch's questions as a parquet file, as they lie on the hub: the same columns as its JSON Lines."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from corpus.formats.records import BrokenFile, TopicRecord

MAGIC = b"PAR1"
MOST_BYTES = 256 << 20  # of a file of questions; a parquet file is read whole
ROWS = 2_000  # at a time


def read_rows(stream: BinaryIO, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (row from 1, {column: value}) of a parquet file. Raises `BrokenFile` where it is none that can be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise BrokenFile(file, 0, f"is a parquet file of more than {MOST_BYTES >> 20} MB, too large for questions")
    try:
        table = pq.ParquetFile(io.BytesIO(content))
        number = 0
        for batch in table.iter_batches(batch_size=ROWS):
            for row in batch.to_pylist():
                number += 1
                yield number, {name: value for name, value in row.items() if value is not None}
    except (pa.ArrowException, OSError, ValueError, UnicodeDecodeError) as error:
        raise BrokenFile(file, 0, f"is no parquet file that can be read ({str(error)[:200]})") from error


def write_litsearch_parquet(topics: Iterable[TopicRecord], objects: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield the bytes of a parquet file with `objects` (LitSearch's keys) of the topics.

    Where every docno of all topics is a whole number they stand as such under `corpusids`, else as texts under
    `docnos`: a column has one type.
    """
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
        ]
    )
    if not whole:
        for row, topic in zip(rows, topics, strict=True):
            row["docnos"] = list(topic.targets)
    table = pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema=schema)
    out = io.BytesIO()
    pq.write_table(table, out, compression="snappy")
    yield out.getvalue()
