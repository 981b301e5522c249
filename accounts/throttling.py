"""How often a person may ask the API."""

from rest_framework.throttling import UserRateThrottle

from accounts.caches import volatile


class PersonThrottle(UserRateThrottle):
    """Requests of a person in a minute (LITMUS_API_RATE). It guards no secret, so it allows while Redis is away."""

    cache = volatile  # type: ignore[assignment]
