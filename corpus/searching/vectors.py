"""Vectors of a collection's documents: asked for once, stored at once, searched by cosine.

They are stored in PostgreSQL where it has pgvector and we may use it, else in files below LITMUS_INDEX_DIR. A document
whose text has changed is embedded again; what was embedded is never asked for twice. A document without text is not
found: a vector from the time when it had one stays, but does not count.
"""

import hashlib
from collections.abc import Collection as Several
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import Q
from django.utils import timezone
from numpy.typing import NDArray

from accounts.jobs import Progress
from accounts.refusals import Refused
from accounts.sql import execute
from corpus.endpoints.endpoints import service_for
from corpus.models import Collection, ModelPurpose, PaidAnswer
from corpus.searching.answers import digest_of
from corpus.searching.parts import exclusive
from engines.endpoints.connections import EndpointError
from engines.endpoints.driver import Failure, ask_all
from engines.endpoints.embeddings import Embeddings
from engines.ranking.vectors import VectorFiles

HAS_TEXT = Q(title__regex=r"\S") | Q(abstract__regex=r"\S")
LONGEST = 20_000  # characters of a text that are embedded: models take no more than some thousand tokens
TEXTS = """
SELECT d.id, d.title, d.abstract FROM corpus_document d
WHERE d.collection_id = %(collection)s AND (%(among)s::bigint[] IS NULL OR d.id = ANY(%(among)s)) ORDER BY d.id
"""
# No foreign key: the table is no part of the models, as most databases lack its type. Rows are joined when searched.
TABLE = """
CREATE TABLE IF NOT EXISTS corpus_documentvector (
  document_id bigint NOT NULL, model text NOT NULL, digest bigint NOT NULL, embedding vector NOT NULL,
  PRIMARY KEY (document_id, model))
"""
KNOWN = """
SELECT v.document_id, v.digest FROM corpus_documentvector v JOIN corpus_document d ON d.id = v.document_id
WHERE d.collection_id = %s AND v.model = %s
"""
SIZE = """
SELECT vector_dims(v.embedding) FROM corpus_documentvector v JOIN corpus_document d ON d.id = v.document_id
WHERE d.collection_id = %s AND v.model = %s LIMIT 1
"""
KEEP = """
INSERT INTO corpus_documentvector (document_id, model, digest, embedding)
SELECT document_id, %s, digest, embedding::vector
FROM unnest(%s::bigint[], %s::bigint[], %s::text[]) AS new (document_id, digest, embedding)
ON CONFLICT (document_id, model) DO UPDATE SET digest = excluded.digest, embedding = excluded.embedding
"""
NEAREST = """
SELECT v.document_id, 1 - (v.embedding <=> %(vector)s::vector)
FROM corpus_documentvector v JOIN corpus_document d ON d.id = v.document_id
WHERE d.collection_id = %(collection)s AND v.model = %(model)s AND (d.title ~ '\\S' OR d.abstract ~ '\\S')
  AND (%(among)s::bigint[] IS NULL OR v.document_id = ANY(%(among)s))
ORDER BY v.embedding <=> %(vector)s::vector, v.document_id LIMIT %(depth)s
"""


class PgVectors:
    """Vectors of one collection by one model, in the database by pgvector, searched exactly; methods as VectorFiles."""

    def __init__(self, collection: Collection, model: str) -> None:
        self.collection, self.model = collection, model

    def known(self) -> dict[int, int]:
        return dict(execute(KNOWN, [self.collection.pk, self.model]))

    def size(self) -> int:
        found = execute(SIZE, [self.collection.pk, self.model])
        return int(found[0][0]) if found else 0

    def keep(self, documents: Sequence[int], digests: Sequence[int], vectors: NDArray[np.float32]) -> None:
        texts = [_vector_text(vector) for vector in vectors]
        if (size := self.size()) and size != vectors.shape[1]:
            raise ValueError(f"vectors of {vectors.shape[1]} numbers, where those before have {size}")
        execute(KEEP, [self.model, list(documents), list(digests), texts])

    def nearest(
        self, vector: NDArray[np.float32], depth: int, among: frozenset[int] | None = None
    ) -> tuple[list[int], list[float]]:
        values = {"collection": self.collection.pk, "model": self.model, "vector": _vector_text(vector), "depth": depth}
        rows = execute(NEAREST, {**values, "among": None if among is None else list(among)})
        return [pk for pk, _ in rows], [score for _, score in rows]


