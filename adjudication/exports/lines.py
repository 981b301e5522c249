"""The lines of each kind of file: rows of the database handed to the writers of corpus.formats.

External ids only: docnos, topic numbers, names. Aspects are topics of their own, numbered `topic.place`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from adjudication.exports import questions, statements
from adjudication.exports.commented import Members
from adjudication.exports.contexts import context_pieces
from adjudication.exports.documents import document_records, loaded
from adjudication.exports.doris import doris_pieces
from adjudication.exports.options import Options
from adjudication.exports.streams import pieces, rows
from adjudication.exports.topics import query_blocks, topic_lines
from adjudication.queries.question_set import QuestionSet, fetch_question_set
from annotation.models import AnnotatorKind
from corpus.formats.csv_text import write_csv
from corpus.formats.jsonl import write_objects
from corpus.formats.jsonl_documents import write_beir_corpus, write_jsonl_documents
from corpus.formats.jsonl_topics import write_beir_queries
from corpus.formats.qrels import write_beir_qrels, write_diversity_qrels, write_qrels
from corpus.formats.records import QrelRow, TopicRecord
from corpus.formats.trec_topics import one_line, write_trec_topics
from corpus.formats.zip_stream import zipped


def written(options: Options) -> Iterator[bytes]:
    """The file that the options ask for, in pieces. What stands in its way must have been found before."""
    if options.of_contexts:
        return context_pieces(options)
    if options.kind.questions:
        return _questions(options)
    if options.kind.name == "beir":
        return zipped(_beir(options))
    return pieces(_lines(options))


def members(options: Options) -> Members:
    """The file by its name, or the members of what is an archive anyway."""
    if options.kind.name == "beir":
        return _beir(options)
    if options.kind.name == "question-beir":
        return _question_beir(options, _question_set(options))
    return iter([(options.base_name, written(options))])


def _lines(options: Options) -> Iterator[str]:
    makers: dict[str, Callable[[Options], Iterator[str]]] = {
        "qrels": lambda options: write_qrels(qrel_rows(options)),
        "diversity": lambda options: write_diversity_qrels(_diversity_rows(options)),
        "aspects": _aspects,
        "topics": lambda options: write_trec_topics(_topics(options)),
        "judgments": lambda options: write_csv(JUDGMENT_COLUMNS, _judgments(options)),
        "judgments-jsonl": lambda options: write_objects(map(_judgment_object, _judgments(options))),
        "verdicts": lambda options: write_objects(_verdicts(options)),
        "doris-mae": doris_pieces,
        "topics-jsonl": topic_lines,
        "queries-txt": query_blocks,
        "documents": lambda options: write_jsonl_documents(document_records(options, statements.SEARCHED_DOCUMENTS)),
    }
    return makers[options.kind.name](options)


def _question_set(options: Options) -> QuestionSet:
    return fetch_question_set(options.collection, options.campaign.slug if options.campaign else "")


def _questions(options: Options) -> Iterator[bytes]:
    """A question set; it is small enough to be read whole."""
    found = _question_set(options)
    name = options.kind.name
    if name == "litsearch-parquet":
        return questions.litsearch_parquet(found)
    if name == "question-beir":
        return zipped(_question_beir(options, found))
    makers: dict[str, Callable[[QuestionSet], Iterator[str]]] = {
        "litsearch": questions.litsearch_lines,
        "question-topics": lambda found: write_trec_topics(questions.topic_records(found)),
        "question-qrels": lambda found: write_qrels(questions.qrel_rows(found)),
        "question-statistics": questions.statistics_csv,
        "question-latex": questions.statistics_latex,
    }
    return pieces(makers[name](found))


def _question_beir(options: Options, found: QuestionSet) -> Members:
    return _beir_members(options, questions.topic_records(found), questions.qrel_rows(found))


def _beir_members(options: Options, topics: Iterable[TopicRecord], qrels: Iterable[QrelRow]) -> Members:
    """The three members of a BEIR data set, ids with their prefixes; all judgments are its split `test`."""
    query, document = options.query_prefix, options.document_prefix
    documents = (replace(each, docno=document + each.docno) for each in document_records(options))
    yield "corpus.jsonl", pieces(write_beir_corpus(documents))
    named = (replace(each, number=query + each.number) for each in topics)
    yield "queries.jsonl", pieces(write_beir_queries(named))
    rows = (replace(each, topic=query + each.topic, docno=document + each.docno) for each in qrels)
    yield "qrels/test.tsv", pieces(write_beir_qrels(rows))


def grade(total: int, things: int, grades: str) -> int:
    """A document's grade from the sum over so many `things`: the sum, mean ≥ 1, or the mean rounded half up."""
    if grades == "binary":
        return int(total >= things)
    return (2 * total + things) // (2 * things) if grades == "mean" else total


