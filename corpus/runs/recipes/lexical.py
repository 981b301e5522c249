"""What recipes that compare words share: weighted fields, how texts become terms, searching the index."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, cast

from django import forms

from corpus.runs.recipes.queries import Query
from corpus.runs.recipes.recipe import Rankings, RecipeForm, Task, WordField
from corpus.searching.indexes import FIELDS, IndexSpec, open_index
from corpus.searching.shard_search import IndexQuery, search_all
from engines.ranking.analysis import LUCENE, NLTK, PAIRS, SCRIPTS, STEMMER_WORDS, WORDS, Analysis, analysis_of
from engines.ranking.index import Hits, Settings
from engines.ranking.scorers import EXACT, LUCENE_BYTE
from engines.text.languages import ENGLISH

TOKENS = [
    (LUCENE, "as Lucene's standard tokeniser"),
    (NLTK, "as NLTK's word tokeniser"),
    (WORDS, "runs of letters and digits"),
    (PAIRS, "words of two letters or more"),
    (SCRIPTS, "words of any script; pairs of characters where no spaces stand between words"),
]
DROP, KEEP = "drop", "keep"
MOST_WEIGHT = 100.0


class FieldsField(forms.CharField):
    """Fields of documents, each with its weight after a ^ where that is not 1: "title^2 abstract"."""

    many = True

    def __init__(self, initial: str, **more: Any) -> None:
        about = f"{', '.join(FIELDS)}; a weight other than 1 follows a ^, as in title^2"
        super().__init__(required=False, initial=initial, label="Fields of documents", help_text=about, **more)

    def to_python(self, value: Any) -> str:
        parts = value if isinstance(value, list | tuple) else str(value or self.initial).replace(",", " ").split()
        found: dict[str, float] = {}
        for part in (word for each in parts for word in str(each).replace(",", " ").split()):
            name, _, number = part.partition("^")
            if name not in FIELDS:
                raise forms.ValidationError(f"“{part[:40]}” is no field. There are {', '.join(FIELDS)}.")
            try:
                weight = float(number or 1)
            except ValueError:
                weight = 0.0
            if not 0 < weight <= MOST_WEIGHT:
                raise forms.ValidationError(f"The weight of {name} must be above 0 and at most {MOST_WEIGHT:g}.")
            found[name] = weight
        return " ".join(name if weight == 1 else f"{name}^{weight:g}" for name, weight in found.items())


def fields_of(text: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Names and weights of fields in the text that `FieldsField` gives."""
    parts = [part.partition("^") for part in text.split()]
    return tuple(name for name, _, _ in parts), tuple(float(weight or 1) for _, _, weight in parts)


class LexicalForm(RecipeForm):
    """Options of recipes that compare words."""

    fields = FieldsField("title abstract keywords")  # type: ignore[assignment] # taken off the class by its metaclass
    tokens = WordField(TOKENS, label="Tokens", help_text="how texts are cut into words")
    stemmer = WordField(STEMMER_WORDS, initial="porter", label="Stemmer", help_text="how endings of words are cut off")
    stop_words = WordField(
        [(DROP, "left out"), (KEEP, "kept")],
        label="Stop words",
        help_text="words such as “the”: Lucene's list, with NLTK's tokens NLTK's, in other languages theirs",
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        """In a collection of another language than English, defaults are its tokens and its stemmer."""
        super().__init__(*args, **more)
        if self.collection.language != ENGLISH:
            usual = analysis_of(self.collection.language)
            own = cast(dict[str, forms.Field], self.fields)
            own["tokens"].initial, own["stemmer"].initial = usual.tokens, usual.stemmer

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if self.collection.language != ENGLISH:  # recipes of English say nothing of it, so that their hashes stay
            values["language"] = self.collection.language
        return values

    @classmethod
    def with_initial(cls, field: str, initial: str) -> WordField:
        """A copy of this form's field with another initial value, for a subclass."""
        copied = cast(WordField, deepcopy(cls.base_fields[field]))
        copied.initial = initial
        return copied


class BM25Form(LexicalForm):
    """Options of BM25; defaults are Lucene's as Anserini sets them."""

    k1 = forms.FloatField(
        label="k1",
        initial=0.9,
        min_value=0,
        max_value=100,
        required=False,
        help_text="of BM25: how soon repeats count less",
    )
    b = forms.FloatField(
        label="b", initial=0.4, min_value=0, max_value=1, required=False, help_text="of BM25: how much length counts"
    )
    lengths = WordField(
        [(EXACT, "exact"), (LUCENE_BYTE, "in one byte, as Lucene")],
        label="Document lengths",
        help_text="of BM25: exact, or rounded as in a Lucene index",
    )


def index_spec(values: Any) -> IndexSpec:
    """The index that these settings search."""
    names, weights = fields_of(values["fields"])
    language = values.get("language", ENGLISH)
    analysis = Analysis(values["tokens"], values["stop_words"] == KEEP, values["stemmer"], language)
    numbers = {name: values[name] for name in ("k1", "b", "lengths") if name in values}
    return IndexSpec(Settings(analysis, weights=weights, **numbers), names)


def _index_query(task: Task, query: Query) -> IndexQuery:
    among = task.among(query)
    return IndexQuery(query.text, list(task.excluded(query)), None if among is None else list(among))


def _rankings(task: Task, found: Iterator[Hits]) -> Iterator[tuple[Query, list[int], list[float]]]:
    for done, (query, hits) in enumerate(zip(task.queries, found, strict=True)):
        task.report(done, "searching for each topic")
        yield query, hits.ids.tolist(), hits.scores.tolist()


def search_with(scorer: str) -> Callable[[Task], Rankings]:
    """The `rank` of a recipe that searches the index with this scorer."""

    def rank(task: Task) -> Rankings:
        index = open_index(task.collection, task.progress, index_spec(task.values))
        queries = (_index_query(task, query) for query in task.queries)
        found = search_all(index, scorer, queries, task.depth, task.progress)
        yield from task.by_ids(_rankings(task, found))

    return rank
