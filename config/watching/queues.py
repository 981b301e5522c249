"""What Redis and the workers say about the queues of background jobs."""

from django.conf import settings

from accounts.queues import Queue


def waiting_messages(patience: float) -> dict[Queue, int]:
    """How many no worker has taken yet, by queue. Errors: RedisError, OSError."""
    from redis import Redis

    with Redis.from_url(settings.REDIS_URL, socket_timeout=patience, socket_connect_timeout=patience) as client:
        return {queue: int(client.llen(queue)) for queue in Queue}


def served_queues(patience: float) -> dict[str, list[Queue]]:
    """The queues of each worker that answers within `patience` seconds. Errors: OperationalError of kombu, OSError."""
    from config.celery import app  # a fifth of a second, which no start need wait for

    answers = app.control.inspect(timeout=patience).active_queues() or {}
    return {
        name: [queue for queue in Queue if queue in {each["name"] for each in found}]
        for name, found in sorted(answers.items())
    }


def unserved_queues(served: dict[str, list[Queue]]) -> list[Queue]:
    """Those whose jobs wait for ever."""
    return [queue for queue in Queue if not any(queue in queues for queues in served.values())]
