"""The certificates that clients of other services trust."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl

Stamp = tuple[tuple[str, int], ...]


def trusted() -> ssl.SSLContext:
    """What the system trusts (or `SSL_CERT_FILE`), read once for all clients of the process: it takes 40 ms.

    A worker lives for weeks: it reads the file again when somebody has replaced it.
    """
    return _read(_stamp())


def _stamp() -> Stamp:
    """The file and the folder of certificates, each with when it was changed last."""
    import ssl

    paths = ssl.get_default_verify_paths()
    return tuple((path, Path(path).stat().st_mtime_ns) for path in (paths.cafile, paths.capath) if path)


@lru_cache(maxsize=1)
def _read(_: Stamp) -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()
