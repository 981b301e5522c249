"""Readers of environment variables that fail loudly: a typed value, or a message that names the variable.


Each variable is read exactly once, in settings.py; `names` collects them so that docs/configuration.md can be held complete.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off"}


class BadEnvironment(Exception):
    """A variable has a value that cannot be used; the message names it and says what is allowed."""


class Environment:
    """A view of environment variables that remembers which names were asked for."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self.values = os.environ if values is None else values
        self.names: set[str] = set()

    def _raw(self, name: str) -> str | None:
        self.names.add(name)
        value = self.values.get(name)
        return value.strip() if value is not None and value.strip() else None

    def text(self, name: str, default: str = "") -> str:
        return self._raw(name) or default

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._raw(name)
        if value is None:
            return default
        if value.lower() in TRUE:
            return True
        if value.lower() in FALSE:
            return False
        raise BadEnvironment(f"{name}={value!r}: use one of 1, true, yes, on, 0, false, no, off.")

    def number(self, name: str, default: int, minimum: int = 0, maximum: int = 2**31 - 1) -> int:
        value = self._raw(name)
        if value is None:
            return default
        try:
            number = int(value)
        except ValueError:
            raise BadEnvironment(f"{name}={value!r}: use a whole number.") from None
        if not minimum <= number <= maximum:
            raise BadEnvironment(f"{name}={number}: use a whole number from {minimum} to {maximum}.")
        return number

    def words(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """Comma-separated words, blanks around them dropped."""
        value = self._raw(name)
        return list(default) if value is None else [w.strip() for w in value.split(",") if w.strip()]

    def path(self, name: str, default: Path) -> Path:
        value = self._raw(name)
        return default if value is None else Path(value).expanduser().resolve()

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        value = self._raw(name) or default
        if value not in choices:
            raise BadEnvironment(f"{name}={value!r}: use one of {', '.join(choices)}.")
        return value

    def url(self, name: str, schemes: tuple[str, ...]) -> str | None:
        value = self._raw(name)
        if value is not None and urlsplit(value).scheme not in schemes:
            raise BadEnvironment(f"{name}: the address must start with one of {', '.join(s + '://' for s in schemes)}.")
        return value


def postgres_parameters(url: str) -> dict[str, object]:
    """Django's NAME, USER, PASSWORD, HOST and PORT from postgres://user:password@host:port/name."""
    parts = urlsplit(url)
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise BadEnvironment("DATABASE_URL: the database name is missing (postgres://user:password@host:5432/name).")
    return {
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
    }
