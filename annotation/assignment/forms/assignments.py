"""The form that asks for a plan."""

from django import forms

from annotation.campaigns.forms.campaigns import STRATEGIES
from annotation.campaigns.forms.settings import number_field
from annotation.definitions.settings import OVERLAP, REPEAT_GAP, REPEAT_PERCENT, SEED


class PlanForm(forms.Form):
    """What a plan is made with."""

    overlap = number_field(
        OVERLAP,
        label="Annotators per item",
        help_text="Raise it to give every item more judges; what is given out already stays.",
    )
    strategy = forms.ChoiceField(choices=STRATEGIES, widget=forms.RadioSelect, label="How items reach people")
    repeat_percent = number_field(
        REPEAT_PERCENT,
        initial=REPEAT_PERCENT.usual,
        required=False,
        label="Hidden repeats, percent",
        help_text="This share of each person's new items is shown to them a second time. Nothing marks them; the"
        " agreement page shows how often people give the same answer again. They do not count as judges of the item.",
    )
    repeat_gap = number_field(
        REPEAT_GAP,
        required=False,
        label="Gap before a repeat",
        help_text="The least number of other items in between (of abstracts, where one is judged by all aspects).",
    )
    seed = number_field(SEED, help_text="The same seed and the same campaign give the same plan.")

    def clean_repeat_percent(self) -> int:
        return self.cleaned_data["repeat_percent"] or 0

    def clean_repeat_gap(self) -> int:
        gap: int | None = self.cleaned_data["repeat_gap"]
        return self.fields["repeat_gap"].initial if gap is None else gap
