"""All recipes, in the order of the page and of lists. A new one is a module here and a line below.

Other packages declare theirs under the entry points `litmus.recipes`.
"""

from django import forms

from corpus.runs.recipes.bm25 import BM25
from corpus.runs.recipes.bm25_okapi import BM25_OKAPI
from corpus.runs.recipes.dense import DENSE
from corpus.runs.recipes.dense_rerank import DENSE_RERANK
from corpus.runs.recipes.fusion import FUSION
from corpus.runs.recipes.one_hop import ONE_HOP
from corpus.runs.recipes.recipe import Recipe
from corpus.runs.recipes.rerank import RERANK
from corpus.runs.recipes.tfidf import TFIDF
from engines.plugins import Registry

RECIPES: Registry[Recipe] = Registry(
    "litmus.recipes",
    Recipe,
    BM25,
    BM25_OKAPI,
    TFIDF,
    DENSE,
    FUSION,
    RERANK,
    DENSE_RERANK,
    ONE_HOP,
)


def all_options() -> dict[str, forms.Field]:
    """The options of all recipes by name, each as the first recipe has it that knows it."""
    found: dict[str, forms.Field] = {}
    for recipe in RECIPES.values():
        for name, field in recipe.form.options().items():
            found.setdefault(name, field)
    return found
