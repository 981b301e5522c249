"""Readers of environment variables that fail loudly: a typed value, or a message that names the variable and its range.

Each variable is read in settings.py and nowhere else. `Environment.asked` collects what was asked for: with the
meanings in config/variables.py, docs/configuration.md is made from it.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit
from zoneinfo import available_timezones

from engines.extras import lacking

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off"}
SHORTEST_SECRET = 32  # characters
LARGEST = 2**31 - 1  # whole number
EXAMPLE = "change-me"  # what .env.example says in place of a secret


class BadEnvironment(Exception):
    """A variable has a value that cannot be used; the message names it and says what is allowed."""


class Misfit(BadEnvironment):
    """This version cannot work with the data as they are; says which can, and what to do."""


@dataclass(frozen=True)
class Asked:
    """What a variable may be and what holds without it, as Markdown."""

    values: str
    default: str


class Environment:
    """A view of environment variables that remembers what was asked for."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self.values = os.environ if values is None else values
        self.asked: dict[str, Asked] = {}

    def _raw(self, name: str, values: str, default: str = "") -> str | None:
        self.asked.setdefault(name, Asked(values, f"`{default}`" if default else "none"))
        value = self.values.get(name)
        return value.strip() if value is not None and value.strip() else None

    def text(self, name: str, default: str = "") -> str:
        return self._raw(name, "text", default) or default

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._raw(name, "on or off", "on" if default else "off")
        if value is None:
            return default
        if value.lower() in TRUE:
            return True
        if value.lower() in FALSE:
            return False
        raise BadEnvironment(f"{name}={value!r}: use one of 1, true, yes, on, 0, false, no, off.")

    def number(self, name: str, default: int, minimum: int = 0, maximum: int = LARGEST) -> int:
        most = "or more" if maximum == LARGEST else f"to {maximum}"
        value = self._raw(name, f"{minimum} {most}", str(default))
        if value is None:
            return default
        try:
            number = int(value)
        except ValueError:
            raise BadEnvironment(f"{name}={value!r}: use a whole number.") from None
        if not minimum <= number <= maximum:
            raise BadEnvironment(f"{name}={number}: use a whole number from {minimum} to {maximum}.")
        return number

    def decimal(self, name: str) -> Decimal | None:
        """A number of at least 0 with at most six decimals, or None when unset."""
        value = self._raw(name, "a number such as 0.15")
        if value is None:
            return None
        if not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", value, re.ASCII):
            raise BadEnvironment(f"{name}={value!r}: use a number such as 0.15.")
        return Decimal(value)

    def words(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """Comma-separated words, blanks around them dropped."""
        value = self._raw(name, "words with commas between", ",".join(default))
        return list(default) if value is None else [w.strip() for w in value.split(",") if w.strip()]

    def several(self, name: str, choices: tuple[str, ...]) -> list[str]:
        """Some of the words, with commas between; all of them when unset."""
        value = self._raw(name, _one_or_more([f"`{each}`" for each in choices]), ",".join(choices))
        found = list(choices) if value is None else [word.strip() for word in value.split(",") if word.strip()]
        if unknown := [word for word in found if word not in choices]:
            raise BadEnvironment(f"{name}: there is no {unknown[0]}. Use {_one_or_more(choices)}.")
        return found

    def networks(self, name: str) -> tuple[IPv4Network | IPv6Network, ...]:
        """Networks such as 10.1.0.0/16, or single addresses; none when unset."""
        value = self._raw(name, "addresses or networks such as `127.0.0.1,10.1.0.0/16`, with commas between") or ""
        try:
            return tuple(ip_network(word.strip()) for word in value.split(",") if word.strip())
        except ValueError as error:
            raise BadEnvironment(f"{name}: {error}. Use networks such as 10.1.0.0/16.") from None

    def path(self, name: str, default: Path) -> Path:
        value = self._raw(name, "a path", str(default))
        return default if value is None else Path(value).expanduser().resolve()

    def file(self, name: str) -> Path | None:
        """A file that is there, None when unset. Errors: BadEnvironment where it cannot be read."""
        value = self._raw(name, "the path of a file")
        if value is None:
            return None
        found = Path(value).expanduser().resolve()
        if not (found.is_file() and os.access(found, os.R_OK)):
            raise BadEnvironment(f"{name}={value!r}: there is no such file, or it cannot be read.")
        return found

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        value = self._raw(name, _one_of([f"`{each}`" for each in choices]), default) or default
        if value not in choices:
            raise BadEnvironment(f"{name}={value!r}: use one of {', '.join(choices)}.")
        return value

    def url(self, name: str, schemes: tuple[str, ...]) -> str | None:
        value = self._raw(name, _one_of([f"`{each}://…`" for each in schemes]))
        if value is not None and urlsplit(value).scheme not in schemes:
            raise BadEnvironment(f"{name}: the address must start with one of {', '.join(s + '://' for s in schemes)}.")
        return value

    def site(self, name: str, default: str) -> str:
        """An address of pages, without a slash at its end."""
        value = self.url(name, ("http", "https"))
        if value is not None and not urlsplit(value).hostname:
            raise BadEnvironment(f"{name}: the host is missing (https://litmus.example.org).")
        return (value or default).rstrip("/")

    def time_zone(self, name: str, default: str) -> str:
        value = self._raw(name, "a time zone such as `Europe/Berlin`", default) or default
        if value not in available_timezones():
            raise BadEnvironment(f"{name}={value!r}: use the name of a time zone, such as UTC or Europe/Berlin.")
        return value

    def secret(self, name: str, *, required: bool = False) -> str:
        """A secret long enough to be one, and not one of those printed in an example file; "" when unset.

        `required` is for servers outside: several machines must share one secret, so it has to be given.
        Errors: BadEnvironment, without repeating the value.
        """
        value = self._raw(name, f"at least {SHORTEST_SECRET} characters") or ""
        advice = "Make one: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
        if required and not value:
            raise BadEnvironment(
                f"{name} is not set. With DATABASE_URL it must be given, the same for web and workers. {advice}"
            )
        if EXAMPLE in value:
            raise BadEnvironment(f"{name} is still the public example. {advice}")
        if value and len(value) < SHORTEST_SECRET:
            raise BadEnvironment(f"{name} is too short: use at least {SHORTEST_SECRET} characters. {advice}")
        return value


def _one_of(words: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _one_or_more(words: Sequence[str]) -> str:
    return f"one or more of {', '.join(words)}, with commas between"


def postgres_parameters(url: str) -> dict[str, object]:
    """Django's NAME, USER, PASSWORD, HOST, PORT and OPTIONS from postgres://user:password@host:port/name?sslmode=….

    `?host=/directory` names the directory of a Unix socket; other parameters go to libpq as they are.
    Errors: BadEnvironment without a database name, with a port that is no number, or with no libpq parameters.
    """
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise BadEnvironment("DATABASE_URL: the database name is missing (postgres://user:password@host:5432/name).")
    if EXAMPLE in (parts.password or ""):
        raise BadEnvironment("DATABASE_URL: the password is still the public example. Choose another.")
    return {
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or "") or options.pop("host", ""),
        "PORT": str(_port("DATABASE_URL", url) or ""),
        "OPTIONS": options,
    }


def redis_database(url: str, shift: int) -> str:
    """The address of another database of the same Redis: number of `url` plus `shift`.

    Understands redis://host/3, rediss://… and unix:///socket?db=3. Errors: BadEnvironment for another path.
    """
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    number = query.pop("db", "0") if parts.scheme == "unix" else parts.path.strip("/") or query.pop("db", "0")
    if not number.isdigit():
        raise BadEnvironment("REDIS_URL: the database must be a number (redis://host:6379/0, unix:///socket?db=0).")
    database = str(int(number) + shift)
    if parts.scheme == "unix":  # by hand: urlunsplit writes unix:/path for an empty host
        return f"unix://{parts.netloc}{parts.path}?{urlencode(query | {'db': database})}"
    return urlunsplit(parts._replace(path=f"/{database}", query=urlencode(query)))


def celery_broker(url: str) -> str:
    """The address of Redis as Celery spells it: Unix sockets as redis+socket:///path?virtual_host=0."""
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return url
    query = dict(parse_qsl(parts.query))
    query["virtual_host"] = query.pop("db", "0")
    password = f":{quote(unquote(parts.password))}@" if parts.password else ""
    return f"redis+socket://{password}{parts.path}?{urlencode(query)}"


def bucket_parameters(url: str | None) -> dict[str, str | None]:
    """Options of a storage of https://key:secret@host/bucket/below?region=…; none when unset.

    Without a key, boto3 looks for one in its own places: roles of the machine, AWS_PROFILE and others.
    Errors: BadEnvironment without a host or bucket, with half a key, or without the library; it repeats no secret.
    """
    if url is None:
        return {}
    parts, query = urlsplit(url), dict(parse_qsl(urlsplit(url).query))
    bucket, _, below = unquote(parts.path).strip("/").partition("/")
    if not parts.hostname or not bucket:
        raise BadEnvironment("LITMUS_BUCKET_URL: host or bucket is missing (https://key:secret@host/bucket).")
    if bool(parts.username) != bool(parts.password):
        raise BadEnvironment(
            "LITMUS_BUCKET_URL: give both key and secret, or neither (https://key:secret@host/bucket)."
        )
    if unknown := query.keys() - {"region"}:
        raise BadEnvironment(f"LITMUS_BUCKET_URL: {min(unknown)} is unknown; only region may follow the question mark.")
    if words := lacking("storages"):
        raise BadEnvironment(f"LITMUS_BUCKET_URL: {words}")
    port = _port("LITMUS_BUCKET_URL", url)
    return {
        "endpoint_url": f"{parts.scheme}://{parts.hostname}" + (f":{port}" if port else ""),
        "bucket_name": bucket,
        "location": below,
        "access_key": unquote(parts.username) if parts.username else None,
        "secret_key": unquote(parts.password) if parts.password else None,
        "region_name": query.get("region"),
    }


@dataclass(frozen=True)
class Email:
    """A mail server; without a host, nothing is sent."""

    host: str = ""
    port: int = 25
    user: str = ""
    password: str = ""
    starttls: bool = False
    tls: bool = False


def email_parameters(url: str | None) -> Email:
    """The mail server of smtp://, smtp+tls:// (STARTTLS) or smtps://user:password@host:port."""
    if url is None:
        return Email()
    parts = urlsplit(url)
    if not parts.hostname:
        raise BadEnvironment("LITMUS_EMAIL_URL: the host is missing (smtp+tls://user:password@host:587).")
    return Email(
        host=parts.hostname,
        port=_port("LITMUS_EMAIL_URL", url) or {"smtp": 25, "smtp+tls": 587, "smtps": 465}[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        starttls=parts.scheme == "smtp+tls",
        tls=parts.scheme == "smtps",
    )


def _port(name: str, url: str) -> int | None:
    try:
        return urlsplit(url).port
    except ValueError:
        raise BadEnvironment(f"{name}: the port must be a number from 0 to 65535.") from None


def usable_cores() -> int:
    """Those that this process may use, which in a container or under taskset are fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
