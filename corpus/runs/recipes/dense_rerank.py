"""Reranking by vectors: the first documents of a run in the order of their cosines, the second stage in ACM-CR.

Only those documents and the topics are embedded, not the whole collection. Those without text, which no vector stands
for, come after the others in their old order; so does the rest of the run.
"""

from collections.abc import Mapping
from typing import Any

from django import forms

from accounts.sql import execute
from corpus.models import Collection, ModelPurpose
from corpus.runs.recipes.dense import VectorsForm, search_of
from corpus.runs.recipes.earlier import RunField, check_run, earlier_rankings
from corpus.runs.recipes.recipe import Rankings, Recipe, RecipeForm, Task, check_model
from corpus.searching.vectors import DenseSearch
from engines.ranking.order import in_order, ranked

IDS = "SELECT d.docno, d.id FROM corpus_document d WHERE d.collection_id = %s AND d.docno = ANY(%s)"


class FirstForm(RecipeForm):
    """Which documents are put in order."""

    run = RunField()
    top = forms.IntegerField(
        label="Reranked documents", initial=20, min_value=2, max_value=10_000, required=False, help_text="of each topic"
    )


class DenseRerankForm(VectorsForm, FirstForm):
    """Options of reranking by vectors."""


def _check(collection: Collection, values: Mapping[str, Any]) -> None:
    check_model(ModelPurpose.EMBEDDINGS, collection, values)
    check_run(collection, values)


def _rank(task: Task) -> Rankings:
    search, texts = search_of(task)
    run, top = task.values["run"], task.values["top"]
    named = {docno for each in earlier_rankings(task, run) for docno in each.docnos[:top]}
    ids: dict[str, int] = dict(execute(IDS, [task.collection.pk, list(named)]))
    search.prepare(texts, ids.values())
    task.cost = None  # endpoints of embeddings are priced differently
    rankings = earlier_rankings(task, run)
    for done, (query, text, ranking) in enumerate(zip(task.queries, texts, rankings, strict=True)):
        task.report(done, "comparing vectors")
        first, rest = ranking.docnos[:top], ranking.docnos[top:]
        cosines = _cosines(search, text, {ids[docno]: docno for docno in first if docno in ids})
        without = [docno for docno in first if docno not in cosines]
        task.counts["documents without a vector, which come after those that have one"] += len(without)
        yield query, in_order([*ranked(cosines.items()).docnos, *without, *rest], task.depth)


def _cosines(search: DenseSearch, text: str, docnos: Mapping[int, str]) -> dict[str, float]:
    """{docno: cosine} of those of the documents, {id: docno}, that have a vector."""
    found, cosines = search.find(text, len(docnos), frozenset(docnos))
    return {docnos[pk]: cosine for pk, cosine in zip(found, cosines, strict=True)}


DENSE_RERANK = Recipe(
    "dense-rerank",
    "Reranking by vectors",
    "Reorders the first documents of a run by the cosine of their vectors with the topic's, as in ACM-CR's second"
    " stage.",
    DenseRerankForm,
    _rank,
    _check,
    needs=ModelPurpose.EMBEDDINGS,
)
