"""The sanity check of citation contexts: BM25 in the setting of ACM-CR (Boudin, JCDL 2021, section 3).

Documents are title, abstract and keywords, citing papers left out; queries the texts of the topics. Figures are means
over topic numbers; where one number has two texts, the later counts and the judgments are merged.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.urls import reverse

from accounts.jobs import Progress
from accounts.models import User
from accounts.refusals import Refused
from adjudication.exporting.forms import CONTEXT_LEVELS
from adjudication.exporting.options import make_options
from adjudication.labels.rules import can_adjudicate, check_adjudicator
from adjudication.models import ContextCheck
from adjudication.papers.contexts import context_topic_records
from adjudication.stats.evaluation import score
from adjudication.stats.measures import parse_measure
from adjudication.stats.rankings import RankedList, canonical_ranking, make_gold, match
from annotation.papers.reads.contexts import context_figures
from corpus.collections.jobs.collection_jobs import CollectionJob
from corpus.formats.records import QrelRow, TopicRecord
from corpus.models import Document, Membership, Paper
from corpus.ranking.analysis import Analysis
from corpus.ranking.index import BM25, Index, Settings
from corpus.searching.jobs.indexes import IndexSpec, open_index

CUT = 10
MEASURES = ("R@10", "nDCG@10")
TIES = 40  # documents looked at beyond the cut, so that those that tie with it can come first

Topics = dict[str, tuple[str, dict[str, int]]]  # {number: (text, {docno: grade})}


class ContextCheckJob(CollectionJob[ContextCheck]):
    """Searching the collection with its citation contexts."""

    model = ContextCheck
    title = "Sanity check of citation contexts"
    cancel_verb = "cancel_context_check"
    tab = "contexts"

    def work(self, job: ContextCheck, progress: Progress) -> None:
        _work(job, progress)

    def may_cancel(self, member: Membership) -> bool:
        return can_adjudicate(member)

    def check_can_cancel(self, job: ContextCheck, by: User | None) -> None:
        check_adjudicator(job.collection, by)

    def page(self, job: ContextCheck) -> str:
        return reverse("context_report", args=[job.collection.slug])


def _work(job: ContextCheck, progress: Progress) -> None:
    if job.results:
        return  # it ended after its results were stored
    progress.report(0, step="gathering the contexts")
    levels = {level: _topics_of(job, level) for level in CONTEXT_LEVELS}
    total = sum(map(len, levels.values()))
    if not total:
        raise Refused("No context cites a document of the collection, so there is nothing to search for.")
    index = open_index(job.collection, progress, index_spec(job.parameters))
    searcher = _Searcher(job, index)
    results, done = {}, 0
    for level, topics in levels.items():
        rankings = {}
        for number, (text, _) in topics.items():
            rankings[number] = searcher.search(text)
            done += 1
            progress.report(done, total, f"searching for {level}s")
        results[level] = figures(topics, rankings)
    with transaction.atomic():
        job.results, job.documents, job.inputs_hash = results, searcher.searched, _digest(levels)
        job.statistics = context_figures(job.collection, drafts=job.parameters["drafts"])
        job.save(update_fields=["results", "documents", "inputs_hash", "statistics"])


def index_spec(parameters: dict[str, Any]) -> IndexSpec:
    """The index that a check with these parameters searches."""
    analysis = Analysis(tokens=parameters["tokens"], stop_words=False, stemmer=parameters["stemmer"])
    return IndexSpec(
        Settings(analysis, k1=parameters["k1"], b=parameters["b"]), fields=("title", "abstract", "keywords")
    )


def figures(topics: Topics, rankings: dict[str, list[str]]) -> dict[str, Any]:
    """Mean recall and nDCG at 10 over all numbers, None where there are none."""
    gold = make_gold({number: grades for number, (_, grades) in topics.items()})
    found = match((RankedList(number, docnos) for number, docnos in rankings.items()), gold)
    scores = score(found, gold, [parse_measure(name) for name in MEASURES])
    recalls, gains = (scores.column(name) for name in MEASURES)
    return {
        "topics": len(topics),
        "judgments": sum(len(grades) for _, grades in topics.values()),
        "recall_10": _mean(recalls),
        "ndcg_10": _mean(gains),
    }


def merged(made: Iterable[tuple[TopicRecord, list[QrelRow]]]) -> Topics:
    """Topics by number: the later text, all judgments."""
    found: Topics = {}
    for topic, rows in made:
        grades = found.get(topic.number, ("", {}))[1] | {row.docno: row.value for row in rows}
        found[topic.number] = (topic.text, grades)
    return found


def _topics_of(job: ContextCheck, level: str) -> Topics:
    return merged(
        context_topic_records(make_options(job.collection, "qrels", level=level, drafts=job.parameters["drafts"]))
    )


class _Searcher:
    """Searches the index; citing papers that are documents as well are passed over."""

    def __init__(self, job: ContextCheck, index: Index) -> None:
        self.index = index
        papers = Paper.objects.filter(collection=job.collection).values("key")
        self.documents = Document.objects.filter(collection=job.collection)
        self.left_out = set(self.documents.filter(docno__in=papers).values_list("pk", flat=True))
        self.searched = len(index) - len(self.left_out)

    def search(self, text: str) -> list[str]:
        """The docnos of the first ten documents; ties by docno falling, as trec_eval has them."""
        hits = self.index.search(BM25, text, CUT + TIES + len(self.left_out))
        found = zip(hits.ids.tolist(), hits.scores.tolist(), strict=True)
        scores = {pk: score for pk, score in found if pk not in self.left_out}
        docnos = dict(self.documents.filter(pk__in=scores).values_list("pk", "docno"))
        return canonical_ranking({docno: scores[pk] for pk, docno in docnos.items()})[:CUT]


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _digest(levels: dict[str, Topics]) -> str:
    hashed = hashlib.sha256()
    for level, topics in levels.items():
        for number, (text, grades) in topics.items():
            hashed.update(repr((level, number, text, sorted(grades.items()))).encode())
    return hashed.hexdigest()
