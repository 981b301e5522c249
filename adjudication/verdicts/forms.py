"""What an adjudicator sends."""

from datetime import datetime
from typing import Any

from django import forms
from django.utils.dateparse import parse_datetime

from adjudication.models import Cause
from adjudication.verdicts.decisions import ACCEPTABLE, CHOOSE


class VerdictDecisionForm(forms.Form):
    """A value with its cause and comment.

    `seen` is when the verdict was decided as the page showed it, `basis` the fingerprint of the votes it showed.
    """

    value = forms.IntegerField(error_messages={"required": "Choose a value."})
    cause = forms.ChoiceField(choices=[("", "none"), *Cause.choices], required=False)
    comment = forms.CharField(max_length=10_000, required=False)
    override = forms.BooleanField(required=False)
    seen = forms.CharField(required=False, max_length=40)
    basis = forms.CharField(required=False, max_length=64)

    def clean_seen(self) -> datetime | None:
        text = self.cleaned_data["seen"]
        return moment_of(text)


class VoteAcceptanceForm(forms.Form):
    """Which votes to accept, and how many the person was shown."""

    methods = forms.MultipleChoiceField(choices=list(ACCEPTABLE.items()), error_messages={"required": CHOOSE})
    expected = forms.IntegerField(min_value=1)
    topic = forms.IntegerField(required=False)
    value = forms.IntegerField(required=False)


def moment_of(text: str) -> datetime | None:
    """A moment as a page wrote it, None for anything else."""
    try:
        found = parse_datetime(text[:40])
    except ValueError:  # looks like one, and is none
        return None
    return found if found is not None and found.tzinfo is not None else None


def first_error(form: forms.Form) -> str:
    """The first thing that is wrong with a form, as a sentence."""
    errors: list[Any] = [error for found in form.errors.values() for error in found]
    return str(errors[0]) if errors else ""
