"""The lines of each kind of file (formats.md 3, 4, 5, 13). External ids only: docnos, topic numbers, names."""

import csv
import json
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import Any

from adjudication.exports import statements
from adjudication.exports.options import Options
from adjudication.exports.streams import pieces, rows, zipped
from annotation.models import AnnotatorKind


def written(options: Options) -> Iterator[bytes]:
    """The file that the options ask for, in pieces. What stands in its way must have been found before."""
    if options.kind.name == "beir":
        return zipped(_beir(options))
    makers = {
        "qrels": qrels,
        "diversity": diversity,
        "aspects": aspects,
        "topics": topics,
        "judgments": judgments,
        "judgments-jsonl": judgment_objects,
        "verdicts": verdicts,
        "documents": documents,
    }
    return pieces(makers[options.kind.name](options))


def grade(total: int, things: int, grades: str) -> int:
    """A document's grade from the sum over the topic's `things`: the sum, mean ≥ 1, or the mean rounded half up."""
    if grades == "binary":
        return int(total >= things)
    return (2 * total + things) // (2 * things) if grades == "mean" else total


def column(name: str) -> str:
    """An annotator's name as a column of qrels: blanks become underscores."""
    return "_".join(name.split())


def qrels(options: Options) -> Iterator[str]:
    """topic, iteration, document, grade. Aspects are topics of their own, numbered `topic.place`."""
    if options.level == "aspect" and options.annotators:
        for number, place, name, docno, value in rows(statements.ASPECT_VALUES_BY_ANNOTATOR, options):
            yield f"{number}.{place} {column(name)} {docno} {value}\n"
    elif options.level == "aspect":
        for number, place, docno, value in rows(statements.ASPECT_VALUES, options):
            yield f"{number}.{place} 0 {docno} {value}\n"
    elif options.annotators:
        for number, name, docno, total, things in rows(statements.QUERY_SUMS_BY_ANNOTATOR, options):
            yield f"{number} {column(name)} {docno} {grade(total, things, options.grades)}\n"
    else:
        for number, docno, total, things in rows(statements.QUERY_SUMS, options):
            yield f"{number} 0 {docno} {grade(total, things, options.grades)}\n"


def diversity(options: Options) -> Iterator[str]:
    """topic, subtopic, document, judgment: each once."""
    for number, place, docno, value in rows(statements.ASPECT_VALUES, options):
        yield f"{number} {place} {docno} {value}\n"


def aspects(options: Options) -> Iterator[str]:
    """What each subtopic number stands for, tab-separated with a header."""
    yield "topic\tsubtopic\ttext\n"
    for number, place, text in rows(statements.ASPECTS, options):
        yield f"{number}\t{place}\t{_one_line(text)}\n"


def topics(options: Options) -> Iterator[str]:
    """Old TREC style, all four fields. Where a topic has no title, its text stands there too."""
    wanted = statements.ASPECT_TOPICS if options.level == "aspect" else statements.TOPICS
    for number, title, text, narrative in rows(wanted, options):
        yield (
            f"<top>\n<num> Number: {number}\n<title> {_one_line(title) or _one_line(text)}\n\n"
            f"<desc> Description:{_field(text)}\n\n<narr> Narrative:{_field(narrative)}\n\n</top>\n\n"
        )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _field(text: str) -> str:
    """Text below its label. A line that began with "<" would be taken for a tag, so it joins the line before it."""
    lines: list[str] = [""]
    for line in text.split("\n"):
        if line.lstrip().startswith("<"):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.rstrip())
    return "\n".join(line for place, line in enumerate(lines) if line or place == 0)


JUDGMENT_COLUMNS = (
    *("annotator", "machine", "model", "run", "topic", "aspect", "docno", "criterion", "value", "reason"),
    *("note", "flagged", "guideline", "at", "active_ms"),
)


def _judgment(row: tuple[Any, ...]) -> dict[str, Any]:
    name, kind, model, run, *rest = row
    machine = kind == AnnotatorKind.MACHINE
    topic, aspect, docno, criterion, value, reason, note, flagged, guideline, at, active = rest
    known = (topic, aspect or "", docno or "", criterion, value, reason, note, flagged, guideline, at.isoformat())
    who = (name, machine, model if machine else "", run if machine else None)
    return dict(zip(JUDGMENT_COLUMNS, (*who, *known, active), strict=True))


def judgments(options: Options) -> Iterator[str]:
    """One row per label with a header; true and false are 1 and 0, so that any reader takes them."""
    yield _csv(JUDGMENT_COLUMNS)
    for row in rows(statements.JUDGMENTS, options):
        found = _judgment(row)
        yield _csv(int(value) if isinstance(value, bool) else value for value in found.values())


def _csv(fields: Iterable[Any]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(fields)
    return line.getvalue()


def judgment_objects(options: Options) -> Iterator[str]:
    for row in rows(statements.JUDGMENTS, options):
        yield _json({name: value for name, value in _judgment(row).items() if value not in (None, "")})


def verdicts(options: Options) -> Iterator[str]:
    """One object per item and criterion, its votes by annotator's name."""
    campaign = options.campaign
    names = dict(campaign.annotators.values_list("pk", "name")) if campaign else {}
    for row in rows(statements.VERDICTS, options):
        topic, aspect, docno, criterion, value, method, votes, ties, fewest, at, comment, cause, reopened = row
        ballots = json.loads(votes) if isinstance(votes, str) else votes
        found = {
            "topic": topic,
            "aspect": aspect or "",
            "docno": docno or "",
            "criterion": criterion,
            "value": value,
            "method": method,
            "policy": {"ties": ties, "min_votes": fewest} if ties else None,
            "votes": {names[annotator]: vote for annotator, vote in ballots},
            "decided_at": at.isoformat() if at else None,
            "comment": comment,
            "cause": cause,
            "reopened": reopened is not None,
        }
        yield _json({name: each for name, each in found.items() if name == "value" or each not in (None, "")})


DOCUMENT_KEYS = ("docno", "title", "abstract", "keywords", "authors", "venue", "year", "doi", "url", "extra")


def documents(options: Options) -> Iterator[str]:
    """One object per document with what is known of it; unknown fields are left out."""
    for row in rows(statements.DOCUMENTS, options):
        found = dict(zip(DOCUMENT_KEYS, row, strict=True))
        if isinstance(found["extra"], str):
            found["extra"] = json.loads(found["extra"])
        yield _json({name: value for name, value in found.items() if value not in (None, "", [], {})})


def _json(thing: dict[str, Any]) -> str:
    return json.dumps(thing, ensure_ascii=False) + "\n"


def _beir(options: Options) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The three members of a BEIR data set; all judgments are its split `test`."""
    yield "corpus.jsonl", pieces(_beir_corpus(options))
    yield "queries.jsonl", pieces(_beir_queries(options))
    yield "qrels/test.tsv", pieces(_beir_qrels(options))


def _beir_corpus(options: Options) -> Iterator[str]:
    for docno, title, abstract, *_ in rows(statements.DOCUMENTS, options):
        yield _json({"_id": docno, "title": title, "text": abstract})


def _beir_queries(options: Options) -> Iterator[str]:
    wanted = statements.ASPECT_TOPICS if options.level == "aspect" else statements.TOPICS
    for number, title, text, _ in rows(wanted, options):
        yield _json({"_id": number, "text": text or title})


def _beir_qrels(options: Options) -> Iterator[str]:
    yield "query-id\tcorpus-id\tscore\n"
    for line in qrels(options):
        topic, _, docno, value = line.split()
        yield f"{topic}\t{docno}\t{value}\n"
