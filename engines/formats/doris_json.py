"""`DORIS-MAE_dataset_v1.json`: queries, abstracts and annotations in one large object (formats.md 1.1).

Read as a stream. Abstracts become documents named by their position; queries become topics named by theirs, with the
tree of aspects and the sentences each comes from; annotations become judgments of a machine annotator, one for each
query that has both the aspect and the abstract. A score of -1 (an answer that could not be parsed) is kept as it
is and must not be counted by importers of the judgments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from engines.formats.doris_queries import KIND
from engines.formats.json_fields import FieldError, take_text, take_texts
from engines.formats.json_stream import Part, read_parts
from engines.formats.judgment_columns import MOST_SAID, SAID
from engines.formats.pool_lists import PoolRow
from engines.formats.records import AspectRecord, BrokenFile, DocumentRecord, JudgmentRow, Problem, TopicRecord
from engines.formats.repeats import SeenIds
from engines.formats.sorts import looks_like

SCORES = (-1, 0, 1, 2)
UNPARSED = -1
MACHINE = "chatgpt"
LABEL = "DORIS-MAE"
CARRIES = {"Corpus": ("documents",), "Query": ("topics", "pool"), "Annotation": ("judgments",)}
KEYS = frozenset({"Query", "Corpus", "Annotation", "aspect_id2aspect", "aspect2aspect_id"})


def read_doris_documents(stream: BinaryIO, file: str) -> Iterator[DocumentRecord | Problem]:
    """Yield the abstracts of `Corpus`; citations become docnos in `extra["citations"]` and `["cited_by"]`."""
    for part in _objects(_parts(stream, file, "Corpus", "documents"), file, "Corpus"):
        if isinstance(part, Problem):
            yield part
            continue
        try:
            yield _document(part, file)
        except FieldError as error:
            yield Problem(file, part.line, f"abstract {part.index}: {error}")


def _parts(stream: BinaryIO, file: str, key: str, label: str) -> Iterator[Part]:
    """The parts of the object. Raises `BrokenFile` where it has no such key, with what it has instead."""
    found: dict[str, None] = {}
    for part in read_parts(stream, file):
        found[part.key] = None
        yield part
    if key not in found:
        carried = [sort for known in found for sort in CARRIES.get(known, ())]
        raise BrokenFile(file, 0, f"holds no {label}: it has no {key}; {looks_like(LABEL, carried)}")


def _objects(parts: Iterator[Part], file: str, key: str) -> Iterator[Part | Problem]:
    """Yield the elements of one array that are objects, a `Problem` for those that are not."""
    for part in parts:
        if part.key != key or part.index is None:
            continue
        reason = part.problem if isinstance(part.value, dict) else "is not an object"
        yield Problem(file, part.line, f"{key} {part.index}: {reason}") if reason else part


def _document(part: Part, file: str) -> DocumentRecord:
    item = dict(part.value)
    if item.pop("abstract_id", part.index) != part.index:
        raise FieldError("abstract_id differs from the position")
    title, abstract = take_text(item, ("title",)), take_text(item, ("original_abstract", "abstract"))
    if not title.strip() and not abstract.strip():
        raise FieldError("has neither a title nor an abstract")
    url = take_text(item, ("url",))
    for written, name in (("outgoing_citations", "citations"), ("incoming_citations", "cited_by")):
        if written in item:
            item[name] = _ids(item.pop(written), written)
    return DocumentRecord(str(part.index), title, abstract, url=url, extra=item, file=file, line=part.line)


def _ids(value: object, name: str) -> list[str]:
    """Return positions as docnos."""
    if not isinstance(value, list) or not all(type(place) is int for place in value):
        raise FieldError(f"{name} is not a list of abstract ids")
    return [str(place) for place in value]


def read_doris_topics(stream: BinaryIO, file: str) -> Iterator[TopicRecord | Problem]:
    """Yield the queries as topics; candidate pool and source papers go to `extra` as docnos."""
    queries = _Queries()
    for part in _parts(stream, file, "Query", "topics"):
        if problem := queries.take(part, file):
            yield problem
    for part in queries.parts:
        try:
            yield _topic(part, queries.texts, file)
        except FieldError as error:
            yield Problem(file, part.line, f"query {part.index}: {error}")


@dataclass(slots=True)
class _Queries:
    """The queries and the texts of their aspects: little, and needed as a whole."""

    texts: dict[str, str] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    def take(self, part: Part, file: str) -> Problem | None:
        """Take in a part that belongs here; return what is wrong with it."""
        if part.key == "aspect_id2aspect" and isinstance(part.value, dict):
            self.texts = {str(key): str(text) for key, text in part.value.items()}
        elif part.key == "Query":
            reason = part.problem if isinstance(part.value, dict) else "is not an object"
            if reason:
                return Problem(file, part.line, f"query {part.index}: {reason}")
            self.parts.append(part)
        return None

    def pools(self) -> dict[str, list[tuple[str, frozenset[int]]]]:
        """Map each aspect id to the (topic number, candidate pool) of the queries that have it."""
        found: dict[str, list[tuple[str, frozenset[int]]]] = {}
        for part in self.parts:
            pool, tree = part.value.get("candidate_pool"), part.value.get("aspects")
            if not isinstance(tree, dict) or not isinstance(pool, list):
                continue
            for aspect_id in dict.fromkeys([*tree, *(child for children in tree.values() for child in children)]):
                found.setdefault(str(aspect_id), []).append((str(part.index), frozenset(pool)))
        return found


def _topic(part: Part, texts: Mapping[str, str], file: str) -> TopicRecord:
    item = dict(part.value)
    text = take_text(item, ("query_text",))
    if not text.strip():
        raise FieldError("has no text")
    tree, sources = item.pop("aspects", None) or {}, item.pop("aspect_id2sent", None) or {}
    known = item.pop("sent2aspect_id", None) or {}
    if not isinstance(tree, dict) or not isinstance(sources, dict) or not isinstance(known, dict):
        raise FieldError("aspects, aspect_id2sent and sent2aspect_id must be objects")
    ties = {aspect_id: take_texts(sources, (aspect_id,), "\n") for aspect_id in tree}
    sentences = _sentences(text, [*known, *(line for lines in ties.values() for line in lines)])
    spoken_in = _spoken_in(known, sentences)
    aspects = tuple(
        AspectRecord(
            _aspect_text(aspect_id, texts),
            tuple(AspectRecord(_aspect_text(child, texts)) for child in children),
            tied := tuple(sentences.index(line) for line in dict.fromkeys(ties[aspect_id]) if line in sentences),
            None if not known or set(tied) == set(spoken_in.get(aspect_id, ())) else spoken_in.get(aspect_id, ()),
        )
        for aspect_id, children in tree.items()
    )
    for name in ("candidate_pool", "idea_from"):
        if name in item:
            item[name] = _ids(item[name], name)
    return TopicRecord(
        str(part.index),
        "",
        text,
        kind=KIND,
        sentences=sentences,
        aspects=aspects,
        file=file,
        line=part.line,
        extra=item,
    )


def _spoken_in(known: Mapping[str, object], sentences: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Map aspect ids to the places of the sentences that `sent2aspect_id` says speak of them."""
    places = {sentence: place for place, sentence in reversed(list(enumerate(sentences)))}
    found: dict[str, tuple[int, ...]] = {}
    for sentence, aspects in known.items():
        if not isinstance(aspects, list):
            raise FieldError("sent2aspect_id has a sentence without a list of aspects")
        if sentence.strip() in places:
            for aspect_id in dict.fromkeys(map(str, aspects)):
                found[aspect_id] = (*found.get(aspect_id, ()), places[sentence.strip()])
    return found


