"""The file of identity providers, read when Litmus starts."""

from pathlib import Path

from accounts.sign_on.providers import BadProvider, Provider, read_providers
from config.env import BadEnvironment


def providers(file: Path | None) -> dict[str, Provider]:
    """The providers of the file by their key, none without a file. Errors: BadEnvironment, with what is wrong."""
    try:
        return read_providers(file.read_text(encoding="utf-8")) if file else {}
    except (BadProvider, UnicodeDecodeError) as error:
        raise BadEnvironment(f"LITMUS_SIGN_ON_FILE={str(file)!r}: {error}") from None
