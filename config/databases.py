"""Settings of the database and the caches, for config/settings.py."""

from collections.abc import Mapping
from typing import Any

# What Litmus sets on each connection to any PostgreSQL. JIT would compile for a second what then takes a tenth of one;
# random_page_cost is that of an SSD. `options` of DATABASE_URL come later and win. A pooler takes none: there these are
# settings of the role (docs/operations.md, Behind PgBouncer).
SESSION = {"jit": "off", "work_mem": "16MB", "random_page_cost": "1.1"}


def postgres(parameters: Mapping[str, Any], *, pool: int, has_pooler: bool, prepares: bool) -> dict[str, Any]:
    """A database as Django takes it, with at most `pool` connections.

    `has_pooler`: a pooler gives each transaction another session. `prepares`: the few statements of labelling and of
    sessions are prepared (accounts/prepared_statements.py), no others.
    """
    session = [] if has_pooler else [f"-c {name}={value}" for name, value in SESSION.items()]
    given = parameters.get("OPTIONS", {})
    return {
        **parameters,
        "ENGINE": "django.db.backends.postgresql",
        "OPTIONS": {
            **given,
            "options": " ".join([*session, given.get("options", "")]).strip(),
            "pool": {
                "min_size": 1,
                "max_size": pool,
                "timeout": 10,  # seconds that a request waits for a connection
                "reconnect_timeout": 10,  # then the next request tries: a pool alone pauses longer and longer
            },
            "prepare_threshold": 3 if prepares else None,
        },
        "DISABLE_SERVER_SIDE_CURSORS": has_pooler,  # outside a transaction they need a session
        "CONN_HEALTH_CHECKS": True,  # a restarted PostgreSQL costs no request
    }


def caches(url: str, *, version: str) -> dict[str, Any]:
    """Both caches: `url` is the Redis of the one that may be lost, `version` that of the code."""
    return {
        # Nothing in it may be lost: allauth counts how often somebody tries to sign in, to reset a password, to use a
        # code. Beyond these entries some are thrown away unexpired; config/tasks.py removes the expired.
        "default": {
            "BACKEND": "django.core.cache.backends.db.DatabaseCache",
            "LOCATION": "accounts_limit",
            "OPTIONS": {"MAX_ENTRIES": 1_000_000},
        },
        "volatile": {  # see accounts/caches.py
            "BACKEND": "accounts.caches.VolatileCache",
            "LOCATION": url,
            "KEY_PREFIX": "litmus",
            "VERSION": version,  # another version may not know the classes of what this one has kept
            "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 2},
        },
    }
