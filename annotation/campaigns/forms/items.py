"""Forms about items: building them, finding them."""

from typing import Any

from django import forms
from django.utils.functional import lazy

from annotation.campaigns.forms.settings import number_field
from annotation.campaigns.items import STATES, ItemFilter
from annotation.kind import calibration_in_words
from annotation.models import Campaign
from corpus.models import Topic
from engines.definitions.settings import OVERLAP, SAMPLE, SEED


class ItemBuildForm(forms.Form):
    """All pairs that are left, or a sample of them."""

    sample = number_field(SAMPLE, required=False, label="Sample size", help_text="Left empty: all remaining ones.")
    stratified = forms.BooleanField(required=False, label="Draw the same number from each topic or source")
    seed = number_field(SEED, required=False, help_text="Determines the sample. Left empty: the seed of the campaign.")


class CalibrationSampleForm(forms.Form):
    """Which items of a campaign more people judge than the others."""

    sample = number_field(
        SAMPLE,
        label="Size of the calibration sample",
        help_text="Items that more people judge, so that agreement can be measured.",
    )
    overlap = number_field(
        OVERLAP,
        min_value=2,
        required=False,
        label="Judged by",
        help_text=lazy(lambda: f"People for each of these items. Left empty: {calibration_in_words()}.", str)(),
    )
    seed = number_field(SEED, required=False, help_text="Determines the sample. Left empty: the seed of the campaign.")


class CalibrationForm(forms.Form):
    """The calibration sample of a new campaign."""

    calibration = number_field(
        SAMPLE,
        required=False,
        label="Size of the calibration sample",
        help_text="Drawn by the seed and judged by more people, so that agreement can be measured. Left empty: none.",
    )
    calibration_overlap = CalibrationSampleForm.base_fields["overlap"]

    def sample_and_overlap(self) -> dict[str, Any] | None:
        """Sample and overlap (None: the usual one) of a valid form; None where no sample is asked for."""
        sample = self.cleaned_data["calibration"]
        return None if sample is None else {"sample": sample, "overlap": self.cleaned_data["calibration_overlap"]}


class ItemFilterForm(forms.Form):
    """Which items a list shows. Invalid values are ignored."""

    topic = forms.ModelChoiceField(queryset=Topic.objects.none(), required=False, empty_label="all topics")
    state = forms.ChoiceField(choices=[("", "all"), *STATES.items()], required=False)
    needs = forms.TypedChoiceField(coerce=int, empty_value=None, required=False, label="Needs")
    reason = forms.CharField(max_length=500, required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        topics = Topic.objects.filter(collection=campaign.collection)
        fields["topic"].queryset = topics.order_by("position", "pk")
        fields["needs"].choices = [("", "any"), *((n, f"{n} more") for n in range(1, campaign.overlap + 2))]
        if not any(column.key == "topic" for column in campaign.kind_object.words.columns):
            del self.fields["topic"]

    def chosen(self) -> ItemFilter:
        self.is_valid()
        values = self.cleaned_data
        topic = values.get("topic")
        return ItemFilter(
            topic=topic.pk if topic else None,
            state=values.get("state", ""),
            needs=values.get("needs"),
            reason=values.get("reason") if "reason" in self.data else None,
        )


class ItemRemovalForm(forms.Form):
    topic = forms.ChoiceField(label="Topic", required=False)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        numbers = Topic.objects.filter(items__campaign=campaign).distinct().values_list("number", flat=True)
        choices = [("", "All topics"), *((number, number) for number in numbers.order_by("position", "number"))]
        self.fields["topic"].choices = choices  # type: ignore[attr-defined]
