"""Forms about rewrites: whom to ask, and a second person's decision."""

from typing import Any

from django import forms

from accounts.models import User
from annotation.campaigns.forms.campaigns import possible_annotators
from annotation.labelling.forms import read_number
from annotation.models import ReviewDecision
from annotation.rubric.rewrites import LONGEST_COMMENT, UNDECIDED
from corpus.models import Membership


class NumbersField(forms.Field):
    """The boxes that were ticked, as ids; what is no number is left out."""

    widget = forms.MultipleHiddenInput

    def clean(self, value: Any) -> list[int]:
        return [number for each in value or () if (number := read_number(str(each))) is not None]


class AskForm(forms.Form):
    """Which rewrites somebody is asked to confirm."""

    rewrites = NumbersField(required=False)
    reviewer = forms.ModelChoiceField(
        queryset=User.objects.none(),
        to_field_name="email",
        error_messages={
            "required": "Choose whom to ask.",
            "invalid_choice": "This person does not judge in this collection.",
        },
    )

    def __init__(self, data: Any = None, *, membership: Membership) -> None:
        super().__init__(data)
        self.fields["reviewer"].queryset = possible_annotators(membership)  # type: ignore[attr-defined]


class RewriteDecisionForm(forms.Form):
    decision = forms.ChoiceField(
        choices=ReviewDecision.choices, error_messages={"required": UNDECIDED, "invalid_choice": UNDECIDED}
    )
    comment = forms.CharField(required=False, max_length=LONGEST_COMMENT)
