"""BM25 as rank_bm25 has it, over NLTK's tokens: the baseline of LitSearch (Ajith et al., EMNLP 2024, App. D)."""

from django import forms

from corpus.runs.recipes.lexical import BM25Form, FieldsField, search_with
from corpus.runs.recipes.recipe import Recipe
from engines.ranking.scorers import OKAPI


class OkapiForm(BM25Form):
    """Options of BM25; defaults are rank_bm25's over NLTK's tokens."""

    fields = FieldsField("title abstract")  # type: ignore[assignment] # taken off the class by its metaclass
    tokens = BM25Form.with_initial("tokens", "nltk")
    stemmer = BM25Form.with_initial("stemmer", "nltk")
    k1 = forms.FloatField(label="k1", initial=1.5, min_value=0, max_value=100, required=False)
    b = forms.FloatField(label="b", initial=0.75, min_value=0, max_value=1, required=False)


BM25_OKAPI = Recipe(
    "bm25-okapi",
    "BM25 (Okapi)",
    "rank_bm25's Okapi: k1 1.5, b 0.75, NLTK's tokens, stop words and Porter stemmer, as LitSearch.",
    OkapiForm,
    search_with(OKAPI),
)
