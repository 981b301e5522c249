"""Criteria with their levels as one form: any number of either, also without JavaScript.

Fields are named c<criterion>-<name> and c<criterion>-l<level>-<name>. Buttons named `add_criterion`, `add_level`,
`remove_criterion` and `remove_level` show the form again with a row more or less; rows that are blank are left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django import forms

from annotation.models import Scale
from engines.definitions.drafts import VALUES, CriterionDraft, LevelDraft

MOST_ROWS = 50
BUTTONS = ("add_criterion", "add_level", "remove_criterion", "remove_level")
CRITERION_FIELDS = ("key", "label", "question", "scale")
LEVEL_FIELDS = ("value", "label", "definition", "example", "reasons")


class RowForm(forms.Form):
    """A row that may be left blank as a whole."""

    use_required_attribute = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.empty_permitted = True


R = TypeVar("R", bound=RowForm)


class CriterionForm(RowForm):
    label = forms.CharField(max_length=100, widget=forms.TextInput)
    key = forms.CharField(max_length=40, help_text="Used in exports: lower-case letters, digits and hyphens.")
    scale = forms.ChoiceField(choices=[(scale.value, scale.label) for scale in Scale], initial=Scale.ORDINAL)
    question = forms.CharField(max_length=2000, required=False, help_text="What annotators are asked.")


class LevelForm(RowForm):
    value = forms.IntegerField(
        min_value=VALUES[0], max_value=VALUES[-1], error_messages={"required": "Give the level a number."}
    )
    label = forms.CharField(max_length=60, error_messages={"required": "Give the level a name."})
    definition = forms.CharField(max_length=5000, required=False, widget=forms.Textarea(attrs={"rows": 3}))
    example = forms.CharField(max_length=5000, required=False, widget=forms.Textarea(attrs={"rows": 3}))
    reasons = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="Reasons to choose from",
        help_text="One per line. Annotators who give this level must choose one.",
    )

    def clean_reasons(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self.cleaned_data["reasons"].splitlines())
        reasons = tuple(dict.fromkeys(line for line in lines if line))
        if any(len(reason) > 60 for reason in reasons):
            raise forms.ValidationError("A reason has at most 60 characters.")
        return reasons


@dataclass
class CriterionRows:
    """A criterion's form with the forms of its levels."""

    number: int
    form: CriterionForm
    levels: list[LevelForm]


@dataclass
class RowValues:
    """What the fields of one criterion and of its levels hold."""

    fields: dict[str, Any] = field(default_factory=dict)
    levels: list[dict[str, Any]] = field(default_factory=list)


class CriteriaForm:
    """All criteria of a campaign in one form; `data` is what was sent, None for a form that shows what is stored."""

    def __init__(self, data: Mapping[str, Any] | None, criteria: tuple[CriterionDraft, ...]) -> None:
        self.errors: list[str] = []
        self.asks_for_rows = data is not None and any(name in data for name in BUTTONS)
        self.is_sent = data is not None and not self.asks_for_rows
        values = [_of_draft(draft) for draft in criteria] if data is None else _of_data(data)
        if data is not None and self.asks_for_rows:
            _apply_button(values, data)
        self.rows = [_rows(number, each, is_bound=self.is_sent) for number, each in enumerate(values)]

    def is_valid(self) -> bool:
        return self.is_sent and all(form.is_valid() for row in self.rows for form in (row.form, *row.levels))

    def drafts(self) -> tuple[CriterionDraft, ...]:
        """The criteria of a valid form."""
        return tuple(_draft(row) for row in self.rows if row.form.has_changed())


def _of_draft(draft: CriterionDraft) -> RowValues:
    return RowValues(
        {name: getattr(draft, name) for name in CRITERION_FIELDS},
        [
            {name: getattr(level, name) for name in LEVEL_FIELDS} | {"reasons": "\n".join(level.reasons)}
            for level in draft.levels
        ],
    )


def _of_data(data: Mapping[str, Any]) -> list[RowValues]:
    return [
        RowValues(
            {name: data.get(f"c{c}-{name}", "") for name in CRITERION_FIELDS},
            [
                {name: data.get(f"c{c}-l{n}-{name}", "") for name in LEVEL_FIELDS}
                for n in range(_count_rows(data, f"c{c}-l{{}}-value"))
            ],
        )
        for c in range(_count_rows(data, "c{}-key"))
    ]


def _count_rows(data: Mapping[str, Any], name: str) -> int:
    return next((n for n in range(MOST_ROWS) if name.format(n) not in data), MOST_ROWS)


def _apply_button(values: list[RowValues], data: Mapping[str, Any]) -> None:
    """Do what the button says: its value is the criterion's number, with .<level> after it where one is meant."""
    name = next(button for button in BUTTONS if button in data)
    if name == "add_criterion":
        values.append(RowValues({"scale": Scale.ORDINAL}, [{}, {}]))
        return
    criterion, _, level = str(data[name]).partition(".")
    if not criterion.isdecimal() or len(criterion) > 9 or int(criterion) >= len(values):
        return
    chosen = values[int(criterion)]
    if name == "remove_criterion":
        values.remove(chosen)
    elif name == "add_level":
        chosen.levels.append({})
    elif level.isdecimal() and len(level) < 10 and int(level) < len(chosen.levels):
        del chosen.levels[int(level)]


def _rows(number: int, values: RowValues, *, is_bound: bool) -> CriterionRows:
    prefix = f"c{number}"
    levels = [_row(LevelForm, each, f"{prefix}-l{n}", is_bound) for n, each in enumerate(values.levels)]
    return CriterionRows(number, _row(CriterionForm, values.fields, prefix, is_bound), levels)


def _row(form: type[R], values: dict[str, Any], prefix: str, is_bound: bool) -> R:
    """A form that only shows the values; or bound to them, against nothing, so that a blank row counts as unchanged."""
    if not is_bound:
        return form(initial=values, prefix=prefix)
    return form({f"{prefix}-{name}": value for name, value in values.items()}, prefix=prefix)


def _draft(row: CriterionRows) -> CriterionDraft:
    levels = (form.cleaned_data for form in row.levels if form.has_changed())
    return CriterionDraft(**row.form.cleaned_data, levels=tuple(LevelDraft(**level) for level in levels))
