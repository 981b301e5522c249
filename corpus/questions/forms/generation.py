"""Forms about citation mentions and the questions generated from them."""

from collections.abc import Mapping
from typing import Any, Self

from django import forms
from rest_framework import serializers

from accounts.refusals import Refused
from accounts.rest_fields import Spelled
from corpus.endpoints.fields import EndpointField
from corpus.models import (
    Collection,
    DiscardReason,
    ModelPurpose,
    OverlapDefinition,
    PromptPurpose,
    PromptTemplate,
    QuestionRun,
    QuestionState,
)
from corpus.models.generation import INLINE_INSIDE, INLINE_OUTSIDE
from corpus.questions.decisions import LONGEST_CORRECTION
from corpus.questions.mentions import LONGEST_NOTE, MentionFilter
from corpus.questions.prompts import LONGEST_BODY, prompt_named
from corpus.questions.question_runs import USUAL_SAMPLE, USUAL_SEED, Used, prompt_versions
from engines.text.overlap import DEFAULT, DEFINITIONS, USUAL

MOST_SAMPLED = 1_000_000
LARGEST_SEED = 2**31 - 1
NO_CUTOFF = "none"
OWN_CUTOFFS = " ".join(
    f"Cut-offs of “{each.label}”: {each.inside:g} inside, {each.outside:g} outside." for each in DEFINITIONS.values()
)
CUTOFF_OF_REST = (
    "A share from 0 to 1; null for no filter; left out with another definition, the one that belongs to it."
)
YES_OR_NO = [("", "All"), ("yes", "Yes"), ("no", "No")]


class MentionFilterForm(forms.Form):
    """Which mentions to look at, and how many of them at random."""

    q = forms.CharField(
        required=False, max_length=300, label="Words", widget=forms.TextInput(attrs={"type": "search"}), strip=True
    )
    source = forms.ChoiceField(
        required=False,
        label="Source paper",
        choices=[("", "All"), ("inside", "Inside the collection"), ("outside", "Outside")],
    )
    target = forms.ChoiceField(required=False, label="Cites a document", choices=YES_OR_NO)
    state = forms.ChoiceField(
        required=False,
        label="State",
        choices=[("", "Usable"), ("discarded", "Discarded"), ("all", "All")],
    )
    used = forms.ChoiceField(required=False, label="Asked about", choices=YES_OR_NO)
    sample = forms.IntegerField(required=False, min_value=0, max_value=MOST_SAMPLED, label="Sample")
    seed = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_SEED, label="Seed")

    @property
    def criteria(self) -> MentionFilter:
        """The filter; what cannot be understood is left out of it."""
        values: dict[str, Any] = getattr(self, "cleaned_data", {})
        state = values.get("state") or "usable"
        return MentionFilter(
            source=values.get("source", ""),
            target=values.get("target", ""),
            state="" if state == "all" else state,
            used=values.get("used", ""),
            text=values.get("q", ""),
            sample=values.get("sample") or 0,
            seed=values.get("seed") or 0,
        )

    @property
    def is_narrowed(self) -> bool:
        return self.criteria != MentionFilter()


class DiscardForm(forms.Form):
    reason = forms.ChoiceField(label="Why", choices=[("", "Choose…"), *DiscardReason.choices])
    note = forms.CharField(required=False, max_length=LONGEST_NOTE, label="Note")


class CutoffRestField(serializers.FloatField):
    """A share, or null for no filter."""

    def validate_empty_values(self, data: Any) -> tuple[bool, Any]:
        return (True, NO_CUTOFF) if data is None else super().validate_empty_values(data)


class CutoffField(Spelled, forms.CharField):
    """A share from 0 to 1; empty for the cut-off that belongs to what overlap compares, “none” for no filter.

    REST takes a number, or null for no filter.
    """

    widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 6})

    def __init__(self, **more: Any) -> None:
        super().__init__(required=False, max_length=20, **more)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text or text == USUAL:
            return USUAL
        if text.lower() == NO_CUTOFF:
            return None
        try:
            share = float(text)
        except ValueError:
            share = -1
        if not 0 <= share <= 1:
            raise forms.ValidationError("Give a share from 0 to 1, such as 0.3, or “none”.")
        return share

    def rest_field(self, **common: Any) -> Any:
        return CutoffRestField(min_value=0, max_value=1, allow_null=True, **common | {"help_text": CUTOFF_OF_REST})

    def text_of(self, value: Any) -> str:
        return str(value)


class CutoffsForm(forms.Form):
    """How many of a question's words may stand in the titles of its targets, and how they are counted."""

    overlap_definition = forms.ChoiceField(
        label="How overlap is counted", choices=OverlapDefinition.choices, initial=DEFAULT, help_text=OWN_CUTOFFS
    )
    cutoff_inside = CutoffField(
        label="Cut-off, source inside",
        help_text="A question is filtered out if a larger share of its words is in the titles of its targets."
        " Empty: the usual cut-off. “none”: no filter.",
    )
    cutoff_outside = CutoffField(
        label="Cut-off, source outside", help_text="The same for questions from papers outside the collection."
    )

    @staticmethod
    def initial_of(run: QuestionRun) -> dict[str, str]:
        """What the form shows of a run: nothing for a cut-off that belongs to its definition."""
        own = DEFINITIONS[run.overlap_definition]
        shown = {"cutoff_inside": (run.cutoff_inside, own.inside), "cutoff_outside": (run.cutoff_outside, own.outside)}
        values = {name: _shown(value) for name, (value, usual) in shown.items() if value != usual}
        return values | {"overlap_definition": run.overlap_definition}


