"""Vectors of texts from an OpenAI-compatible embeddings endpoint. Errors are those of `engines.endpoints.chat`."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engines.endpoints.chat import LONGEST_TIMES, ModelConnection, endpoint_errors
from engines.endpoints.connections import Busy, read_body

Vectors = NDArray[np.float32]
LONGEST_BODY = 256 << 20  # bytes: 2,048 vectors of 4,096 numbers, and more


class Embeddings(ModelConnection):
    """Asks for vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 (in Euclid's norm) for each text, in their order. Errors: Busy, Rejected, Unusable."""
        with (
            endpoint_errors(self.endpoint),
            self.client.embeddings.with_streaming_response.create(
                model=self.endpoint.model, input=list(texts), encoding_format="float"
            ) as response,
        ):
            body = read_body(response.iter_bytes(), LONGEST_BODY, LONGEST_TIMES * self.endpoint.timeout)
        if body is None:
            raise Busy(f"the answer is longer than {LONGEST_BODY >> 20} MB")
        return read_vectors(body, len(texts))


def read_vectors(body: bytes, count: int) -> Vectors:
    """The vectors in a response's body, scaled to length 1. Errors: Busy for what is no list of `count` vectors."""
    try:
        rows = sorted(json.loads(body)["data"], key=lambda row: int(row["index"]))
        found = np.array([row["embedding"] for row in rows], dtype=np.float32)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise Busy("the answer is not a list of embeddings") from None
    if found.ndim != 2 or len(found) != count or not found.shape[1]:
        raise Busy(f"the answer holds {len(found)} embeddings of {count} that were asked for, or not of one length")
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    if not (np.isfinite(found).all() and (lengths > 0).all()):
        raise Busy("the answer holds an embedding without a direction: all zeros, or not a number")
    return np.asarray(found / lengths, dtype=np.float32)
