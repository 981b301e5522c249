"""The base of recipes: their names and texts, a Django form with their options, and how they rank.

The form drives the page, the parameters of the API and the arguments of `make_run`; its cleaned values are stored with
the run, and a hash of them names the recipe.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, cast

from django import forms

from accounts.jobs import Progress
from accounts.models import User
from accounts.refusals import Refused
from corpus.endpoints.endpoints import find_service, service_for
from corpus.models import Collection, Document, ModelPurpose
from corpus.runs.recipes.queries import ALL, BOTH, TEXT, TITLE, Query, pool_of, sources_of, topic_choices
from engines.ranking.order import ScoredList, ranked

Choices = Sequence[tuple[str, str]]
DEEPEST = 10_000
BATCH = 10_000  # documents whose docnos are read at once
COLLECTION, POOLS = "collection", "pools"
SOURCES, NOTHING = "sources", "nothing"


class WordField(forms.ChoiceField):
    """One of some words, the first where none is given."""

    def __init__(self, choices: Choices | Callable[[], Choices], **more: Any) -> None:
        """Choices that depend on what is installed are a function; then `initial` is required."""
        initial = more.pop("initial", None) or ("" if callable(choices) else choices[0][0])
        super().__init__(choices=choices, required=False, initial=initial, **more)

    def validate(self, value: str) -> None:
        if value and not self.valid_value(value):
            known = ", ".join(str(word) for word, _ in cast(Choices, self.choices))
            raise forms.ValidationError(f"“{value}” is none of {known}.", code="invalid_choice")


class RecipeForm(forms.Form):
    """The options of all recipes; a recipe with more subclasses it. A field left empty has its initial value."""

    topics = WordField(topic_choices, initial=ALL, label="Topics", help_text="what a ranking is made for")
    words = WordField(
        [(TEXT, "its text"), (TITLE, "its title"), (BOTH, "title and text")],
        label="Words of a topic",
        help_text="what of a topic is the query; of aspects and sub-queries always the text",
    )
    depth = forms.IntegerField(
        label="Depth", min_value=1, max_value=DEEPEST, initial=1000, required=False, help_text="documents of a ranking"
    )
    among = WordField(
        [(COLLECTION, "the whole collection"), (POOLS, "the topic's pool")],
        label="Search in",
        help_text="which documents may be ranked; in a pool all are",
    )
    leave_out = WordField(
        [(SOURCES, "the documents it was written from"), (NOTHING, "nothing")],
        label="Leave out of a topic's ranking",
        help_text="source papers of queries, and citing papers of citation contexts and of generated questions",
    )

    def __init__(self, *args: Any, collection: Collection, **more: Any) -> None:
        super().__init__(*args, **more)
        self.collection = collection

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        for name, each in self.fields.items():
            if values.get(name) in (None, "", []) and each.initial is not None and name not in self.errors:
                values[name] = each.initial
        return values

    @classmethod
    def options(cls) -> dict[str, forms.Field]:
        """The fields in the order of a form: topics, where to search, the recipe's own, the others of all."""
        first, shared = ("topics", "among"), list(RecipeForm.base_fields)
        own = [name for name in cls.base_fields if name not in shared]
        return {name: cls.base_fields[name] for name in (*first, *own, *(each for each in shared if each not in first))}


Rankings = Iterator[tuple[Query, ScoredList]]


