"""The identity providers of an installation: a TOML file that its operator writes, with a table for each.

    [university]
    label = "University of Example"
    address = "https://id.example.org/realms/research"   # the issuer; what else it offers is read from there
    client_id = "litmus"
    client_secret = "…"
    trust_email = true            # its email_verified is believed
    domains = ["example.org"]     # who has such an address may make an account by signing in
    anyone = false                # everybody may, and sees nothing until somebody adds them
    groups_claim = "groups"

    [[university.roles]]
    group = "trec-managers"
    collection = "trec-sci"
    role = "manager"

What it says is checked when Litmus starts, so that nobody finds out at the sign-in page.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import urlsplit

NEEDED = frozenset({"label", "address", "client_id", "group", "collection", "role"})
WORDS: dict[Any, str] = {str: "a text", bool: "true or false", list: "a list"}  # of the types of fields
ROLES = ("manager", "adjudicator", "annotator", "viewer")  # of corpus, which this app does not know


class BadProvider(ValueError):
    """The file cannot be used; the message names the provider and the field."""


@dataclass(frozen=True)
class GroupRole:
    """Members of the group have this role in the collection of this short name."""

    group: str
    collection: str
    role: str


@dataclass(frozen=True)
class Provider:
    """One identity provider, as the file describes it."""

    key: str  # in addresses: /accounts/oidc/KEY/login/
    label: str
    address: str
    client_id: str
    client_secret: str = ""
    trust_email: bool = False
    domains: list[str] = field(default_factory=list)
    anyone: bool = False
    groups_claim: str = ""
    roles: list[GroupRole] = field(default_factory=list)

    def vouches_for(self, email: str) -> bool:
        """Whether a verified address of that domain may make an account."""
        return self.anyone or email.rpartition("@")[2].lower() in {each.lower() for each in self.domains}

    @property
    def for_allauth(self) -> dict[str, Any]:
        """An entry of `SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]`."""
        settings = {"server_url": self.address, "oauth_pkce_enabled": True}
        secret = {"client_id": self.client_id, "secret": self.client_secret}
        return {"provider_id": self.key, "name": self.label, "settings": settings, **secret}


def read_providers(text: str) -> dict[str, Provider]:
    """The providers of such a file, by their key, in its order. Errors: BadProvider."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadProvider(f"it is not TOML: {error}") from None
    return {key: _provider(key, table) for key, table in tables.items()}


def _provider(key: str, table: Any) -> Provider:
    if not isinstance(table, dict) or not key.isascii() or not key.replace("-", "").isalnum():
        raise BadProvider(f"[{key}] must be a table whose name has letters, digits and hyphens alone.")
    _check(Provider, table, f"[{key}]")
    roles = [_role(key, each) for each in table.get("roles", [])]
    provider = Provider(key, **table | {"roles": roles})
    parts = urlsplit(provider.address)
    if not (parts.hostname and (parts.scheme == "https" or parts.hostname in {"localhost", "127.0.0.1"})):
        raise BadProvider(f"[{key}] address must start with https:// and name a host.")
    if roles and not provider.groups_claim:
        raise BadProvider(f"[{key}] has roles but no groups_claim, from which the groups are read.")
    if (provider.domains or provider.anyone) and not provider.trust_email:
        raise BadProvider(f"[{key}] needs trust_email = true: an account is made for an address that is believed.")
    return provider


def _role(key: str, table: Any) -> GroupRole:
    if not isinstance(table, dict):
        raise BadProvider(f"[{key}] roles: write each as [[{key}.roles]].")
    _check(GroupRole, table, f"[[{key}.roles]]")
    if table["role"] not in ROLES:
        raise BadProvider(f"[[{key}.roles]] role must be one of {', '.join(ROLES)}.")
    return GroupRole(**table)


def _check(kind: type, table: Mapping[str, Any], where: str) -> None:
    """Errors: BadProvider for fields that are unknown, missing or of another type."""
    known: dict[str, Any] = {
        each.name: each.type if each.type in WORDS else list for each in fields(kind) if each.name != "key"
    }
    if unknown := sorted(table.keys() - known.keys()):
        raise BadProvider(f"{where} has the unknown field {unknown[0]}. Known are {', '.join(known)}.")
    if missing := [name for name in known if name in NEEDED and name not in table]:
        raise BadProvider(f"{where} lacks the field {missing[0]}.")
    for name, value in table.items():
        if not isinstance(value, known[name]):
            raise BadProvider(f"{where} {name} must be {WORDS[known[name]]}.")