class FileVectors(VectorFiles):
    """Vectors of one collection by one model, in files. Documents that have left the collection or have no text are not
    found."""

    def __init__(self, collection: Collection, model: str) -> None:
        super().__init__(Path(settings.INDEX_DIR) / vectors_folder(collection, model))
        self.model = model
        self.documents = frozenset(collection.documents.filter(HAS_TEXT).values_list("pk", flat=True))

    def nearest(
        self, vector: NDArray[np.float32], depth: int, among: frozenset[int] | None = None
    ) -> tuple[list[int], list[float]]:
        return super().nearest(vector, depth, self.documents if among is None else self.documents & among)


def vectors_folder(collection: Collection, model: str) -> str:
    """The folder that belongs to the collection's vectors by this model, wherever they are stored."""
    digest = hashlib.sha256(model.encode()).hexdigest()[:12]
    return f"{collection.pk}-{collection.slug}/vectors-{digest}"


def open_store(collection: Collection, model: str) -> PgVectors | FileVectors:
    """The store that the settings choose: pgvector if it can be had, unless they say files."""
    if settings.VECTOR_STORE != "files" and has_pgvector():
        return PgVectors(collection, model)
    if settings.VECTOR_STORE == "pgvector":
        raise Refused(
            "LITMUS_VECTOR_STORE is pgvector, but this database has no such extension, or Litmus may not use it."
        )
    if settings.BUCKET:  # each machine would pay for files of its own
        raise Refused("Where files are in a bucket, vectors need pgvector (CREATE EXTENSION vector) in the database.")
    return FileVectors(collection, model)