@dataclass
class Task:
    """One run to make: its queries and settings. `counts`, `cost` and `warnings` grow while it is made."""

    collection: Collection
    queries: Sequence[Query]
    values: Mapping[str, Any]
    progress: Progress
    counts: Counter[str] = field(default_factory=Counter)
    cost: Decimal | None = Decimal(0)
    paid: set[str] = field(default_factory=set)  # digests of the answers included in the cost
    warnings: list[str] = field(default_factory=list)  # sentences about the run as a whole

    @property
    def depth(self) -> int:
        return int(self.values["depth"])

    def excluded(self, query: Query) -> frozenset[int]:
        """Ids of documents that this query's ranking leaves out."""
        return self._sources.get(query.topic, frozenset())

    def among(self, query: Query) -> frozenset[int] | None:
        """Ids of the only documents that may be ranked; None: all documents."""
        return pool_of(query.topic) if self.values["among"] == POOLS else None

    def by_ids(self, found: Iterable[tuple[Query, Sequence[int], Sequence[float]]]) -> Rankings:
        """Rankings from (query, document ids, scores); the docnos of many queries are read by one statement."""
        block, documents = [], 0
        for each in found:
            block.append(each)
            documents += len(each[1])
            if documents >= BATCH:
                yield from self._with_docnos(block)
                block, documents = [], 0
        yield from self._with_docnos(block)

    def _with_docnos(self, block: list[tuple[Query, Sequence[int], Sequence[float]]]) -> Rankings:
        documents = Document.objects.filter(pk__in={pk for _, ids, _ in block for pk in ids})
        docnos = dict(documents.values_list("pk", "docno"))
        for query, ids, scores in block:
            pairs = ((docnos[pk], score) for pk, score in zip(ids, scores, strict=True) if pk in docnos)
            yield query, ranked(pairs, self.depth)

    def report(self, done: int, step: str) -> None:
        """Report how many queries are done. Errors: Cancelled."""
        self.progress.report(done, len(self.queries), step)

    def pay(self, digest: str, cost: Decimal | None) -> None:
        """Add the cost of an answer once, however many queries share it; the sum is unknown once a part of it is."""
        if digest in self.paid:
            return
        self.paid.add(digest)
        self.cost = None if cost is None or self.cost is None else self.cost + cost

    @cached_property
    def _sources(self) -> dict[int, frozenset[int]]:
        return sources_of(self.collection, self.queries) if self.values["leave_out"] == SOURCES else {}


@dataclass(frozen=True)
class Recipe:
    """One way to make a run. `name` is stored and used in addresses and on the command line; people read `label`.

    `rank` yields a ranking for each query of a task. `check` refuses where the recipe cannot be followed here. `reads`
    names what it reads in addition to documents and topics, of the STATES in `corpus/runs/making.py`. `keep` is
    called when the run is requested, with who requests it and when, and gives what is stored next to the settings.
    `needs` is what it asks a model for: such recipes have the options `endpoint` and `model`.
    """

    name: str
    label: str
    about: str
    form: type[RecipeForm]
    rank: Callable[[Task], Rankings]
    check: Callable[[Collection, Mapping[str, Any]], None] | None = None
    reads: tuple[str, ...] = ()
    keep: Callable[[Collection, Mapping[str, Any], User | None, datetime], dict[str, Any]] | None = None
    needs: ModelPurpose | None = None

    def values(self, collection: Collection, options: Mapping[str, Any]) -> dict[str, Any]:
        """The settings that these options give, with defaults filled in. Errors: Refused, with all that is wrong."""
        known = self.form.options()
        if unknown := [name for name in options if name not in known]:
            raise Refused(f"{self.label} has no option “{unknown[0]}”. It has {', '.join(known)}.")
        form = self.form(dict(options), collection=collection)
        if not form.is_valid():
            wrong = [
                f"{'' if name == '__all__' else name + ': '}{' '.join(map(str, texts))}"
                for name, texts in form.errors.items()
            ]
            raise Refused(" ".join(wrong))
        return dict(form.cleaned_data)


def name_model(purpose: ModelPurpose, collection: Collection, values: dict[str, Any]) -> None:
    """Fill in the endpoint and the model where they were left open."""
    service = find_service(purpose, collection, values.get("endpoint", ""))
    if service is not None:
        values |= {"endpoint": service.name, "model": values.get("model") or service.endpoint.model}


def check_model(purpose: ModelPurpose, collection: Collection, values: Mapping[str, Any]) -> None:
    """Errors: Refused where the collection may not use the endpoint, or that does not have the model."""
    service_for(purpose, collection, values.get("endpoint", "")).asking(values["model"])


def recipe_hash(name: str, values: Mapping[str, Any]) -> str:
    """A hash of a recipe with all its settings; a model is the same at whichever endpoint it is asked."""
    settings = {option: value for option, value in values.items() if option != "endpoint"}
    return hashlib.sha256(json.dumps([name, settings], sort_keys=True).encode()).hexdigest()
