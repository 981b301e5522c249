"""The form of a new release, and the questions that only people can answer."""

from typing import Any

from django import forms

from adjudication.models import Release
from adjudication.releases.statement import QUESTIONS
from corpus.models import Collection


class ReleaseForm(forms.Form):
    name = forms.CharField(
        max_length=40, help_text="Such as v1 or 2024.1. A release never changes, so its name is used once."
    )
    force = forms.CharField(
        required=False,
        label="Why release despite open findings?",
        help_text="Printed in the release, for every reader to see.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, data: Any = None, *, collection: Collection, has_open_findings: bool = True) -> None:
        super().__init__(data)
        self.fields["name"].initial = suggested_name(collection)
        self.fields["force"].is_needed = has_open_findings  # type: ignore[attr-defined] # said without "(optional)"
        if not has_open_findings:
            del self.fields["force"]


def suggested_name(collection: Collection) -> str:
    """v1, v2, …: the first that is free."""
    taken = set(collection.releases.values_list("name", flat=True))
    return next(name for name in (f"v{n}" for n in range(1, len(taken) + 2)) if name not in taken)


class ReleaseAddressForm(forms.Form):
    doi = forms.CharField(
        max_length=200, required=False, label="DOI", help_text="Such as 10.5281/zenodo.1234567, or its address."
    )
    address = forms.CharField(
        max_length=500, required=False, label="Address", help_text="A page that has the data, such as its repository."
    )

    def __init__(self, data: Any = None, *, release: Release) -> None:
        super().__init__(data, initial={"doi": release.doi, "address": release.address})


class StatementForm(forms.Form):
    """A field a question; starters stand in the fields that nobody has filled in yet."""

    def __init__(self, *args: Any, answers: dict[str, str], language: str, **more: Any) -> None:
        super().__init__(*args, **more)
        for question in (each.in_language(language) for each in QUESTIONS):
            widget = forms.TextInput() if question.is_line else forms.Textarea(attrs={"rows": 3})
            self.fields[question.key] = forms.CharField(
                required=False,
                label=question.label,
                help_text=question.help,
                widget=widget,
                initial=answers.get(question.key, ""),
            )
            self.fields[question.key].question = question  # type: ignore[attr-defined] # read by the template
            self.fields[question.key].is_missing = question.is_required and question.key not in answers  # type: ignore[attr-defined]
