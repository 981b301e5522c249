"""What settings need to know of the embedded servers: where they will be, and a secret of this installation."""

import os
import secrets
from pathlib import Path

from config.embedded.locks import locked
from config.embedded.places import EmbeddedError, Places, private_directory
from config.embedded.postgres import DATABASE, PORT, ROLE, Postgres
from config.embedded.redis import Redis


def postgres_settings(data_dir: Path) -> dict[str, str]:
    """Django's connection parameters of the embedded PostgreSQL. Starts nothing."""
    socket = Postgres(Places(data_dir)).socket
    return {"NAME": DATABASE, "USER": ROLE, "PASSWORD": "", "HOST": str(socket.parent), "PORT": PORT}


def redis_url(data_dir: Path, database: int = 0) -> str:
    """unix:///…/redis.sock?db=N of the embedded Redis. Starts nothing."""
    return f"unix://{Redis(Places(data_dir)).socket}?db={database}"


def secret_key(data_dir: Path, *, required: bool = False) -> str:
    """The secret of this installation: made at the first call, then read from the data directory (mode 0600).

    `required` is for servers outside: several machines must share one secret, so it has to be given.
    Errors: EmbeddedError.
    """
    if required:
        raise EmbeddedError(
            "LITMUS_SECRET_KEY is not set. With DATABASE_URL it must be given, the same for web and workers. "
            "Make one: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    path = data_dir / "secret-key"
    try:
        return path.read_text().strip()
    except PermissionError:
        raise EmbeddedError(
            f"{path} may not be read by this user. Run Litmus as the user who started it first, or set LITMUS_DATA_DIR "
            "to a directory of your own."
        ) from None
    except (FileNotFoundError, NotADirectoryError):
        private_directory(data_dir)
    with locked(data_dir / "secret-key.lock"):
        if not path.exists():
            fresh = path.with_suffix(".new")
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_urlsafe(50) + "\n")
            fresh.replace(path)
    return path.read_text().strip()
