"""API keys: what they look like, and the digest that is stored in their place."""

import hashlib
import secrets

PREFIX = "litmus_"  # so that secret scanners and people recognise one


def new_key() -> str:
    """A fresh key of 256 random bits after the prefix."""
    return PREFIX + secrets.token_urlsafe(32)


def digest_of(key: str) -> str:
    """SHA-256 in hex. No salt is needed: a key is random, so no table of likely keys can exist."""
    return hashlib.sha256(key.encode()).hexdigest()
