"""Servers of the operator's own (DATABASE_URL, REDIS_URL), asked once before the work begins.

A wrong address is reported in one line at once, not as a time-out of the pool half a minute later.
"""

import psycopg
from django.conf import settings
from django.db import connection

from config.env import BadEnvironment

PATIENCE = 5  # seconds


def check_database() -> None:
    """Errors: BadEnvironment with PostgreSQL's own words, which never hold the password."""
    if settings.DATABASE_URL is None:
        return
    parameters = connection.get_connection_params() | {"connect_timeout": PATIENCE}
    try:
        psycopg.connect(**parameters).close()
    except psycopg.Error as error:
        raise BadEnvironment(f"DATABASE_URL: PostgreSQL cannot be reached there: {str(error).strip()}") from None


def check_redis() -> None:
    """Errors: BadEnvironment with what stands in the way."""
    if settings.OUTSIDE_REDIS_URL is None:
        return
    import redis  # an eighth of what a command takes to start, and most ask no Redis

    client = redis.Redis.from_url(
        settings.OUTSIDE_REDIS_URL, socket_connect_timeout=PATIENCE, socket_timeout=PATIENCE, retry=None
    )
    try:
        client.ping()
    except redis.RedisError as error:
        raise BadEnvironment(f"REDIS_URL: Redis cannot be reached there: {error}") from None
    finally:
        client.close()
