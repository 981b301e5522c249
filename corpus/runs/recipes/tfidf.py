"""TF-IDF by cosine, as in scikit-learn."""

from corpus.runs.recipes.lexical import LexicalForm, search_with
from corpus.runs.recipes.recipe import Recipe
from engines.ranking.scorers import TFIDF as SCORER


class TfidfForm(LexicalForm):
    """Options of TF-IDF: plain words, nothing left out, as in pools."""

    tokens = LexicalForm.with_initial("tokens", "words")
    stemmer = LexicalForm.with_initial("stemmer", "none")
    stop_words = LexicalForm.with_initial("stop_words", "keep")


TFIDF = Recipe(
    "tfidf",
    "TF-IDF",
    "The cosine of term counts times smoothed inverse document frequency, as in scikit-learn.",
    TfidfForm,
    search_with(SCORER),
)