def column(name: str) -> str:
    """An annotator's name as a column of qrels: blanks become underscores."""
    return "_".join(name.split())


def qrel_rows(options: Options) -> Iterator[QrelRow]:
    """Values of verdicts, or labels with their annotator as iteration, for queries or for aspects."""
    if options.level == "aspect" and options.annotators:
        for number, place, name, docno, value in rows(statements.ASPECT_VALUES_BY_ANNOTATOR, options):
            yield QrelRow(f"{number}.{place}", column(name), docno, value)
    elif options.level == "aspect":
        for number, place, docno, value in rows(statements.ASPECT_VALUES, options):
            yield QrelRow(f"{number}.{place}", "0", docno, value)
    else:
        for number, *who, docno, total, judged, _ in rows(statements.sums_of(options), options):
            iteration = column(who[0]) if who else "0"
            yield QrelRow(number, iteration, docno, grade(total, judged, options.grades))


def _diversity_rows(options: Options) -> Iterator[QrelRow]:
    for number, place, docno, value in rows(statements.ASPECT_VALUES, options):
        yield QrelRow(number, str(place), docno, value)


def _aspects(options: Options) -> Iterator[str]:
    """What each subtopic number stands for, tab-separated with a header."""
    found = ((number, place, one_line(text)) for number, place, text in rows(statements.ASPECTS, options))
    return write_csv(("topic", "subtopic", "text"), found, guarded=False, delimiter="\t")


def _topics(options: Options) -> Iterator[TopicRecord]:
    """Topics, or aspects or sub-queries as topics. Where a topic has no title, its text stands there too."""
    wanted = {"aspect": statements.ASPECT_TOPICS, "sub-query": statements.SUB_TOPICS}
    for number, title, text, narrative in rows(wanted.get(options.level, statements.TOPICS), options):
        yield TopicRecord(number, title or text, text, narrative, "", "", (), (), "", 0)


JUDGMENT_COLUMNS = (
    *("annotator", "topic", "aspect", "docno", "criterion", "value", "machine", "model", "run", "reason"),
    *("note", "flagged", "guideline", "at", "active_ms"),
)


def _judgments(options: Options) -> Iterator[tuple[Any, ...]]:
    """One row of `JUDGMENT_COLUMNS` per label; yes and no are 1 and 0, None is unknown."""
    for name, kind, model, run, topic, aspect, docno, criterion, value, *more in rows(statements.JUDGMENTS, options):
        machine = kind == AnnotatorKind.MACHINE
        reason, note, flagged, guideline, at, active = more
        who = (1, model, run) if machine else (0, None, None)
        what = (name, topic, aspect, docno, criterion, value)
        yield (*what, *who, reason, note, int(flagged), guideline, at.isoformat(), active)


def _judgment_object(row: tuple[Any, ...]) -> dict[str, Any]:
    found = {name: value for name, value in zip(JUDGMENT_COLUMNS, row, strict=True) if value not in (None, "")}
    return found | {"machine": bool(found["machine"]), "flagged": bool(found["flagged"])}


def _verdicts(options: Options) -> Iterator[dict[str, Any]]:
    """One object per item and criterion, with the policy and the votes, by annotator's name."""
    names = dict(options.campaign.annotators.values_list("pk", "name")) if options.campaign else {}
    for row in rows(statements.VERDICTS, options):
        topic, aspect, docno, criterion, value, method, votes, ties, fewest, *more = row
        rules, at, comment, cause, reopened = more
        cast = dict(loaded(votes))
        found = {
            "topic": topic,
            "aspect": aspect,
            "docno": docno,
            "criterion": criterion,
            "value": value,
            "method": method,
            "policy": _policy(ties, fewest, loaded(rules), {pk: names[pk] for pk in cast}) if ties else None,
            "votes": {names[annotator]: vote for annotator, vote in cast.items()},
            "decided_at": at.isoformat() if at else None,
            "comment": comment,
            "cause": cause,
            "reopened": reopened is not None,
        }
        yield {name: each for name, each in found.items() if name == "value" or each not in (None, "")}


def _policy(ties: str, fewest: int, rules: dict[str, Any], voters: dict[int, str]) -> dict[str, Any]:
    """By which rules the votes were counted; with the weights of these voters where votes were weighted."""
    found = {"ties": ties, "min_votes": fewest, "voters": rules.get("voters", "humans")}
    if rules.get("weighted"):
        weights = rules.get("weights", {})
        found["weights"] = {name: weights.get(str(pk)) for pk, name in voters.items()}
    return found


def _beir(options: Options) -> Members:
    return _beir_members(options, _topics(options), qrel_rows(options))
