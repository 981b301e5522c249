"""Keys that people type, such as those of models, and nobody else may read: encrypted with this server's secret key."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from django.conf import settings

from accounts.refusals import Refused

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


def sealed(text: str) -> str:
    """The text, encrypted and authenticated; "" stays ""."""
    return _box().encrypt(text.encode()).decode() if text else ""


def unsealed(text: str) -> str:
    """What was sealed here. Errors: Refused where the secret key has changed since, or the text was tampered with."""
    if not text:
        return ""
    box = _box()
    from cryptography.fernet import InvalidToken

    try:
        return box.decrypt(text.encode()).decode()
    except InvalidToken:
        raise Refused("The secret key of this Litmus has changed since the key was typed. Type it again.") from None


def _box() -> MultiFernet:
    from cryptography.fernet import Fernet, MultiFernet  # loaded only where something is sealed

    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = (hashlib.sha256(b"litmus sealed texts:" + key.encode()).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
