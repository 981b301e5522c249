"""Whether the queue of background jobs, a Redis, answers. Only jobs need it; they wait while it is away."""

import time

from django.conf import settings

PATIENCE = 1.0  # seconds
REMEMBERED = 2.0  # seconds that an answer holds, so that a silent Redis holds up few pages

_answers: dict[str, tuple[float, bool]] = {}  # of each address: until when it holds, and the answer


def is_reachable() -> bool:
    """Whether jobs can be handed to workers, as far as was seen within the last two seconds."""
    until, answer = _answers.get(settings.REDIS_URL, (0.0, False))
    if time.monotonic() >= until:
        answer = answers()
        _answers[settings.REDIS_URL] = (time.monotonic() + REMEMBERED, answer)
    return answer


def answers(patience: float = PATIENCE) -> bool:
    """Ask now; False after `patience` seconds at the latest for each of connecting and answering."""
    import redis  # an eighth of what a command or a server takes to start
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    once = Retry(NoBackoff(), 0)
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=patience, socket_timeout=patience, retry=once
    )
    try:
        return bool(client.ping())
    except (redis.RedisError, OSError):
        return False
    finally:
        client.close()
