"""What is kept in Redis next to the queue, all of which may be lost at any moment: progress, answers to ask again.

While Redis is away, this cache is empty and forgets what it is given. Nothing that must hold is kept in it: sessions
and the limits on guessing (Django's default cache, which allauth uses) are in PostgreSQL.
"""

import logging
import time
from collections.abc import Callable
from pickle import UnpicklingError  # noqa: TID251 - its error alone
from typing import Any, TypeVar

from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from django.utils.connection import ConnectionProxy
from django.utils.functional import cached_property

logger = logging.getLogger(__name__)

VOLATILE = "volatile"
# What other code of this version has kept, whose classes have since moved or changed.
UNREADABLE = (ImportError, AttributeError, TypeError, UnpicklingError)
AWAY_SECONDS = 3.0  # after a failure nothing is asked for so long, so that a silent Redis holds up few requests

T = TypeVar("T")


class VolatileClient(RedisCacheClient):
    """Django's client of Redis; an error of Redis is an empty cache."""

    away_until = 0.0

    @cached_property
    def client(self) -> Any:
        return super().get_client()

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:  # noqa: ARG002 - Django's signature
        """One client for all questions: making one takes longer than a nearby Redis takes to answer.

        There is one server, and the client's pool of connections knows of threads, forks and lost connections.
        """
        return self.client

    def attempt(self, ask: Callable[..., T], arguments: tuple[Any, ...], otherwise: T) -> T:
        """The answer of Redis, or `otherwise` while it is away."""
        if time.monotonic() < self.away_until:
            return otherwise
        from redis import RedisError  # loaded with the first use of the cache, not at every start

        try:
            return ask(*arguments)
        except (RedisError, OSError) as error:
            self.away_until = time.monotonic() + AWAY_SECONDS
            logger.warning("The cache in Redis cannot be used: %s", error)
            return otherwise

    def read(self, ask: Callable[..., T], arguments: tuple[Any, ...], otherwise: T) -> T:
        """The value that Redis holds; `otherwise` while it is away, and for a value written by former code."""
        try:
            return self.attempt(ask, arguments, otherwise)
        except UNREADABLE as error:
            logger.info("A value in Redis cannot be read: %s", error)
            return otherwise

    def add(self, key: Any, value: Any, timeout: Any) -> bool:
        return self.attempt(super().add, (key, value, timeout), otherwise=False)

    def get(self, key: Any, default: Any) -> Any:
        return self.read(super().get, (key, default), default)

    def set(self, key: Any, value: Any, timeout: Any) -> None:
        self.attempt(super().set, (key, value, timeout), None)

    def touch(self, key: Any, timeout: Any) -> bool:
        return self.attempt(super().touch, (key, timeout), otherwise=False)

    def delete(self, key: Any) -> bool:
        return self.attempt(super().delete, (key,), otherwise=False)

    def get_many(self, keys: Any) -> dict[Any, Any]:
        return self.read(super().get_many, (keys,), {})

    def has_key(self, key: Any) -> bool:
        return self.attempt(super().has_key, (key,), otherwise=False)

    def set_many(self, data: Any, timeout: Any) -> None:
        self.attempt(super().set_many, (data, timeout), None)

    def delete_many(self, keys: Any) -> None:
        self.attempt(super().delete_many, (keys,), None)

    def clear(self) -> bool:
        return self.attempt(super().clear, (), otherwise=False)


class VolatileCache(RedisCache):
    """The cache of this module, for CACHES."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = VolatileClient


volatile = ConnectionProxy(caches, VOLATILE)
