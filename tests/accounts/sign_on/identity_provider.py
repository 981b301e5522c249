"""An identity provider of a library, in a process of its own: it takes any client and any subject."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.processes import Child, answers, free_port
from tests.waiting import wait_for


@contextmanager
def identity_provider(log: Path) -> Iterator[str]:
    """Its address while it runs."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), "--host", "127.0.0.1"]
    server = Child(command, log, dict(os.environ))
    try:
        wait_for(lambda: answers(f"{address}/.well-known/openid-configuration"), what=f"the provider:\n{server.output}")
        yield address
    finally:
        server.kill()
