"""BM25 as Lucene has it, with Anserini's defaults: the baseline of ACM-CR (Boudin, JCDL 2021)."""

from corpus.runs.recipes.lexical import BM25Form, search_with
from corpus.runs.recipes.recipe import Recipe
from engines.ranking.scorers import BM25 as SCORER

BM25 = Recipe(
    "bm25",
    "BM25 (Lucene)",
    "k1 0.9, b 0.4, Porter's stemmer and Lucene's tokens and stop words, as Anserini and ACM-CR.",
    BM25Form,
    search_with(SCORER),
)
