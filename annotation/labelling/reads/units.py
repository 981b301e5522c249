"""What an annotator is shown: the units of a desk, as the kind of its campaign draws them."""

from collections.abc import Sequence

from annotation.assignment.reads.desks import Desk
from annotation.labelling.reads.unit_parts import Unit


def fetch_units(desk: Desk, units: Sequence[Sequence[int]]) -> list[Unit]:
    """The content of these units, each a list of assignment ids, as the labelling screen shows it."""
    return desk.labelling.fetch_units(desk, units) if units else []
