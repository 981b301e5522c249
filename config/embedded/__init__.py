"""Embedded servers: a real PostgreSQL and a real Valkey as child processes, so that Litmus runs without any set-up.

They live in one data directory, listen on Unix sockets only, start when the first process needs them and stop with
the last one. `postgres_settings` and `redis_url` are pure functions of the data directory: settings can say where the
servers will be without starting them. `running` starts them.
"""

from config.embedded.addresses import postgres_settings, redis_url, secret_key
from config.embedded.places import EmbeddedError
from config.embedded.users import SERVERS, restore, running

__all__ = ["SERVERS", "EmbeddedError", "postgres_settings", "redis_url", "restore", "running", "secret_key"]
