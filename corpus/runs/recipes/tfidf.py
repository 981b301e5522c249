"""TF-IDF by cosine, as scikit-learn has it."""

from corpus.ranking.index import TFIDF as SCORER
from corpus.runs.recipes.lexical import STOP_WORDS, TOKENS, LexicalForm, search_with
from corpus.runs.recipes.recipe import Recipe, WordField


class TfidfForm(LexicalForm):
    """Options of TF-IDF: plain words, nothing left out, as in pools."""

    tokens = WordField(TOKENS, initial="words", label="Tokens", help_text=LexicalForm.base_fields["tokens"].help_text)
    stemmer = WordField(
        LexicalForm.base_fields["stemmer"].choices,  # type: ignore[attr-defined]
        initial="none",
        label="Stemmer",
        help_text=LexicalForm.base_fields["stemmer"].help_text,
    )
    stop_words = WordField(
        STOP_WORDS, initial="keep", label="Stop words", help_text=LexicalForm.base_fields["stop_words"].help_text
    )


TFIDF = Recipe(
    "tfidf",
    "TF-IDF",
    "The cosine of term counts times smoothed inverse document frequency, as scikit-learn has it.",
    TfidfForm,
    search_with(SCORER),
)
