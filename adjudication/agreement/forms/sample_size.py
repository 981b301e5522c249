"""How narrow, or how large: what a sample size is asked for."""

from typing import Any

from django import forms

from adjudication.agreement.reads.sample_size import Wish
from adjudication.stats.statistics import STATISTICS, statistic

AIMS = {
    "half_width": "an interval of a given width (±)",
    "difference": "to find a difference of people and machine this large",
}


def statistic_choices() -> list[tuple[str, str]]:
    """(name, label) of every statistic."""
    return [(name, each.label) for name, each in STATISTICS.items()]


class SampleSizeForm(forms.Form):
    """A wish in points of a hundred; with an assumed agreement no labels are needed."""

    statistic = forms.ChoiceField(label="Figure", choices=statistic_choices, initial="accuracy")
    wanted = forms.ChoiceField(label="I want", choices=list(AIMS.items()), initial="half_width")
    points = forms.FloatField(
        label="Points of 100",
        initial=5,
        min_value=0.1,
        max_value=100,
        help_text="5 is ± 5 percentage points of agreement, or ± 0.05 of a coefficient.",
    )
    power = forms.FloatField(
        label="Power, percent",
        initial=80,
        min_value=50,
        max_value=99.9,
        required=False,
        help_text="The chance to find the difference if it is there. Only for differences.",
    )
    assumed = forms.FloatField(
        label="Assumed agreement, percent",
        min_value=1,
        max_value=99,
        required=False,
        help_text="Without a pilot: what share of labels two people will agree on. Only for agreement and ±.",
    )

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if given.get("assumed") and (given.get("wanted") != "half_width" or given.get("statistic") != "accuracy"):
            self.add_error("assumed", "An assumed agreement serves the figure “Agreement” and ± only.")
        return given

    def wish(self) -> Wish:
        """The wish in shares."""
        given = self.cleaned_data
        share = given["points"] / 100
        is_difference = given["wanted"] == "difference"
        return Wish(
            given["statistic"],
            None if is_difference else share,
            share if is_difference else None,
            (given["power"] or 80) / 100,
        )

    @property
    def is_share(self) -> bool:
        return statistic(self.cleaned_data["statistic"]).is_share
