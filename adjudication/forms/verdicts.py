"""What an adjudicator sends."""

from datetime import datetime
from typing import Any

from django import forms
from django.utils.dateparse import parse_datetime

from adjudication.models import Cause, Method


class DecisionForm(forms.Form):
    """A value with its cause and comment; `seen` is when the verdict was decided as the page showed it."""

    value = forms.IntegerField(error_messages={"required": "Choose a value."})
    cause = forms.ChoiceField(choices=[("", "none"), *Cause.choices], required=False)
    comment = forms.CharField(max_length=10_000, required=False)
    override = forms.BooleanField(required=False)
    seen = forms.CharField(required=False, max_length=40)

    def clean_seen(self) -> datetime | None:
        text = self.cleaned_data["seen"]
        return parse_datetime(text) if text else None


class AcceptanceForm(forms.Form):
    """Which votes to accept, and how many the person was shown."""

    methods = forms.MultipleChoiceField(
        choices=[(Method.UNANIMOUS.value, "unanimous"), (Method.MAJORITY.value, "majority")],
        error_messages={"required": "Choose unanimous votes, majorities, or both."},
    )
    expected = forms.IntegerField(min_value=1)


def first_error(form: forms.Form) -> str:
    """The first thing that is wrong with a form, as a sentence."""
    errors: list[Any] = [error for found in form.errors.values() for error in found]
    return str(errors[0]) if errors else ""
