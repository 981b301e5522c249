"""Many queries against an index: one shard after the other here, or each shard by whichever worker is free.

What a worker finds in its shard lies in a file until the job merges it with the other shards' hits; as every shard
scores by the figures of the whole index, that gives to the last bit what one shard gives.
"""

import tempfile
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from accounts.jobs import Progress
from corpus.ranking.index import Hits, Index, best_hits
from corpus.searching.jobs.indexes import opened_index
from corpus.searching.jobs.parts import Tell, do_together, shared_folder

TOGETHER = 1_000  # queries of one order: their hits wait on the disk


@dataclass(frozen=True)
class Asked:
    """A query: its words, ids of documents to leave out, and ids of the only ones to rank, None for all."""

    text: str
    without: Sequence[int] = ()
    among: Sequence[int] | None = None


@dataclass(frozen=True)
class ShardSearches:
    """Searching each shard of an index for all queries; `place` takes the hits of each."""

    index: str
    place: str
    scorer: str
    depth: int
    asked: list[dict[str, Any]]
    n_shards: int
    kind: ClassVar[str] = "search"

    @property
    def sizes(self) -> list[int]:
        return [len(self.asked)] * self.n_shards

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def is_done(self, part: int) -> bool:
        return self.hits(part).exists()

    def do(self, part: int, tell: Tell) -> None:
        index = opened_index(Path(self.index))  # held until the end, so that nobody removes it
        found = []
        for done, query in enumerate(self.asked):
            tell(done)
            shard = index.shards[part]
            text, without, among = query["text"], query["without"], query["among"]
            found.append(shard.search(self.scorer, text, self.depth, without=without, among=among))
        ends = np.cumsum([len(hits) for hits in found])
        written = self.hits(part).with_suffix(f".{uuid.uuid4().hex}")
        with written.open("wb") as file:
            np.save(file, ends)
            np.save(file, np.concatenate([hits.ids for hits in found]))
            np.save(file, np.concatenate([hits.scores for hits in found]))
        written.replace(self.hits(part))

    def hits(self, part: int) -> Path:
        """The file of a shard's hits."""
        return Path(self.place) / f"{part}.hits"

    def read(self, part: int) -> Iterator[Hits]:
        """The hits of a shard, query by query."""
        with self.hits(part).open("rb") as file:
            ends, ids, scores = np.load(file), np.load(file), np.load(file)
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            yield Hits(ids[start:end], scores[start:end])


def search_all(index: Index, scorer: str, asked: Iterator[Asked], depth: int, progress: Progress) -> Iterator[Hits]:
    """The best documents for each query, as `Index.search` finds them. Errors: Cancelled from `progress`."""
    if len(index.shards) == 1:
        for query in asked:
            yield index.search(scorer, query.text, depth, without=query.without, among=query.among)
        return
    shared_folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    while block := [asdict(each) for each in islice(asked, TOGETHER)]:
        with tempfile.TemporaryDirectory(prefix="hits-", dir=shared_folder()) as place:
            work = ShardSearches(str(index.directory), place, scorer, depth, block, len(index.shards))
            do_together(work, progress, f"searching {work.n_shards} parts of the index")
            found = [best_hits(hits, depth) for hits in zip(*map(work.read, range(work.n_shards)), strict=True)]
        yield from found  # when nothing lies on the disk any longer, however late the last one is asked for
