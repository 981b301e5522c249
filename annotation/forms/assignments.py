"""The form that asks for a plan."""

from django import forms

from annotation.forms.campaigns import STRATEGIES


class PlanForm(forms.Form):
    """What a plan is made with."""

    overlap = forms.IntegerField(
        min_value=1,
        max_value=50,
        label="Annotators per item",
        help_text="Raise it to give every item more judges; what is given out already stays.",
    )
    strategy = forms.ChoiceField(choices=STRATEGIES, widget=forms.RadioSelect, label="How items reach people")
    seed = forms.IntegerField(
        min_value=0, max_value=10**18 - 1, help_text="The same seed and the same campaign give the same plan."
    )
