"""Many queries against an index: one shard after the other here, or each shard by any free worker.

A worker puts the hits of its shard on the shelf, and the job merges them with those of the other shards. Every shard
scores by the figures of the whole index, so the scores equal those of a single shard to the last bit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from django.core.files.base import ContentFile

from accounts.files.shelf import shelf
from accounts.jobs import Progress
from corpus.searching.indexes import name_of, opened_index
from corpus.searching.parts import Report, do_together, shared_folder
from engines.ranking.index import Hits, Index, best_hits

BATCH = 1_000  # queries of one order: their hits wait on the shelf


@dataclass(frozen=True)
class IndexQuery:
    """A query: its words, ids of documents to leave out, and ids of the only ones to rank, None for all."""

    text: str
    without: Sequence[int] = ()
    among: Sequence[int] | None = None


@dataclass(frozen=True)
class ShardSearches:
    """Searching each shard of an index for all queries; the hits of each go to the folder `place` of the shelf."""

    index: str
    place: str
    scorer: str
    depth: int
    queries: list[dict[str, Any]]
    n_shards: int
    kind: ClassVar[str] = "search"

    @property
    def sizes(self) -> list[int]:
        return [len(self.queries)] * self.n_shards

    def is_done(self, part: int) -> bool:
        return shelf().exists(self._hits(part))

    def do(self, part: int, report: Report) -> None:
        index = opened_index(self.index, shard=part)  # held until the end, so that nobody removes it
        found = []
        for done, query in enumerate(self.queries):
            report(done)
            text, without, among = query["text"], query["without"], query["among"]
            found.append(index.shards[part].search(self.scorer, text, self.depth, without=without, among=among))
        file = BytesIO()
        np.save(file, np.cumsum([len(hits) for hits in found]))
        np.save(file, np.concatenate([hits.ids for hits in found]))
        np.save(file, np.concatenate([hits.scores for hits in found]))
        shelf().save(self._hits(part), ContentFile(file.getvalue()))

    def _hits(self, part: int) -> str:
        return f"{self.place}/{part}.hits"

    def read(self, part: int) -> Iterator[Hits]:
        """The hits of a shard, query by query."""
        with shelf().open(self._hits(part)) as stored:
            file = BytesIO(stored.read())
        ends, ids, scores = np.load(file), np.load(file), np.load(file)
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            yield Hits(ids[start:end], scores[start:end])


def search_all(
    index: Index, scorer: str, queries: Iterator[IndexQuery], depth: int, progress: Progress
) -> Iterator[Hits]:
    """The best documents for each query, as `Index.search` finds them. Errors: Cancelled from `progress`."""
    if len(index.shards) == 1:
        for query in queries:
            yield index.search(scorer, query.text, depth, without=query.without, among=query.among)
        return
    while block := [asdict(each) for each in islice(queries, BATCH)]:
        with shared_folder() as place:
            work = ShardSearches(name_of(index), place, scorer, depth, block, len(index.shards))
            do_together(work, progress, f"searching {work.n_shards} parts of the index")
            found = [best_hits(hits, depth) for hits in zip(*map(work.read, range(work.n_shards)), strict=True)]
        yield from found  # after the folder is removed, however late the caller takes the last one
