"""What an annotator is shown: units, as the kind of their campaign draws them."""

from collections.abc import Sequence

from annotation.assignment.reads.participation import Participation
from annotation.labelling.reads.unit_parts import Unit


def fetch_units(participation: Participation, units: Sequence[Sequence[int]]) -> list[Unit]:
    """The content of these units, each a list of assignment ids, as the labelling screen shows it."""
    return participation.labelling.fetch_units(participation, units) if units else []
