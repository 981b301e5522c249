"""What is kept in Redis next to the queue, all of which may be lost at any moment: progress, answers to ask again.

While Redis is away, this cache is empty and forgets what it is given. Nothing that must hold is kept in it: sessions
and the limits on guessing (Django's default cache, which allauth uses) are in PostgreSQL.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

import redis
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from django.utils.connection import ConnectionProxy

logger = logging.getLogger(__name__)

VOLATILE = "volatile"
AWAY_SECONDS = 3.0  # after a failure nothing is asked for so long, so that a silent Redis holds up few requests

T = TypeVar("T")


class VolatileClient(RedisCacheClient):
    """Django's client of Redis; an error of Redis is an empty cache."""

    away_until = 0.0

    def attempt(self, ask: Callable[[], T], otherwise: T) -> T:
        """The answer of Redis, or `otherwise` while it is away."""
        if time.monotonic() < self.away_until:
            return otherwise
        try:
            return ask()
        except (redis.RedisError, OSError) as error:
            self.away_until = time.monotonic() + AWAY_SECONDS
            logger.warning("The cache in Redis cannot be used: %s", error)
            return otherwise

    def add(self, key: str, value: Any, timeout: int | None) -> bool:
        return self.attempt(lambda: super(VolatileClient, self).add(key, value, timeout), otherwise=False)

    def get(self, key: str, default: Any) -> Any:
        return self.attempt(lambda: super(VolatileClient, self).get(key, default), default)

    def set(self, key: str, value: Any, timeout: int | None) -> None:
        self.attempt(lambda: super(VolatileClient, self).set(key, value, timeout), None)

    def touch(self, key: str, timeout: int | None) -> bool:
        return self.attempt(lambda: super(VolatileClient, self).touch(key, timeout), otherwise=False)

    def delete(self, key: str) -> bool:
        return self.attempt(lambda: super(VolatileClient, self).delete(key), otherwise=False)

    def get_many(self, keys: Any) -> dict[str, Any]:
        return self.attempt(lambda: super(VolatileClient, self).get_many(keys), {})

    def has_key(self, key: str) -> bool:
        return self.attempt(lambda: super(VolatileClient, self).has_key(key), otherwise=False)

    def set_many(self, data: dict[str, Any], timeout: int | None) -> None:
        self.attempt(lambda: super(VolatileClient, self).set_many(data, timeout), None)

    def delete_many(self, keys: Any) -> None:
        self.attempt(lambda: super(VolatileClient, self).delete_many(keys), None)

    def clear(self) -> bool:
        return self.attempt(lambda: super(VolatileClient, self).clear(), otherwise=False)


class VolatileCache(RedisCache):
    """The cache of this module, for CACHES."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = VolatileClient


volatile = ConnectionProxy(caches, VOLATILE)
