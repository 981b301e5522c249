"""What the form of a new campaign asks about its kind: its settings, which items it takes, a calibration sample."""

from collections.abc import Mapping
from typing import Any

from annotation.campaigns.forms.items import CalibrationForm
from annotation.kind import Kind, kinds
from corpus.models import Collection


class KindPart:
    """The forms of one kind, bound to the data if that is the kind that was chosen."""

    def __init__(self, kind: Kind, data: Mapping[str, Any] | None, collection: Collection) -> None:
        self.kind = kind
        self.options = kind.options.form(data, stored={}) if kind.options else None
        self.choice = kind.choosing.form(data, collection=collection) if kind.choosing else None

    @property
    def forms(self) -> list[Any]:
        return [form for form in (self.choice, self.options) if form is not None]


class KindForms:
    """The parts of all kinds, of which only the chosen one counts."""

    def __init__(self, data: Any, collection: Collection) -> None:
        name = data.get("kind") if data else None
        self.parts = [KindPart(kind, data if kind.name == name else None, collection) for kind in kinds()]
        self.chosen = next((part for part in self.parts if part.kind.name == name), None)
        self.has_sample = self.chosen is not None and self.chosen.kind.offers_calibration
        self.calibration = CalibrationForm(data if self.has_sample else None)
        self.with_orders = " ".join(kind.name for kind in kinds() if kind.has_orders)
        self.with_calibration = " ".join(kind.name for kind in kinds() if kind.offers_calibration)

    def is_valid(self) -> bool:
        forms = [*(self.chosen.forms if self.chosen else []), *([self.calibration] if self.has_sample else [])]
        invalid = [form for form in forms if not form.is_valid()]  # errors of all are shown
        return not invalid

    @property
    def has_errors(self) -> bool:
        forms = [form for part in self.parts for form in part.forms]
        return any(form.errors for form in [*forms, self.calibration])

    def options(self) -> dict[str, Any] | None:
        """The settings of the chosen kind, as they are stored; None of kinds that have none."""
        return self.chosen.options.as_json() if self.chosen and self.chosen.options else None

    def calibration_sample(self) -> dict[str, Any] | None:
        """Sample and overlap of the calibration; None where none is asked for."""
        return self.calibration.sample_and_overlap() if self.has_sample else None

    def choice(self) -> Any:
        """Which items are wanted, None for all."""
        return self.chosen.choice.chosen() if self.chosen and self.chosen.choice else None
