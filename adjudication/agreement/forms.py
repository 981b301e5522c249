"""What to compute, and how; what a sample size is asked for."""

from typing import Any

from django import forms
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.rest_fields import Spelled
from adjudication.agreement.sample_size import Aim
from adjudication.models import Voters
from annotation.campaigns.forms.settings import number_field
from annotation.models import Campaign
from engines.definitions.settings import MIN_VOTES, RESAMPLES, SEED
from engines.stats.policies import DEFAULT, offered_policies
from engines.stats.report import read_margin
from engines.stats.statistics import STATISTICS, statistic

INTERVALS = {
    "auto": "by sample size (BCa bootstrap, or jackknife for small samples)",
    "percentile": "percentile bootstrap",
    "bca": "BCa bootstrap",
    "jackknife_t": "jackknife with Student’s t",
}
CLUSTERS = {
    "auto": "topics, where a topic has several items",
    "topic": "topics, each with all its items",
    "item": "items, as if topics did not matter",
}
AIMS = {
    "half_width": "an interval of a given width (±)",
    "difference": "to detect a difference between people and machine of this size",
}


@extend_schema_field({"oneOf": [{"type": "number"}, {"type": "object", "additionalProperties": {"type": "number"}}]})
class MarginRestField(serializers.Field[Any, Any, Any, Any]):
    """A number, or an object {statistic: number}."""

    def to_internal_value(self, data: Any) -> float | dict[str, float]:
        numbers = data.values() if isinstance(data, dict) else [data]
        if not numbers or any(isinstance(each, bool) or not isinstance(each, int | float) for each in numbers):
            raise serializers.ValidationError("Give a number, or an object with a number for each statistic.")
        return data if isinstance(data, dict) else float(data)

    def to_representation(self, value: Any) -> Any:
        return value


class MarginField(Spelled, forms.CharField):
    """One margin for all statistics, or one by statistic: `0.05`, or `accuracy 0.05, spearman 0.1`."""

    def clean(self, value: Any) -> Any:
        text = super().clean(value)  # whose validators count letters
        try:
            return read_margin(text)
        except ValueError:
            problem = f"“{text}” is not a margin. Write 0.05, or accuracy 0.05, spearman 0.1."
            raise forms.ValidationError(problem) from None

    def rest_field(self, **common: Any) -> Any:
        return MarginRestField(allow_null=True, **common)

    def text_of(self, value: Any) -> str:
        return ", ".join(f"{name} {each!r}" for name, each in value.items()) if isinstance(value, dict) else str(value)


class AgreementForm(forms.Form):
    """Options of an agreement run; what is left out takes its usual value."""

    resamples = number_field(
        RESAMPLES,
        label="Resamples",
        required=False,
        help_text="More resamples make the ends of intervals more stable; 10,000 give two decimals of a percent.",
    )
    interval = forms.ChoiceField(label="Interval", choices=list(INTERVALS.items()), required=False, initial="auto")
    cluster = forms.ChoiceField(
        label="Resample",
        choices=list(CLUSTERS.items()),
        required=False,
        initial="auto",
        help_text="Items, or topics with all their items.",
    )
    seed = number_field(
        SEED,
        label="Seed",
        required=False,
        help_text="Left empty: one made of the names of collection and campaign (not the campaign's own seed), so that"
        " the same labels always give the same figures.",
    )
    margin = MarginField(
        label="Equivalence margin",
        max_length=300,
        required=False,
        help_text="The largest difference between people and machine that does not matter to you, chosen beforehand,"
        " in the"
        " units of the figure: 0.05 (5 points) for all, or accuracy 0.05, spearman 0.1. Only with machine annotators."
        " Left empty, that of the campaign's Anno-GPT cycle, if it has one.",
    )
    figures = forms.BooleanField(
        required=False,
        initial=True,
        widget=forms.HiddenInput,
        help_text="Without effect, and in version 0.2 only: figures for papers are drawn when they are downloaded.",
    )

    def clean(self) -> dict[str, Any]:
        return {name: value for name, value in _filled(self).items() if name != "figures"}


class VoteForm(forms.Form):
    """Options of a majority vote."""

    ties = forms.ChoiceField(label="Ties", choices=offered_policies, required=False, initial=DEFAULT)
    min_votes = number_field(
        MIN_VOTES,
        label="Fewest votes",
        required=False,
        help_text="An item with fewer stays undecided. Left empty: the overlap of the campaign, or 1 where machines"
        " vote alone.",
    )
    voters = forms.ChoiceField(label="Who votes", choices=Voters.choices, required=False, initial=Voters.HUMANS.value)
    weighted = forms.BooleanField(label="Count each vote by its annotator's weight", required=False)

    def clean(self) -> dict[str, Any]:
        return _filled(self)


def vote_form(campaign: Campaign) -> VoteForm:
    """With the number that is taken where nothing is said."""
    form = VoteForm()
    form.fields["min_votes"].help_text = (
        f"An item with fewer stays undecided. Left empty: {campaign.overlap}, the overlap of the campaign, or 1 where"
        " machines vote alone."
    )
    return form


def _filled(form: forms.Form) -> dict[str, Any]:
    """The cleaned data with the usual value where nothing was given."""
    return {
        name: form.fields[name].initial if value in (None, "") else value for name, value in form.cleaned_data.items()
    }


def statistic_choices() -> list[tuple[str, str]]:
    """(name, label) of every statistic."""
    return [(name, each.label) for name, each in STATISTICS.items()]


class SampleSizeForm(forms.Form):
    """An aim in points of a hundred; with an assumed agreement no labels are needed."""

    statistic = forms.ChoiceField(label="Figure", choices=statistic_choices, initial="accuracy")
    wanted = forms.ChoiceField(label="I want", choices=list(AIMS.items()), initial="half_width")
    points = forms.FloatField(
        label="Size, in percentage points",
        initial=5,
        min_value=0.1,
        max_value=100,
        help_text="Half the width of the interval, or the difference: 5 points of agreement are 0.05 of a coefficient.",
    )
    power = forms.FloatField(
        label="Power, percent",
        initial=80,
        min_value=50,
        max_value=99.9,
        required=False,
        help_text="The probability of detecting the difference if it exists.",
    )
    assumed = forms.FloatField(
        label="Assumed agreement, percent",
        min_value=1,
        max_value=99,
        required=False,
        help_text=(
            "Without a pilot: the share of labels on which you expect two people to agree. For the figure “Agreement”"
            " only."
        ),
    )

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if given.get("assumed") and (given.get("wanted") != "half_width" or given.get("statistic") != "accuracy"):
            self.add_error("assumed", "An assumed agreement serves the figure “Agreement” and ± only.")
        return given

    def aim(self) -> Aim:
        """The aim in shares."""
        given = self.cleaned_data
        share = given["points"] / 100
        is_difference = given["wanted"] == "difference"
        return Aim(
            given["statistic"],
            None if is_difference else share,
            share if is_difference else None,
            (given["power"] or 80) / 100,
        )

    @property
    def is_share(self) -> bool:
        return statistic(self.cleaned_data["statistic"]).is_share
