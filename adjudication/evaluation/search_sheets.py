"""Sheets for search engines: sampled questions, to fill with what an engine found (LitSearch, Table 7)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

import numpy as np

from accounts.refusals import Refused
from adjudication.evaluation.subsets import ORIGINS
from adjudication.questions.question_set import SetQuestion, check_counted, fetch_question_set
from corpus.loading.sources import read_upload
from corpus.models import Collection
from engines.formats.csv_text import read_csv, write_csv
from engines.formats.records import BrokenFile, Problem
from engines.text.words import title_key

COLUMNS = ("topic", "origin", "question", "rank", "docno", "title")
SPECIFIC = 1
QUESTIONS, RESULTS, SEED = 40, 5, 1  # of each origin, lines of each question
MOST_QUESTIONS, MOST_RESULTS = 1000, 100
SHOWN_PROBLEMS = 10


@dataclass(frozen=True)
class FilledSheet:
    """A sheet as rankings: {topic: docnos}. `outside` results are not in the collection and keep their rank;
    `unanswered` questions have no result at all and count as nothing found."""

    rankings: dict[str, list[str]]
    outside: int
    unanswered: int

    def lines(self, tag: str) -> Iterator[str]:
        """The run in TREC's columns."""
        for topic, docnos in self.rankings.items():
            for place, docno in enumerate(docnos, 1):
                yield f"{topic} Q0 {docno} {place} {-place} {tag}\n"


def sample_questions(collection: Collection, questions: int, seed: int) -> list[tuple[str, SetQuestion]]:
    """(origin, question): this number of specific questions of each origin, drawn by the seed from the kept ones.

    All of an origin that has fewer. The same questions give the same sample, whatever their order. Errors: Refused
    where there is none.
    """
    known: dict[str, list[SetQuestion]] = defaultdict(list)
    questions_now = fetch_question_set(collection)
    check_counted(questions_now)
    for each in questions_now.kept:
        origin, _ = ORIGINS.get(each.source, (None, None))
        if origin and each.group == SPECIFIC and each.targets:
            known[origin].append(each)
    if not known:
        raise Refused(
            "The question set has no kept specific question with a target, from an inline citation or an author."
        )
    rng = np.random.default_rng(seed)
    found = []
    for origin in sorted(known):
        rows = sorted(known[origin], key=lambda each: each.number)
        drawn = rng.choice(len(rows), min(questions, len(rows)), replace=False)
        found += [(origin, rows[place]) for place in sorted(drawn.tolist())]
    return found


def sheet_lines(collection: Collection, *, questions: int, results: int, seed: int) -> Iterator[str]:
    """The sheet as CSV, safe to open in a spreadsheet: a line for each result of each question. Errors: Refused."""
    if not (1 <= questions <= MOST_QUESTIONS and 1 <= results <= MOST_RESULTS and seed >= 0):
        raise Refused(
            f"A sheet has 1 to {MOST_QUESTIONS:,} questions of each origin with 1 to {MOST_RESULTS} results, and a "
            "seed of 0 or more."
        )
    drawn = sample_questions(collection, questions, seed)
    rows = ((each.number, origin, each.text, rank, "", "") for origin, each in drawn for rank in range(1, results + 1))
    return write_csv(COLUMNS, rows)


@dataclass(frozen=True)
class _Result:
    """A filled line: what somebody wrote of one result."""

    topic: str
    rank: int
    docno: str
    title: str
    line: int


def read_sheet(collection: Collection, stream: BinaryIO, file: str) -> FilledSheet:
    """What a filled sheet says. A result is a docno, else a title, which is found by its letters and digits.

    Errors: Refused for a sheet that is broken, of other questions, without any result, or has lines that make no
    sense; the first of them are listed.
    """
    topics, results, problems = _lines(stream, file)
    known = set(collection.topics.filter(number__in=topics).values_list("number", flat=True))
    problems += [
        Problem(file, line, f"the collection has no topic {topic}")
        for topic, line in topics.items()
        if topic not in known
    ]
    documents = _find_documents(collection, results)
    ranked: dict[str, dict[int, str]] = {topic: {} for topic in topics}
    for each in results:
        if why := _fault(each, documents[each], ranked[each.topic]):
            problems.append(Problem(file, each.line, why))
        else:
            ranked[each.topic][each.rank] = next(iter(documents[each]), _outside(each.topic, each.rank))
    if problems:
        first = sorted(problems, key=lambda each: each.line)[:SHOWN_PROBLEMS]
        raise Refused(
            "Nothing was read. " + " ".join(f"{each.file}, line {each.line}: {each.reason}." for each in first)
        )
    if not results:
        raise Refused(f"{file} has no result yet. Fill in docnos or titles of what the search engine found.")
    return FilledSheet(
        {topic: _ranking(topic, found) for topic, found in ranked.items()},
        sum(not documents[each] for each in results),
        sum(not found for found in ranked.values()),
    )


def _fault(each: _Result, docnos: Sequence[str], ranked: dict[int, str]) -> str:
    """Why the result cannot be taken, or ""."""
    if len(docnos) > 1:
        return f"{len(docnos)} documents have this title; give the docno of one"
    if each.rank in ranked:
        return f"topic {each.topic} has two results at rank {each.rank}"
    same = [docno for docno in docnos if docno in ranked.values()]
    return f"{same[0]} appears twice for topic {each.topic}" if same else ""


def _ranking(topic: str, found: dict[int, str]) -> list[str]:
    """Every rank from 1 on; one without a result, and the first of a question without any, is a document of none."""
    return [found.get(rank) or _outside(topic, rank) for rank in range(1, max(found, default=1) + 1)]


def _outside(topic: str, rank: int) -> str:
    return f"{topic}:{rank}:not-in-collection"


def _lines(stream: BinaryIO, file: str) -> tuple[dict[str, int], list[_Result], list[Problem]]:
    """({topic: its first line}, what is filled in, problems). Errors: Refused for a broken file."""
    topics: dict[str, int] = {}
    results: list[_Result] = []
    problems: list[Problem] = []
    try:
        for row in read_upload(partial(read_csv, required=("topic", "rank", "docno", "title")), stream, file):
            if isinstance(row, Problem):
                problems.append(row)
                continue
            line, cells = row
            topic, rank, docno, title = (" ".join(cells[name].split()) for name in ("topic", "rank", "docno", "title"))
            topics.setdefault(topic, line)
            if not (docno or title):
                continue
            if not (rank.isascii() and rank.isdigit() and 1 <= int(rank) <= MOST_RESULTS):
                problems.append(Problem(file, line, f"the rank “{rank[:20]}” is no number from 1 to {MOST_RESULTS}"))
            else:
                results.append(_Result(topic, int(rank), docno, title, line))
    except BrokenFile as broken:
        raise Refused(f"{broken}. Nothing was read.") from broken
    return topics, results, problems


def _find_documents(collection: Collection, results: Sequence[_Result]) -> dict[_Result, list[str]]:
    """{result: docnos of the documents that it may be}, found by docno, else by title. One query each."""
    documents = collection.documents
    docnos = set(documents.filter(docno__in={each.docno for each in results}).values_list("docno", flat=True))
    keys = {title_key(each.title) for each in results if not each.docno} - {""}
    by_title: dict[str, list[str]] = defaultdict(list)
    for docno, title in documents.values_list("docno", "title").iterator() if keys else ():
        if (key := title_key(title)) in keys:
            by_title[key].append(docno)
    return {
        each: [each.docno] * (each.docno in docnos) if each.docno else by_title.get(title_key(each.title), [])
        for each in results
    }
