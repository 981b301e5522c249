"""Criteria with their levels as one form: any number of either, also without JavaScript.

Fields are named c<criterion>-<name> and c<criterion>-l<level>-<name>. Buttons named `add_level` and `add_criterion`
show the form again with one more row; a level without value and label, and a criterion without a key, are left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from annotation.definitions.drafts import CriterionDraft, LevelDraft
from annotation.models import Scale

MOST_ROWS = 50


class CriterionForm(forms.Form):
    """One criterion without its levels."""

    key = forms.CharField(max_length=40, required=False, help_text="Stands in exports: small letters, digits, hyphens.")
    label = forms.CharField(max_length=100, required=False)
    question = forms.CharField(max_length=2000, required=False, help_text="What annotators are asked.")
    scale = forms.ChoiceField(choices=[(s.value, s.label) for s in Scale], initial=Scale.ORDINAL)


class LevelForm(forms.Form):
    """One level."""

    value = forms.IntegerField(min_value=-127, max_value=127, required=False)
    label = forms.CharField(max_length=60, required=False)
    definition = forms.CharField(max_length=5000, required=False, widget=forms.Textarea(attrs={"rows": 3}))
    example = forms.CharField(max_length=5000, required=False, widget=forms.Textarea(attrs={"rows": 3}))
    reasons = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="Reasons to choose from",
        help_text="One in each line. Whoever gives this level must name one.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.is_blank(cleaned):
            return cleaned
        if cleaned.get("value") is None and "value" not in self.errors:
            self.add_error("value", "Give the level its number.")
        if not cleaned.get("label") and "label" not in self.errors:
            self.add_error("label", "Give the level a name.")
        if any(len(reason) > 60 for reason in reasons_in(cleaned.get("reasons", ""))):
            self.add_error("reasons", "A reason has at most 60 characters.")
        return cleaned

    @staticmethod
    def is_blank(cleaned: Mapping[str, Any]) -> bool:
        return cleaned.get("value") is None and not any(
            cleaned.get(name) for name in ("label", "definition", "example")
        )


@dataclass(frozen=True)
class CriterionRows:
    """A criterion's form with the forms of its levels."""

    number: int
    form: CriterionForm
    levels: list[LevelForm]


class CriteriaForm:
    """All criteria of a campaign in one form."""

    def __init__(self, data: Mapping[str, Any] | None, criteria: tuple[CriterionDraft, ...]) -> None:
        self.data = data
        self.errors: list[str] = []
        self.rows = _from_data(data) if data is not None else [_from_draft(n, each) for n, each in enumerate(criteria)]

    def is_valid(self) -> bool:
        valid = [form.is_valid() for row in self.rows for form in (row.form, *row.levels)]
        return self.data is not None and all(valid)

    @property
    def asks_for_more(self) -> bool:
        """Whether another row was asked for instead of saving."""
        return self.data is not None and any(name in self.data for name in ("add_level", "add_criterion"))

    def drafts(self) -> tuple[CriterionDraft, ...]:
        """The criteria of a valid form."""
        return tuple(_draft(row) for row in self.rows if row.form.cleaned_data["key"])

    def __iter__(self) -> Any:
        return iter(self.rows)


def reasons_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def _from_draft(number: int, draft: CriterionDraft) -> CriterionRows:
    initial = {"key": draft.key, "label": draft.label, "question": draft.question, "scale": draft.scale}
    levels = [
        {
            "value": level.value,
            "label": level.label,
            "definition": level.definition,
            "example": level.example,
            "reasons": "\n".join(level.reasons),
        }
        for level in draft.levels
    ]
    return CriterionRows(
        number,
        CriterionForm(initial=initial, prefix=f"c{number}"),
        [LevelForm(initial=each, prefix=f"c{number}-l{n}") for n, each in enumerate(levels)],
    )


def _from_data(data: Mapping[str, Any]) -> list[CriterionRows]:
    """The rows that were sent, and the empty one that was asked for."""
    rows = []
    more = data.get("add_level")
    count = _rows_in(data, "c{}-key") + ("add_criterion" in data)
    for number in range(min(count, MOST_ROWS)):
        levels = _rows_in(data, f"c{number}-l{{}}-value")
        levels += 2 if not levels else int(more == str(number))
        rows.append(
            CriterionRows(
                number,
                _bound(CriterionForm, data, f"c{number}", "key"),
                [_bound(LevelForm, data, f"c{number}-l{n}", "value") for n in range(min(levels, MOST_ROWS))],
            )
        )
    return rows


def _bound(form: type[Any], data: Mapping[str, Any], prefix: str, first: str) -> Any:
    """Bound to what was sent; a row that is only just added has nothing and shows no errors."""
    return form(data if f"{prefix}-{first}" in data else None, prefix=prefix)


def _rows_in(data: Mapping[str, Any], name: str) -> int:
    return next(n for n in range(MOST_ROWS + 1) if name.format(n) not in data or n == MOST_ROWS)


def _draft(row: CriterionRows) -> CriterionDraft:
    told = row.form.cleaned_data
    levels = [form.cleaned_data for form in row.levels if not LevelForm.is_blank(form.cleaned_data)]
    return CriterionDraft(
        key=told["key"],
        label=told["label"] or told["key"].replace("-", " ").capitalize(),
        question=told["question"],
        scale=told["scale"],
        levels=tuple(
            LevelDraft(each["value"], each["label"], each["definition"], each["example"], reasons_in(each["reasons"]))
            for each in levels
        ),
    )