def has_pgvector() -> bool:
    """Whether the table of vectors is there or could be made."""
    with suppress(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('corpus_documentvector') IS NOT NULL")
        if not cursor.fetchone()[0]:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
            cursor.execute(TABLE)
        return True
    return False


class DenseSearch:
    """Finds documents for texts by their vectors; vectors of documents that have none are made first.

    `endpoint` and `model` are names, "" for the collection's first endpoint and its first model. `instruction` stands
    before title and abstract of each document; each instruction has its own vectors. Errors: Refused without an
    endpoint.
    """

    def __init__(
        self,
        collection: Collection,
        progress: Progress,
        *,
        endpoint: str = "",
        model: str = "",
        instruction: str = "",
    ) -> None:
        service = service_for(ModelPurpose.EMBEDDINGS, collection, endpoint)
        self.endpoint, self.pace = service.asking(model), service.pace
        self.collection, self.progress, self.instruction = collection, progress, instruction
        self.store = open_store(
            collection, f"{self.endpoint.model} {instruction}" if instruction else self.endpoint.model
        )
        self.failed: list[str] = []
        self.vectors: dict[str, NDArray[np.float32]] = {}  # of texts that are searched for

    def prepare(self, texts: Sequence[str], among: Several[int] | None = None) -> None:
        """Embed documents that have no vector yet (None: all; else those of these ids), then the texts to search for.

        Errors: Refused, Cancelled.
        """
        vectors = vectors_folder(self.collection, self.store.model)
        waiting = "waiting for the vectors that another job asks for"
        with Embeddings(self.endpoint) as embeddings, exclusive(vectors, waiting):
            try:
                self._embed_documents(embeddings, among)
                self._embed_texts(embeddings, texts)
                self._check_sizes()
            except EndpointError as error:
                raise Refused(f"The embeddings endpoint failed: {error.reason}. What has come is kept.") from error
            except ValueError as error:
                raise Refused(f"The model {self.endpoint.model} has changed: it gives {error}.") from error

    def _check_sizes(self) -> None:
        """Errors: ValueError where vectors of texts cannot be compared with those of documents."""
        size = self.store.size()
        for vector in self.vectors.values():
            if size and len(vector) != size:
                raise ValueError(f"vectors of {len(vector)} numbers, where those before have {size}")

    def find(self, text: str, depth: int, among: frozenset[int] | None = None) -> tuple[list[int], list[float]]:
        """Ids of the documents nearest to a text that was prepared, best first, and their cosines."""
        return self.store.nearest(self.vectors[text], depth, among)

    def without_text(self) -> int:
        """How many documents have no vector, because they have no text."""
        return self.collection.documents.exclude(HAS_TEXT).count()

    def _embed_documents(self, embeddings: Embeddings, among: Several[int] | None) -> None:
        known = self.store.known()
        if among is None:
            total, before = self.collection.documents.count(), len(known)
        else:
            total, before = len(among), sum(pk in known for pk in among)
        done = 0
        batches = _batches(self.collection, known, self.instruction, among)

        def questions() -> Iterator[tuple[tuple[tuple[int, int], ...], list[str]]]:
            nonlocal done
            for batch in batches:
                done += len(batch)
                keys = tuple((pk, digest) for pk, digest, _ in batch)
                yield keys, [text for _, _, text in batch]

        def keep(keys: tuple[tuple[int, int], ...], outcome: NDArray[np.float32] | Failure) -> None:
            if isinstance(outcome, Failure):
                self.failed.append(outcome.reason)
                return
            self.store.keep([pk for pk, _ in keys], [digest for _, digest in keys], outcome)
            self.progress.report(min(total, before + done), total, "embedding documents")

        rng = np.random.default_rng()  # only spreads the pauses of retries
        with closing(batches):  # its cursor must not outlive what goes wrong here
            ask_all(questions(), embeddings.embed, keep, self.pace, rng=rng, check=self.progress.check)
        if self.failed:
            raise Refused(
                f"{len(self.failed):,} batches of documents have no vectors, the first because {self.failed[0]}."
                " What has come is kept: build again to ask for the rest."
            )

    def _embed_texts(self, embeddings: Embeddings, texts: Sequence[str]) -> None:
        """Find or make the vectors of these texts; stored ones are known by a hash of model and text."""
        by_digest = {digest_of("embedding", self.endpoint.model, text[:LONGEST]): text for text in dict.fromkeys(texts)}
        known = PaidAnswer.objects.filter(collection=self.collection, digest__in=by_digest).exclude(vector=None)
        for digest, vector in known.values_list("digest", "vector"):
            self.vectors[by_digest[digest]] = np.frombuffer(bytes(vector or b""), dtype="<f4")
        failed: list[str] = []

        def keep(digests: tuple[str, ...], outcome: NDArray[np.float32] | Failure) -> None:
            if isinstance(outcome, Failure):
                failed.append(outcome.reason)
                return
            now, answers = timezone.now(), []
            for digest, vector in zip(digests, outcome, strict=True):
                self.vectors[by_digest[digest]] = vector
                data = vector.astype("<f4").tobytes()
                answers.append(PaidAnswer(collection=self.collection, digest=digest, vector=data, received_at=now))
            PaidAnswer.objects.bulk_create(answers, ignore_conflicts=True)

        new = [digest for digest, text in by_digest.items() if text not in self.vectors]
        size = settings.EMBEDDINGS_BATCH
        chunks = (tuple(new[at : at + size]) for at in range(0, len(new), size))
        questions = [(chunk, [by_digest[digest][:LONGEST] for digest in chunk]) for chunk in chunks]
        rng = np.random.default_rng()
        ask_all(questions, embeddings.embed, keep, self.pace, rng=rng, check=self.progress.check)
        if failed:
            raise Refused(f"Topics have no vectors, because {failed[0]}. What has come is kept.")


def _batches(
    collection: Collection, known: dict[int, int], instruction: str, among: Several[int] | None
) -> Generator[list[tuple[int, int, str]], None, None]:
    """(document, hash, text) of those whose text has no vector, some at a time; those without any text are left out."""
    batch: list[tuple[int, int, str]] = []
    with closing(connection.chunked_cursor()) as cursor:
        cursor.execute(TEXTS, {"collection": collection.pk, "among": None if among is None else list(among)})
        while rows := cursor.fetchmany(2_000):
            for pk, title, abstract in rows:
                bare = f"{title}\n{abstract}".strip()
                text = (instruction + bare)[:LONGEST]
                digest = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)
                if not bare or known.get(pk) == digest:
                    continue
                batch.append((pk, digest, text))
                if len(batch) == settings.EMBEDDINGS_BATCH:
                    yield batch
                    batch = []
    if batch:
        yield batch


def _vector_text(vector: NDArray[np.float32]) -> str:
    return f"[{','.join(map(repr, vector.tolist()))}]"
