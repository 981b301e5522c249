"""The judged sets of a release as loaders read them: BEIR's files, and parquet in MTEB's layout.

Documents and qrels are read once for all files that hold them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, islice
from typing import Any, TypeVar

from adjudication.exporting.exporter import Options
from adjudication.exporting.registry import EXPORTERS
from adjudication.exporting.streams import pieces, rows
from adjudication.exports.exporters.documents import SEARCHED_TEXTS
from adjudication.releases.folder import Folder, ParquetTable
from adjudication.releases.recipe import JudgedSet, Recipe
from corpus.models import Document
from engines.extras import require
from engines.formats.jsonl_documents import write_beir_texts
from engines.formats.jsonl_topics import write_beir_queries
from engines.formats.qrels import write_beir_qrels
from engines.formats.records import QrelRow

PREFIX = "q-"  # before ids of queries where a document has the same id
AT_ONCE = 1000  # documents or topics

T = TypeVar("T")


def write_judged_sets(recipe: Recipe, folder: Folder) -> None:
    """One corpus; queries, qrels and pools of each judged set. A set without qrels is none."""
    for gold in recipe.judged_sets:
        prefix = _prefix(recipe, gold)
        _write_queries(folder, gold, prefix, judged=_write_qrels(folder, gold, prefix))
    recipe.judged_sets = [gold for gold in recipe.judged_sets if f"data/{gold.name}/qrels.parquet" in folder.entries]
    if recipe.judged_sets:
        _write_corpus(recipe, folder)


def _write_corpus(recipe: Recipe, folder: Folder) -> None:
    first, *others = (f"beir/{gold.name}/corpus.jsonl" for gold in recipe.judged_sets)
    found = rows(SEARCHED_TEXTS, Options(recipe.collection, EXPORTERS["documents"]))
    columns = _schema(_id="string", title="string", text="string")
    about = "Documents: id, title and abstract."
    with (
        folder.opened(first, "Documents as BEIR has them.") as out,
        folder.table("data/corpus/corpus.parquet", columns, about) as table,
    ):
        for some in _batches(found):
            out.write("".join(write_beir_texts(some)).encode())
            table.add(*zip(*some, strict=True))
    for other in others if first in folder.entries else ():
        folder.write_again(first, other)


def _prefix(recipe: Recipe, gold: JudgedSet) -> str:
    """What ids of queries begin with: loaders drop results whose id is the query's own."""
    numbers = {topic.number for topic in gold.topics()}
    same = Document.objects.filter(collection=recipe.collection, docno__in=numbers)
    shared = set(same.values_list("docno", flat=True))
    return PREFIX if shared and any(row.topic in shared for row in gold.qrels()) else ""


def _write_qrels(folder: Folder, gold: JudgedSet, prefix: str) -> set[str]:
    """Qrels in both layouts, and what is ranked again; the numbers of the topics that have any."""
    judged: set[str] = set()
    qrels = _schema(**{"query-id": "string", "corpus-id": "string", "score": "int32"})
    ranked = _schema(**{"query-id": "string", "corpus-ids": "list"})
    about = "The documents of each query that the qrels name, to be ranked again."
    with (
        folder.table(f"data/{gold.name}/qrels.parquet", qrels, gold.about) as scores,
        folder.table(f"data/{gold.name}/top_ranked.parquet", ranked, about) as pools,
    ):
        found = _passed_on(gold, prefix, judged, scores, pools)
        folder.write(f"beir/{gold.name}/qrels/{gold.split}.tsv", pieces(write_beir_qrels(found)), gold.about)
    return judged


def _passed_on(
    gold: JudgedSet, prefix: str, judged: set[str], scores: ParquetTable, pools: ParquetTable
) -> Iterator[QrelRow]:
    """The rows, topic by topic, each topic also put into the tables and among the judged ones."""
    for number, rows_of_topic in groupby(gold.qrels(), key=lambda row: row.topic):
        query = prefix + number
        same = [QrelRow(query, row.iteration, row.docno, row.value) for row in rows_of_topic]
        docnos = [row.docno for row in same]
        judged.add(number)
        scores.add([query] * len(same), docnos, [row.value for row in same])
        pools.add([query], [docnos])
        yield from same


def _write_queries(folder: Folder, gold: JudgedSet, prefix: str, judged: set[str]) -> None:
    """The topics that have qrels: loaders drop others, or fail."""
    topics = (replace(each, number=prefix + each.number) for each in gold.topics() if each.number in judged)
    columns = _schema(_id="string", text="string")
    with (
        folder.opened(f"beir/{gold.name}/queries.jsonl", "Queries as BEIR has them.") as out,
        folder.table(f"data/{gold.name}/queries.parquet", columns, "Queries: id and text.") as table,
    ):
        for some in _batches(topics):
            out.write("".join(write_beir_queries(some)).encode())
            table.add([each.number for each in some], [each.text for each in some])


def _batches(found: Iterable[T]) -> Iterator[list[T]]:
    source = iter(found)
    while some := list(islice(source, AT_ONCE)):
        yield some


def _schema(**columns: str) -> Any:
    require("pyarrow")
    import pyarrow as pa

    types = {"string": pa.string(), "int32": pa.int32(), "list": pa.list_(pa.string())}
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])
