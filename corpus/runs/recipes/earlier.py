"""What recipes share that start from runs of the collection: choosing them, and reading a query's ranking."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from accounts.refusals import Refused
from corpus.models import Collection, Document, RetrievalRun
from corpus.ranking.order import RankedList
from corpus.runs.recipes.queries import Query
from corpus.runs.recipes.recipe import Task


class RunField(forms.CharField):
    """The name of a run of the collection."""

    def __init__(self, **more: Any) -> None:
        super().__init__(label="Run", help_text="name of the run to start from", **more)

    def offer(self, names: Sequence[str]) -> None:
        """On a page: choose from the runs that there are."""
        empty = "choose a run" if names else "no run yet"
        self.widget = forms.Select(choices=[("", empty), *zip(names, names, strict=True)])
        self.help_text = "the run to start from" if names else "There is no run to start from yet: make or import one"


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
        """On a page: choose from the runs that there are; they keep the order of the list."""
        self.widget = forms.CheckboxSelectMultiple(choices=list(zip(names, names, strict=True)))
        if not names:
            self.help_text = "There is no run to start from yet: make or import some"


def run_named(collection: Collection, name: str) -> RetrievalRun:
    """The run of this name. Errors: Refused, with the first that there are."""
    run = collection.retrieval_runs.filter(name=name).first()
    if run is None:
        known = list(collection.retrieval_runs.order_by("name").values_list("name", flat=True)[:20])
        raise Refused(f"There is no run {name}. There are: {', '.join(known) or 'none'}.")
    return run


def check_run(collection: Collection, values: Mapping[str, Any]) -> None:
    """Refuse a run that does not exist."""
    run_named(collection, values["run"])


class EarlierRun:
    """A run as a recipe reads it: the ranking of a query, without the documents that the query leaves out."""

    def __init__(self, task: Task, name: str) -> None:
        self.task, self.run = task, run_named(task.collection, name)

    def __call__(self, query: Query) -> RankedList:
        docnos, scores = self._stored(query) or ([], [])
        out = without(self.task, query, docnos)
        kept = [(docno, score) for docno, score in zip(docnos, scores, strict=True) if docno not in out]
        return RankedList([docno for docno, _ in kept], [score for _, score in kept])

    def _stored(self, query: Query) -> tuple[list[str], list[float]] | None:
        if query.sub_query or query.aspect:
            parts = self.run.part_rankings.filter(sub_query=query.sub_query, aspect=query.aspect)
            return parts.values_list("docnos", "scores").first()
        return self.run.rankings.filter(topic=query.topic).values_list("docnos", "scores").first()


def without(task: Task, query: Query, docnos: Sequence[str]) -> frozenset[str]:
    """Which of these docnos the query's ranking leaves out: its sources, and outside a pool that is searched alone."""
    excluded, among = task.excluded(query), task.among(query)
    if not excluded and among is None:
        return frozenset()
    found = Document.objects.filter(collection=task.collection, docno__in=docnos).values_list("docno", "pk")
    known = dict(found)
    if among is None:
        return frozenset(docno for docno, pk in known.items() if pk in excluded)
    return frozenset(docno for docno in docnos if known.get(docno) not in among or known.get(docno) in excluded)
