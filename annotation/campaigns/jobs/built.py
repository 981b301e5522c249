"""The result of building items of any kind."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did: items made now, items in the campaign, what is left to take, what other held-out splits have.

    `filtered`: questions left out because their words overlap too much with the titles of their targets.
    """

    created: int
    items: int
    left: int
    held_elsewhere: int
    filtered: int = 0


def silent(done: int, total: int, step: str) -> None:
    """Report to nobody: for builds that somebody waits for."""
