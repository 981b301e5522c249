"""Which names a run may have."""

from accounts.refusals import Conflict, Refused
from corpus.models import Collection, PoolSource, RetrievalRun
from corpus.models.pools import RESERVED_METHODS

LONGEST_NAME = 100


def lock_names(collection_id: int) -> None:
    """Lock the names of runs until the transaction ends: imports, makings and deletions wait for each other."""
    Collection.objects.select_for_update(no_key=True).get(pk=collection_id)


def unfit_name(collection_id: int, name: str) -> str:
    """Why no run of the collection can have this name, or ""."""
    if len(name) > LONGEST_NAME:
        return f"…, which has more than {LONGEST_NAME} characters"
    if name in RESERVED_METHODS:
        return ", which Litmus itself uses in pools"
    known = RetrievalRun.objects.filter(collection=collection_id, name=name)
    pooled = PoolSource.objects.filter(entry__topic__collection=collection_id, method=name)
    if not known.exists() and pooled.exists():
        return ", as a list that is in the pools already"
    return ""


def check_new_name(collection: Collection, name: str, recipe_hash: str) -> None:
    """Raise Refused for a name that no run to be made can have, Conflict where another run has it.

    A run that was made here by the same recipe may be made again.
    """
    if not name or any(char.isspace() or not char.isprintable() for char in name):
        raise Refused("A run needs a name without spaces: it is written in the last column of its file.")
    if reason := unfit_name(collection.pk, name):
        raise Refused(f"The run cannot be called {name[:LONGEST_NAME]}{reason}.")
    known = RetrievalRun.objects.filter(collection=collection, name=name).first()
    if known is not None and known.parameters.get("recipe_hash") != recipe_hash:
        raise Conflict(f"There is a run {name} already. Choose another name, or delete that run first.")
