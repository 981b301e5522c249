"""Forms of pools."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms

from corpus.models import Collection, RetrievalRun, Target
from corpus.models.pools import CANDIDATE_POOL, TARGETS
from corpus.pools.pools import has_topic_pools
from corpus.pools.recipes import MOST, can_search, default_recipe, has_vectors
from corpus.pools.requests import DEEPEST
from corpus.runs.runs import list_runs
from engines.ranking.analysis import STEMMER_WORDS, analysis_of
from engines.ranking.index import Settings
from engines.ranking.recipe import Recipe

DEFAULT = Recipe(dense=0)
NO_SEARCH, USUAL, OWN = "none", "doris-mae", "own"
SEARCHES = [
    (NO_SEARCH, "No search: runs only"),
    (
        USUAL,
        "Standard search (BM25 + TF-IDF, about 80 documents a topic or more)",
    ),
    (OWN, "Standard search with custom settings"),
]
OWN_NOT_CHOSEN = (
    "You changed settings below, which only “Standard search with custom settings” uses. Choose it, or set them back."
)
STEMMERS = [pair for pair in STEMMER_WORDS if pair[0] != "nltk"]


def _number(label: str, initial: int, help_text: str = "", least: int = 0) -> forms.IntegerField:
    return forms.IntegerField(
        label=label, initial=initial, min_value=least, max_value=MOST, help_text=help_text, required=False
    )


def _check(label: str, *, initial: bool = True) -> forms.BooleanField:
    return forms.BooleanField(label=label, initial=initial, required=False)


class BuildForm(forms.Form):
    """Which runs, how deep, and how the collection itself is searched."""

    methods = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple, label="Runs", required=False)
    depth = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=DEEPEST,
        initial=100,
        help_text="How many documents of each ranking. 0 or empty: whole rankings.",
    )
    search = forms.ChoiceField(
        widget=forms.RadioSelect, choices=SEARCHES, label="Search the collection", required=False
    )
    scorers = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        choices=[("bm25", "BM25"), ("tfidf", "TF-IDF")],
        initial=["bm25", "tfidf"],
        label="Retrievers",
        required=False,
    )
    query_depth = _number("Candidates for the whole topic", DEFAULT.query_depth)
    aspect_depth = _number("Candidates for each aspect", DEFAULT.aspect_depth, "0: aspects are not searched.")
    query_take = _number("Taken of each list of the whole topic (A)", DEFAULT.query_take)
    fused_take = _number("Taken of each fused list of the aspects (B)", DEFAULT.fused_take)
    aspect_take = _number("Taken of each aspect's own list (C)", DEFAULT.aspect_take)
    least = _number("Minimum pool size", DEFAULT.least, "A, B and C grow by turns up to it. 0: they do not grow.")
    same_category = _check("Leave out documents that share no category with a source paper of the topic")
    citations = _check("Add candidates that cite a source paper or are cited by one")
    dense = _number("Added by vectors", Recipe().dense)
    exclude_sources = _check("Leave out the source papers themselves")
    k1 = forms.FloatField(label="k1 of BM25", initial=1.5, min_value=0, max_value=10, required=False)
    b = forms.FloatField(label="b of BM25", initial=0.75, min_value=0, max_value=1, required=False)
    stemmer = forms.ChoiceField(
        label="Stemming",
        choices=STEMMERS,
        required=False,
    )
    stop_words = _check("Keep stop words such as “the” and “of”")

    RECIPE = (
        *("scorers", "query_depth", "aspect_depth", "query_take", "fused_take", "aspect_take", "least"),
        *("same_category", "citations", "exclude_sources", "dense"),
    )
    INDEX = ("k1", "b", "stemmer", "stop_words")

    def __init__(self, *args: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [(run.name, _words(run)) for run in list_runs(collection)]
        if targets := Target.objects.filter(topic__collection=collection).count():
            choices.append((TARGETS, f"documents known to answer a topic – {targets:,}"))
        if has_topic_pools(collection):
            choices.append((CANDIDATE_POOL, "pools that came with the topics"))
        self.fields["methods"].choices = choices  # type: ignore[attr-defined]
        self.fields["methods"].initial = [name for name, _ in choices]
        self.fields["search"].initial = NO_SEARCH if choices else USUAL
        self.collection, self.can_search = collection, can_search(collection)
        self.language = collection.language
        usual = analysis_of(collection.language)
        self.fields["stemmer"].initial, self.fields["stop_words"].initial = usual.stemmer, usual.stop_words
        if not has_vectors(collection):
            self.fields["dense"].disabled = True
            self.fields["dense"].initial = 0
            self.fields["dense"].help_text = "No endpoint for embeddings is set up here."

    @property
    def has_choices(self) -> bool:
        return self.has_runs or self.can_search

    @property
    def has_runs(self) -> bool:
        return bool(self.fields["methods"].choices)  # type: ignore[attr-defined]

    @property
    def own_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in (*self.RECIPE, *self.INDEX)]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if self.errors:
            return found
        if not found["methods"] and found["search"] in ("", NO_SEARCH):
            self.add_error("methods", "Choose at least one run, or search the collection.")
        if found["search"] == OWN and not found["scorers"]:
            self.add_error("scorers", "Choose at least one retriever.")
        if found["search"] != OWN and self._has_own_numbers(found):
            self.add_error("search", OWN_NOT_CHOSEN)
        return found

    def _has_own_numbers(self, found: Mapping[str, Any]) -> bool:
        """Whether another value than the usual one was sent. A script may leave all of them out."""
        sent = any(name in self.data for name in (*self.RECIPE, *self.INDEX))
        typed = {field.name for field in self.own_fields if found.get(field.name) is not None}
        return sent and bool(typed.intersection(self.changed_data))

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of `request_pools`; only after the form was found valid."""
        found = self.cleaned_data
        recipe, index = None, None
        if found["search"] == USUAL:
            recipe = default_recipe(self.collection)
        elif found["search"] == OWN:
            recipe, index = own_recipe(found, self.collection), own_index(found, self.language)
        return {"methods": found["methods"], "depth": found["depth"], "recipe": recipe, "index": index}


def own_recipe(values: Mapping[str, Any], collection: Collection) -> Recipe:
    """The usual recipe with those numbers and switches of BuildForm.RECIPE that are given, not None."""
    chosen = {name: values[name] for name in BuildForm.RECIPE if values.get(name) is not None}
    if "scorers" in chosen:
        chosen["scorers"] = tuple(dict.fromkeys(chosen["scorers"]))
    return replace(default_recipe(collection), **chosen)


def own_index(values: Mapping[str, Any], language: str) -> Settings:
    """The usual index of a language with those settings of BuildForm.INDEX that are given, not None."""
    analysis, numbers = (
        {name: values[name] for name in names if values.get(name) not in (None, "")}
        for names in (("stemmer", "stop_words"), ("k1", "b"))
    )
    return Settings(replace(analysis_of(language), **analysis), **numbers)


def _words(run: RetrievalRun) -> str:
    topics: int = run.n_topics  # type: ignore[attr-defined]
    deepest: int = run.deepest  # type: ignore[attr-defined]
    return f"{run.name} – {topics:,} topic{'' if topics == 1 else 's'}, up to {deepest:,} documents each"


class DocnoForm(forms.Form):
    docno = forms.CharField(max_length=300, label="Docno of a document to add")
