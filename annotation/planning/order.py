"""The order in which one annotator, or an open queue, meets its items."""

from __future__ import annotations

import hashlib

import numpy as np

from annotation.planning.problem import Ints


def order_by_aspect(aspect: Ints, rng: np.random.Generator) -> Ints:
    """Indexes of items in the order to judge them: one aspect after another, its abstracts together.

    `aspect` (n,) tells which items share an aspect. Both the aspects and the abstracts of each are shuffled.
    """
    return np.lexsort((rng.permutation(len(aspect)), _shuffled(aspect, rng)))


def order_by_document(topic: Ints, document: Ints, rank: Ints, rng: np.random.Generator) -> Ints:
    """Indexes of items in the order to judge them: topic after topic, one abstract with all its aspects after another.

    Topics are shuffled, and so are the abstracts of each; `rank` (n,) is the aspect's place in its topic's tree,
    which orders the aspects of an abstract.
    """
    return np.lexsort((rank, _shuffled(document, rng), _shuffled(topic, rng)))


def person_seed(seed: int, name: str) -> int:
    """The seed of one person's order: follows from the campaign's seed and the name alone, below 2**56."""
    return int.from_bytes(hashlib.sha256(f"{seed}\x1f{name}".encode()).digest()[:7], "big")


def _shuffled(key: Ints, rng: np.random.Generator) -> Ints:
    """Each key replaced by a random rank, equal keys by the same one."""
    values, of = np.unique(key, return_inverse=True)
    return rng.permutation(len(values))[of]
