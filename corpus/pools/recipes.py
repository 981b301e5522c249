"""The methods by which the pools of a collection can be built, and the recipes of searches."""

from collections.abc import Sequence

from accounts.refusals import Refused
from corpus.endpoints.endpoints import names, service_for
from corpus.models import Collection, ModelPurpose
from corpus.pools.pools import known_methods
from engines.ranking.recipe import Recipe

SEARCHES = ("bm25", "tfidf", "citations", "dense")
MOST = 10_000  # documents of one list of a recipe
DEFAULT_DEPTH = 100  # of a search by name
SPARE = 50  # documents searched for beyond the depth, as source papers are left out
CANDIDATES = 500  # documents of each search that may be neighbours of source papers


def has_vectors(collection: Collection) -> bool:
    """Whether the collection may use an endpoint that makes vectors."""
    return bool(names(ModelPurpose.EMBEDDINGS, collection))


def default_recipe(collection: Collection) -> Recipe:
    """DORIS-MAE's recipe, without vectors where no endpoint makes them."""
    return Recipe() if has_vectors(collection) else Recipe(dense=0)


def query_recipe(searches: Sequence[str], depth: int | None) -> Recipe:
    """The first `depth` documents (None: 100) of these searches for the whole topic, and nothing else."""
    take = depth or DEFAULT_DEPTH
    deep = max(take, CANDIDATES) if "citations" in searches else take + SPARE
    return Recipe(
        scorers=tuple(name for name in ("bm25", "tfidf") if name in searches),
        query_depth=deep,
        aspect_depth=0,
        query_take=take,
        fused_take=0,
        aspect_take=0,
        least=0,
        same_category=False,
        citations="citations" in searches,
        dense=take if "dense" in searches else 0,
    )


def can_search(collection: Collection) -> bool:
    """Whether there are documents to search and topics to search them for."""
    return collection.documents.exists() and collection.topics.exists()


def choose_methods(
    collection: Collection, methods: Sequence[str] | None, recipe: Recipe | None, depth: int | None
) -> tuple[list[str], Recipe | None]:
    """The runs to pool and the recipe of the search; a run has precedence over a search of the same name.

    Errors: Refused for unknown methods, for searches that are impossible here, and where nothing is chosen.
    """
    known = known_methods(collection)
    if methods is None:
        chosen = known if recipe is None else []
        recipe = recipe or (None if known else default_recipe(collection))
    else:
        chosen = list(dict.fromkeys(methods))
    searches = [name for name in chosen if name not in known and name in SEARCHES]
    chosen = [name for name in chosen if name not in searches]
    if unknown := [name for name in chosen if name not in known]:
        raise Refused(f"There is no run {unknown[0]}. Known are: {', '.join(known) or 'none'}.")
    if searches:
        if recipe is not None:
            raise Refused(f"Give either a recipe or {searches[0]}, not both.")
        recipe = query_recipe(searches, depth)
    if not chosen and recipe is None:
        raise Refused("Choose at least one run, or a search.")
    if recipe is not None:
        _check_recipe(collection, recipe, has_runs=bool(known))
    return chosen, recipe


def _check_recipe(collection: Collection, recipe: Recipe, *, has_runs: bool) -> None:
    if not can_search(collection):
        if has_runs:
            raise Refused("There is nothing to search: the collection needs documents and topics.")
        raise Refused("To build pools, first import runs, topics with known target documents, or documents to search.")
    if not recipe.scorers and not recipe.dense:
        raise Refused("A search needs BM25, TF-IDF or vectors.")
    if recipe.dense:
        service_for(ModelPurpose.EMBEDDINGS, collection)
