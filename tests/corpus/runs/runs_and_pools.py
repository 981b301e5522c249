"""What tests of runs and pools look up."""

from corpus.models import (
    Topic,
)


def topic(number: str) -> Topic:
    return Topic.objects.get(number=number)