def _shown(cutoff: float | None) -> str:
    return NO_CUTOFF if cutoff is None else f"{cutoff:g}"


class PromptField(forms.ModelChoiceField):
    """A prompt for questions of the collection: NAME, which is its newest version, or NAME@VERSION."""

    collection: Collection

    def prepare_value(self, value: Any) -> Any:
        return value.named if isinstance(value, PromptTemplate) else value

    def to_python(self, value: Any) -> PromptTemplate | None:
        if not value:
            return None
        try:
            return prompt_named(self.collection, str(value), PromptPurpose.QUESTIONS)
        except Refused as refusal:
            raise forms.ValidationError(refusal.reason) from refusal


class GenerationForm(CutoffsForm):
    """Which mentions to ask about, with which prompt, how strictly filtered: the same at each door."""

    overlap_definition = forms.ChoiceField(
        required=False,
        label="How overlap is counted",
        choices=[("", f"usual ({DEFAULT})"), *OverlapDefinition.choices],
        help_text=f"{OWN_CUTOFFS} Stored answers keep their way of counting with “usual”.",
    )
    source = forms.ChoiceField(
        required=False,
        label="Source paper",
        choices=[("", "Inside and outside"), ("inside", "Inside the collection"), ("outside", "Outside")],
    )
    words = forms.CharField(required=False, max_length=300, label="Words in the paragraph")
    used = forms.ChoiceField(
        required=False,
        label="Asked about before",
        choices=Used.choices,
        initial=Used.NO,
    )
    sample = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MOST_SAMPLED,
        initial=USUAL_SAMPLE,
        label="Random sample of",
        help_text="Number of mentions drawn at random; 0 or empty: all.",
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=LARGEST_SEED,
        initial=USUAL_SEED,
        help_text="The same seed takes the same mentions.",
    )
    prompt = PromptField(
        PromptTemplate.objects.none(),
        required=False,
        label="Prompt",
        empty_label=None,
        help_text="NAME or NAME@VERSION; the newest version, unless another is chosen.",
    )
    endpoint = EndpointField(ModelPurpose.CHAT)
    field_order = ["source", "words", "used", "sample", "seed", "prompt", "endpoint"]

    def __init__(self, *args: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["endpoint"].offer(collection)  # type: ignore[attr-defined]
        versions = prompt_versions(collection)
        field = self.fields["prompt"]
        field.queryset, field.collection = versions, collection  # type: ignore[attr-defined]
        field.initial = versions.first()
        if field.initial is None and not self.data.get("prompt"):
            del self.fields["prompt"]

    @classmethod
    def of(cls, given: Mapping[str, Any], collection: Collection) -> Self:
        """Bound to what was given; what was left out is what the page begins with."""
        usual = {name: field.initial for name, field in cls.base_fields.items() if field.initial is not None}
        return cls(usual | dict(given), collection=collection)

    @property
    def choice(self) -> dict[str, Any]:
        """Which mentions, as `mentions_to_ask` takes it; only after the form was found valid."""
        values = self.cleaned_data
        return {
            "source": values["source"],
            "words": values["words"],
            "used": Used(values["used"] or Used.NO),
            "sample": values["sample"] or 0,
            "seed": USUAL_SEED if values["seed"] is None else values["seed"],
        }

    @property
    def cutoffs(self) -> dict[str, Any]:
        """Without what was left open."""
        values = self.cleaned_data
        given = {name: values[name] for name in ("cutoff_inside", "cutoff_outside") if values[name] != USUAL}
        definition = values["overlap_definition"]
        return given | ({"overlap_definition": OverlapDefinition(definition)} if definition else {})

    @property
    def template(self) -> PromptTemplate | None:
        return self.cleaned_data.get("prompt")

    @property
    def arguments(self) -> dict[str, Any]:
        """Those of `generate_questions` and `preview_questions`."""
        return {**self.choice, "prompt": self.template, "endpoint": self.cleaned_data["endpoint"], **self.cutoffs}


class ContinuationForm(forms.Form):
    ask_again = forms.BooleanField(
        required=False,
        help_text="Ask again also where the kept answer could not be read, was a refusal or was cut off.",
    )


class PromptForm(forms.Form):
    body = forms.CharField(
        label="Prompt",
        strip=False,
        max_length=LONGEST_BODY,
        widget=forms.Textarea(attrs={"rows": 28, "spellcheck": "true", "class": "input mono"}),
        help_text=(
            "{{paragraph}} and {{titles}} are filled in, each once. The form of the answer must stay: lines that begin "
            "with QUESTION: and ANSWER:, and keys such as cite_001."
        ),
    )


class CorrectionForm(forms.Form):
    text = forms.CharField(
        label="The answer as it should read",
        max_length=LONGEST_CORRECTION,
        widget=forms.Textarea(attrs={"rows": 8, "class": "input mono"}),
    )


class QuestionFilterForm(forms.Form):
    """Which generated questions."""

    q = forms.CharField(required=False, max_length=300, label="Words", widget=forms.TextInput(attrs={"type": "search"}))
    state = forms.ChoiceField(required=False, label="State", choices=[("", "All"), *QuestionState.choices])
    source = forms.ChoiceField(
        required=False,
        label="Source",
        choices=[("", "All"), (INLINE_INSIDE, "Inside the collection"), (INLINE_OUTSIDE, "Outside")],
    )
    run = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)
