"""Forms of rubric campaigns: their options, the questions they take, the calibration sample."""

from typing import Any

from django import forms

from annotation.definitions.rubric_options import (
    BadOptions,
    RubricOptions,
    read_cutoffs,
    read_rubric_options,
    write_cutoffs,
)
from annotation.definitions.settings import OVERLAP, SAMPLE
from annotation.forms.settings import number_field
from annotation.models import Campaign, CampaignKind
from annotation.queries.questions import Choice, question_kinds
from corpus.models import Collection, TopicKind

NO_SOURCE = "no source named"


class RubricOptionsForm(forms.Form):
    """Cut-offs of the overlap filter, and what makes a question kept. Only for rubrics; never required of others."""

    cutoffs = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
        label="Cut-offs of word overlap by source",
        help_text="One in each line, such as “inline-acl = 0.3”. A question whose words overlap more with the titles of"
        " its targets is left out. Sources that are not named have no cut-off.",
    )
    filter_imported = forms.BooleanField(
        required=False,
        label="Hold imported questions to the cut-offs too",
        help_text="Otherwise only questions that were made here are left out by word overlap.",
    )
    most_fitting = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=10_000,
        label="Most papers that may fit",
        help_text="Raters can discard a question with one key when they find more.",
    )
    keep = forms.CharField(
        required=False,
        max_length=40,
        label="Criterion that decides",
        help_text="The key of a criterion; the last one if there is none of this key.",
    )
    keep_from = forms.IntegerField(
        required=False, min_value=-127, max_value=127, label="Kept from level", help_text="This level and those above."
    )
    group = forms.CharField(
        required=False,
        max_length=40,
        label="Criterion that splits the statistics",
        help_text="The key of a criterion; the first one if there is none of this key.",
    )

    def __init__(self, data: Any = None, *, options: RubricOptions | None = None) -> None:
        stored = (options or RubricOptions()).as_json()
        super().__init__(data, initial={**stored, "cutoffs": write_cutoffs(stored["cutoffs"])})

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        try:
            cutoffs = read_cutoffs(cleaned.get("cutoffs", ""))
            plain = RubricOptions()
            numbers = {
                name: getattr(plain, name) if cleaned.get(name) is None else cleaned[name]
                for name in ("most_fitting", "keep_from")
            }
            words: dict[str, Any] = {name: cleaned.get(name, "").strip() for name in ("keep", "group")}
            words["filter_imported"] = bool(cleaned.get("filter_imported"))
            self.options = read_rubric_options({"cutoffs": cutoffs, **numbers, **words})
        except BadOptions as bad:
            self.add_error("cutoffs", bad.reason)
        return cleaned


class QuestionChoiceForm(forms.Form):
    """Which topics a rubric takes."""

    sources = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Questions of these sources",
        help_text="None ticked: of all. Questions above the cut-off of their source are left out.",
    )
    topic_kind = forms.ChoiceField(required=False, choices=question_kinds, label="Topics of this kind")
    words = forms.CharField(required=False, max_length=200, label="With these words in the question")

    def __init__(self, data: Any = None, *, collection: Collection) -> None:
        super().__init__(data)
        field = self.fields["sources"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101 - narrows the type
        found = collection.topics.order_by("source").values_list("source", flat=True).distinct()
        field.choices = [(source or "-", source or NO_SOURCE) for source in found]
        if collection.topics.filter(kind=TopicKind.QUESTION).exists():
            self.initial["topic_kind"] = TopicKind.QUESTION  # complex queries are judged by their aspects, not rated

    def chosen(self) -> Choice:
        """The choice of a valid form."""
        told = self.cleaned_data
        sources = tuple("" if source == "-" else source for source in told["sources"])
        return Choice(sources, told["topic_kind"], told["words"].strip())


class CalibrationForm(forms.Form):
    """How many items more people judge than the others."""

    calibration = number_field(
        SAMPLE,
        required=False,
        label="Calibration sample of so many items",
        help_text="Drawn by the seed and judged by more people, so that agreement can be measured. Left empty: none.",
    )
    calibration_overlap = number_field(
        OVERLAP,
        min_value=2,
        required=False,
        label="Judged by",
        help_text="People for each of these items. Left empty: 3, of papers 2.",
    )

    def told(self) -> dict[str, Any] | None:
        """Sample and overlap (None: the usual one) of a valid form; None where no sample is wanted."""
        sample = self.cleaned_data["calibration"]
        return None if sample is None else {"sample": sample, "overlap": self.cleaned_data["calibration_overlap"]}


class RubricForms:
    """What a new campaign is told about its rubric, and the calibration sample of a rubric or of papers.

    Nothing of it counts for another kind.
    """

    def __init__(self, data: Any, collection: Collection) -> None:
        self.is_wanted = data is not None and data.get("kind") == CampaignKind.RUBRIC
        told = data if self.is_wanted else None
        self.options = RubricOptionsForm(told)
        self.choice = QuestionChoiceForm(told, collection=collection)
        self.has_sample = self.is_wanted or (data is not None and data.get("kind") == CampaignKind.EXTRACTION)
        self.calibration = CalibrationForm(data if self.has_sample else None)

    def is_valid(self) -> bool:
        asked = ((self.options, self.is_wanted), (self.choice, self.is_wanted), (self.calibration, self.has_sample))
        valid = [form.is_valid() or not is_asked for form, is_asked in asked]  # errors of all are shown
        return all(valid)

    @property
    def has_errors(self) -> bool:
        return any(bool(each.errors) for each in (self.options, self.choice, self.calibration))


def options_of(campaign: Campaign) -> RubricOptions:
    return read_rubric_options(campaign.options)