def _aspect_text(aspect_id: object, texts: Mapping[str, str]) -> str:
    text = texts.get(str(aspect_id), "").strip()
    if not text:
        raise FieldError(f"aspect {aspect_id} has no text in aspect_id2aspect")
    return text


def _sentences(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """Cut the text into the known sentences and what stands between them."""
    places = sorted((text.find(sentence), sentence) for sentence in known if sentence.strip() and sentence in text)
    cut: list[str] = []
    at = 0
    for place, sentence in places:
        if place < at:
            continue
        cut += [text[at:place].strip(), sentence.strip()]
        at = place + len(sentence)
    return tuple(piece for piece in (*cut, text[at:].strip()) if piece)


def read_doris_judgments(stream: BinaryIO, file: str, *, annotator: str = "") -> Iterator[JudgmentRow | Problem]:
    """Yield the annotations as judgments of a machine, named "chatgpt" unless `annotator` says otherwise.

    A row that occurs twice is a `Problem`, since it would count twice; so is one that no query asks for. Annotations
    that stand before the queries in the file wait in memory, without the machine's long answers.
    """
    queries = _Queries()
    waiting: list[Part] = []
    rows: _Rows | None = None
    for part in _parts(stream, file, "Annotation", "judgments"):
        queries.take(part, file)
        if part.key != "Annotation" or part.index is None:
            continue
        slim = replace(part, value=_slim(part.value))
        if rows is None and queries.texts and queries.parts:
            rows = _Rows(queries, annotator or MACHINE, file)
        if rows is None:
            waiting.append(slim)
        else:
            yield from rows.of(slim)
    rows = rows or _Rows(queries, annotator or MACHINE, file)
    for part in waiting:
        yield from rows.of(part)


def _slim(value: object) -> object:
    """What is needed of an annotation."""
    if not isinstance(value, dict):
        return None
    return {name: value.get(name) for name in ("aspect_id", "abstract_id", "score", "gpt_response")}


class _Rows:
    """Turns annotations into judgments, once the queries are known."""

    def __init__(self, queries: _Queries, annotator: str, file: str) -> None:
        self.texts = queries.texts
        self.pools = queries.pools()
        self.annotator = annotator
        self.file = file
        self.seen = SeenIds()

    def of(self, part: Part) -> Iterator[JudgmentRow | Problem]:
        """Yield the judgments of one annotation, or what is wrong with it."""
        item = part.value or {}
        aspect, abstract, score = str(item.get("aspect_id")), item.get("abstract_id"), item.get("score")
        topics = [topic for topic, pool in self.pools.get(aspect, ()) if abstract in pool]
        reason = part.problem or self.problem(aspect, abstract, score, topics)
        if reason:
            yield Problem(self.file, part.line, f"annotation {part.index}: {reason}")
            return
        for topic in topics:
            text, value, said = self.texts[aspect].strip(), str(score), str(item.get("gpt_response") or "")
            what = (self.annotator, topic, text, str(abstract), "relevance", value, True)
            yield JudgmentRow(*what, self.file, part.line, {SAID: said[:MOST_SAID]} if said else {})

    def problem(self, aspect: str, abstract: Any, score: Any, topics: list[str]) -> str | None:
        """Return why the annotation cannot be taken, or None and remember it."""
        if isinstance(abstract, bool) or not isinstance(abstract, int):
            return f"abstract_id {abstract!r} is not a whole number"
        if isinstance(score, bool) or score not in SCORES:
            return f"the score {score!r} is none of {', '.join(map(str, SCORES))}"
        if not topics:
            return f"no query has aspect {aspect} and abstract {abstract} in its pool"
        if not self.texts.get(aspect, "").strip():
            return f"aspect {aspect} has no text in aspect_id2aspect"
        if not self.seen.add(f"{aspect} {abstract}"):
            return f"aspect {aspect} and abstract {abstract} are annotated twice; the first one counts"
        return None


def read_doris_pools(stream: BinaryIO, file: str) -> Iterator[PoolRow | Problem]:
    """Yield the candidate pools of `Query`: topics and documents are named by their positions."""
    for part in _parts(stream, file, "Query", "pool list"):
        if part.key != "Query" or part.index is None:
            continue
        pool = part.value.get("candidate_pool", []) if isinstance(part.value, dict) else None
        if not isinstance(pool, list) or not all(type(place) is int and place >= 0 for place in pool):
            yield Problem(file, part.line, f"query {part.index}: candidate_pool is not a list of abstract ids")
            continue
        yield from (PoolRow(str(part.index), str(place), file, part.line) for place in pool)
