"""What recipes that start from runs of the collection share: choosing runs, and reading a query's ranking."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.db.models import Q

from accounts.refusals import Refused
from corpus.models import Collection, Document, RetrievalRun
from corpus.runs.recipes.queries import Query
from corpus.runs.recipes.recipe import Task
from engines.ranking.order import ScoredList

BATCH = 50  # queries whose rankings are in memory at once


class RunField(forms.CharField):
    """The name of a run of the collection."""

    def __init__(self, **more: Any) -> None:
        super().__init__(label="Run", help_text="name of the run to start from", **more)

    def offer(self, names: Sequence[str]) -> None:
        """Offer these runs to choose from, on a page."""
        empty = "choose a run" if names else "no run yet"
        self.widget = forms.Select(choices=[("", empty), *zip(names, names, strict=True)])
        self.help_text = "the run to start from" if names else "There is no first-stage run: make or import one"


class WordsField(forms.CharField):
    """Words separated by spaces or commas, or a list of them."""

    many = True

    def to_python(self, value: Any) -> str:
        parts = value if isinstance(value, list | tuple) else [value or ""]
        return " ".join(word for part in parts for word in str(part).replace(",", " ").split())


class RunsField(WordsField):
    """Names of runs, each once."""

    def to_python(self, value: Any) -> str:
        return " ".join(dict.fromkeys(super().to_python(value).split()))

    def offer(self, names: Sequence[str]) -> None:
        """Offer these runs to choose from, on a page; the chosen ones keep the order of the list."""
        self.widget = forms.CheckboxSelectMultiple(choices=list(zip(names, names, strict=True)))
        if not names:
            self.help_text = "There are no first-stage runs: make or import some"


def run_named(collection: Collection, name: str) -> RetrievalRun:
    """The run of this name. Errors: Refused, with the names of the first runs."""
    run = collection.retrieval_runs.filter(name=name).first()
    if run is None:
        known = list(collection.retrieval_runs.order_by("name").values_list("name", flat=True)[:20])
        raise Refused(f"There is no run {name}. There are: {', '.join(known) or 'none'}.")
    return run


def check_run(collection: Collection, values: Mapping[str, Any]) -> None:
    """Refuse a run that does not exist."""
    run_named(collection, values["run"])


def earlier_rankings(task: Task, name: str) -> Iterator[ScoredList]:
    """The run's ranking of each query of the task, in their order, without the documents that the query leaves out.

    Errors: Refused where there is no such run.
    """
    run = run_named(task.collection, name)
    for at in range(0, len(task.queries), BATCH):
        queries = task.queries[at : at + BATCH]
        stored = _stored_rankings(run, queries)
        for query in queries:
            docnos, scores = stored.get((query.topic, query.sub_query, query.aspect), ([], []))
            excluded = excluded_docnos(task, query, docnos)
            allowed = [pair for pair in zip(docnos, scores, strict=True) if pair[0] not in excluded]
            yield ScoredList([docno for docno, _ in allowed], [score for _, score in allowed])


Part = tuple[int, int | None, int | None]  # topic, sub-query, aspect


def _stored_rankings(run: RetrievalRun, queries: Sequence[Query]) -> dict[Part, tuple[list[str], list[float]]]:
    """The rankings that the run has for these queries; two statements at most."""
    found: dict[Part, tuple[list[str], list[float]]] = {}
    if whole := [query.topic for query in queries if not (query.sub_query or query.aspect)]:
        rankings = run.rankings.filter(topic__in=whole).values_list("topic", "docnos", "scores")
        found |= {(topic, None, None): (docnos, scores) for topic, docnos, scores in rankings}
    if parts := [query for query in queries if query.sub_query or query.aspect]:
        of_sub_queries = Q(sub_query__in=[query.sub_query for query in parts if query.sub_query])
        of_aspects = Q(aspect__in=[query.aspect for query in parts if query.aspect])
        topics = {(query.sub_query, query.aspect): query.topic for query in parts}
        of_parts = run.part_rankings.filter(of_sub_queries | of_aspects)
        for sub_query, aspect, docnos, scores in of_parts.values_list("sub_query", "aspect", "docnos", "scores"):
            found[topics[sub_query, aspect], sub_query, aspect] = docnos, scores
    return found


def excluded_docnos(task: Task, query: Query, docnos: Sequence[str]) -> frozenset[str]:
    """Those docnos that the query's ranking leaves out: its sources, and where a pool is searched all outside it."""
    excluded, among = task.excluded(query), task.among(query)
    if not excluded and among is None:
        return frozenset()
    found = Document.objects.filter(collection=task.collection, docno__in=docnos).values_list("docno", "pk")
    known = dict(found)
    if among is None:
        return frozenset(docno for docno, pk in known.items() if pk in excluded)
    return frozenset(docno for docno in docnos if known.get(docno) not in among or known.get(docno) in excluded)
