"""What other installed packages bring: objects named by entry points."""

from importlib.metadata import entry_points
from typing import TypeVar

T = TypeVar("T")


def installed(group: str, kind: type[T]) -> list[T]:
    """The objects of an entry-point group in the order of their names. Errors: TypeError for one of another kind."""
    found = [point.load() for point in sorted(entry_points(group=group), key=lambda point: point.name)]
    for each in found:
        if not isinstance(each, kind):
            raise TypeError(f"{each!r} of the entry points {group} is not a {kind.__name__}")
    return found
