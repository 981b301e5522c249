"""What is sent from the screen for papers, under the names that REST and the command have."""

from collections.abc import Mapping
from typing import Any, Self

from django import forms

from adjudication.exporting.forms import CONTEXT_LEVELS

WHICH = "Choose the contexts: paragraphs or sentences."


class SeenForm(forms.Form):
    seen = forms.CharField(required=False)  # without it the page is another one


class ChoiceForm(SeenForm):
    """A variant of a difference; everything of a version, or what is undecided as that version has it."""

    difference = forms.CharField(required=False)
    variant = forms.CharField(required=False)
    everything = forms.CharField(required=False)
    rest = forms.CharField(required=False)

    @classmethod
    def of(cls, sent: Mapping[str, Any]) -> Self:
        """A button sends one value: `take` is a difference and its variant."""
        difference, _, variant = sent.get("take", "").partition(" ")
        return cls({**{name: sent.get(name) for name in cls.base_fields}, "difference": difference, "variant": variant})


class PaperAcceptanceForm(SeenForm):
    despite = forms.BooleanField(required=False)


class ContextTopicsForm(forms.Form):
    """Which contexts topics are made of."""

    level = forms.ChoiceField(
        choices=[(each, each) for each in CONTEXT_LEVELS],
        help_text="Which contexts: paragraphs or sentences.",
        error_messages={"required": WHICH, "invalid_choice": WHICH},
    )
    drafts = forms.BooleanField(required=False, help_text="also of drafts and machine proposals")
