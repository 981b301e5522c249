"""Dense retrieval: vectors of documents and topics from an embeddings endpoint, compared by cosine.

An instruction may stand before each document and each topic, as LitSearch's App. D has them for its encoders.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms

from corpus.endpoints.fields import EndpointField
from corpus.models import Collection, ModelPurpose
from corpus.runs.recipes.queries import Query
from corpus.runs.recipes.recipe import Rankings, Recipe, RecipeForm, Task, check_model, name_model
from corpus.searching.vectors import DenseSearch


class VectorsForm(RecipeForm):
    """What recipes by vectors are asked."""

    query_instruction = forms.CharField(
        max_length=2_000,
        required=False,
        strip=False,
        label="Instruction before topics",
        help_text="put before the text of each topic, such as “query: ”",
    )
    document_instruction = forms.CharField(
        max_length=2_000,
        required=False,
        strip=False,
        label="Instruction before documents",
        help_text="put before title and abstract of each document",
    )
    endpoint = EndpointField(ModelPurpose.EMBEDDINGS)
    model = forms.CharField(
        max_length=200,
        required=False,
        label="Model",
        help_text="name of the embedding model; without it the first of the endpoint",
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        name_model(ModelPurpose.EMBEDDINGS, self.collection, values)
        return values


def search_of(task: Task) -> tuple[DenseSearch, list[str]]:
    """The search that the options of a task describe, and what it is to find: the texts of its queries."""
    values = task.values
    search = DenseSearch(
        task.collection,
        task.progress,
        endpoint=values.get("endpoint", ""),
        model=values["model"],
        instruction=values["document_instruction"],
    )
    return search, [values["query_instruction"] + query.text for query in task.queries]


def _check(collection: Collection, values: Mapping[str, Any]) -> None:
    check_model(ModelPurpose.EMBEDDINGS, collection, values)


def _rank(task: Task) -> Rankings:
    search, texts = search_of(task)
    search.prepare(texts)
    task.counts["documents without text, which no vector stands for"] += search.without_text()
    task.cost = None  # endpoints of embeddings are priced differently
    yield from task.by_ids(_find(task, search, texts))


def _find(task: Task, search: DenseSearch, texts: list[str]) -> Iterator[tuple[Query, list[int], list[float]]]:
    for done, query in enumerate(task.queries):
        task.report(done, "comparing vectors")
        excluded, among = task.excluded(query), task.among(query)
        ids, scores = search.find(texts[done], task.depth + len(excluded), among)
        allowed = [(pk, score) for pk, score in zip(ids, scores, strict=True) if pk not in excluded]
        yield query, [pk for pk, _ in allowed], [score for _, score in allowed]


DENSE = Recipe(
    "dense",
    "Dense retrieval",
    "Cosine of vectors from an embeddings endpoint that the collection may use.",
    VectorsForm,
    _rank,
    _check,
    needs=ModelPurpose.EMBEDDINGS,
)
