"""A run as files: TREC's six columns, and its metadata in the form of ir_metadata, apart or as a header."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings

from corpus.models import RetrievalRun
from corpus.runs.recipes.queries import aspect_numbers

START, END = "ir_metadata.start", "ir_metadata.end"
PIECE = 1 << 16  # least number of characters that are sent at a time


def run_lines(run: RetrievalRun, *, header: bool = False) -> Iterator[str]:
    """The lines of the run's file in the order of topics; with `header`, metadata before them, each after a #."""
    if header:
        yield from (f"# {line}\n" if line else "#\n" for line in metadata_lines(run))
    tag = "".join(run.name.split()) or "run"
    for number, docnos, scores in _rankings(run):
        for rank, (docno, score) in enumerate(zip(docnos, scores, strict=True), 1):
            yield f"{number} Q0 {docno} {rank} {score!r} {tag}\n"


def run_pieces(run: RetrievalRun, *, header: bool = False) -> Iterator[bytes]:
    """The run's file as bytes, some lines at a time."""
    lines: list[str] = []
    size = 0
    for line in run_lines(run, header=header):
        lines.append(line)
        size += len(line)
        if size > PIECE:
            yield "".join(lines).encode()
            lines, size = [], 0
    yield "".join(lines).encode()


def metadata_text(run: RetrievalRun) -> str:
    """The metadata as a YAML file."""
    return "".join(f"{line}\n" for line in metadata_lines(run) if line not in (START, END))


def metadata_lines(run: RetrievalRun) -> list[str]:
    """The imported metadata unchanged; of a run made here, how it was made (ir_metadata, schema 0.1)."""
    if imported := run.parameters.get("metadata"):
        return [str(line) for line in imported]
    return [START, *_yaml(_metadata(run)), END]


def _metadata(run: RetrievalRun) -> dict[str, Any]:
    facts = run.parameters
    method: dict[str, Any] = {"automatic": True, "score ties": "docno falling, in bytes"}
    if "recipe" in facts:
        method["retrieval"] = [{"name": facts["recipe"], **facts["settings"]}]
        method["recipe hash"] = facts["recipe_hash"]
    if "prompt" in facts:
        method["prompt"] = facts["prompt"]
    source: dict[str, Any] = {"software": "Litmus", "version": facts.get("code_version", settings.CODE_VERSION)}
    found: dict[str, Any] = {
        "schema-version": 0.1,
        "run-version": 1.0,
        "tag": run.name,
        "research goal": {"description": run.description},
        "implementation": {"source": source},
        "method": method,
        "data": {"test collection": {"name": run.collection.title, "source": run.collection.slug}},
    }
    if "inputs" in facts:
        found["data"]["test collection"] |= {f"{name} hash": value for name, value in facts["inputs"].items()}
        found["implementation"]["seconds"] = facts["seconds"]
        found["implementation"]["cost"] = facts["cost"]
    return found


def _yaml(value: Any, depth: int = 0) -> list[str]:
    """Nested dicts and lists as lines of YAML; scalars as JSON, which is YAML too."""
    blank = "  " * depth
    lines: list[str] = []
    for key, each in value.items():
        if isinstance(each, dict) and each:
            lines += [f"{blank}{key}:", *_yaml(each, depth + 1)]
        elif isinstance(each, Sequence) and not isinstance(each, str) and each and isinstance(each[0], dict):
            lines.append(f"{blank}{key}:")
            for one in each:
                first, *rest = _yaml(one, depth + 2)
                lines += [f"{blank}  - {first.lstrip()}", *rest]
        else:
            lines.append(f"{blank}{key}: {json.dumps(each, ensure_ascii=False)}")
    return lines


def _is_bare(run: RetrievalRun) -> bool:
    """Whether topics are written without the prefixes that distinguish levels of contexts, as in the qrels of a level.

    They are, unless two topics of the run would then have the same number.
    """
    topics = run.rankings.values_list("topic__number", "topic__prefix")
    if not topics.exclude(topic__prefix="").exists():
        return False
    numbers = [number.removeprefix(prefix) for number, prefix in topics]
    return len(set(numbers)) == len(numbers)


def _rankings(run: RetrievalRun) -> Iterator[tuple[str, list[str], list[float]]]:
    """(number, docnos, scores) of whole topics, then of sub-queries, then of aspects, each in the order of topics."""
    bare = _is_bare(run)
    whole = run.rankings.order_by("topic__position", "topic_id")
    found = whole.values_list("topic__number", "topic__prefix", "docnos", "scores")
    for number, prefix, docnos, scores in found.iterator(chunk_size=50):
        yield number.removeprefix(prefix) if bare else number, docnos, scores
    parts = run.part_rankings.exclude(sub_query=None)
    parts = parts.order_by("sub_query__topic__position", "sub_query__topic_id", "sub_query_id")
    yield from parts.values_list("sub_query__number", "docnos", "scores").iterator(chunk_size=50)
    aspects = run.part_rankings.exclude(aspect=None)
    if not aspects.exists():
        return
    ranked = set(aspects.values_list("aspect", flat=True))
    for number, pk in aspect_numbers(run.collection_id):
        if pk in ranked:
            part = aspects.get(aspect=pk)
            yield number, part.docnos, part.scores
