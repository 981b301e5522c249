"""Forms about citation mentions and the questions generated from them."""

from typing import Any

from django import forms

from corpus.models import Collection, DiscardReason, OverlapDefinition, PromptTemplate, QuestionState
from corpus.models.generation import INLINE_INSIDE, INLINE_OUTSIDE
from corpus.questions.actions.mentions import LONGEST_NOTE
from corpus.questions.actions.prompts import LONGEST_BODY
from corpus.questions.actions.questions import LONGEST_CORRECTION
from corpus.questions.reads.generation import prompt_versions
from corpus.questions.reads.mentions import MentionFilter

MOST_SAMPLED = 1_000_000
LARGEST_SEED = 2**31 - 1
USUAL_SAMPLE = 50
USUAL_SEED = 1
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


class CutoffsForm(forms.Form):
    """How many of a question's words may stand in the titles of its targets."""

    cutoff_inside = forms.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        initial=0.3,
        label="Cut-off, source inside",
        widget=forms.NumberInput(attrs={"step": "0.05"}),
        help_text="Highest share of a question's words in the titles it asks for. Empty: no filter.",
    )
    cutoff_outside = forms.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        initial=0.1,
        label="Cut-off, source outside",
        widget=forms.NumberInput(attrs={"step": "0.05"}),
        help_text="The same for papers from elsewhere.",
    )
    overlap_definition = forms.ChoiceField(label="Overlap compares", choices=OverlapDefinition.choices)

    @property
    def cutoffs(self) -> dict[str, Any]:
        """The arguments of the actions; only after the form was found valid."""
        names = ("cutoff_inside", "cutoff_outside")
        definition = OverlapDefinition(self.cleaned_data["overlap_definition"])
        return {name: self.cleaned_data[name] for name in names} | {"overlap_definition": definition}


class GenerationForm(CutoffsForm):
    """Which mentions to ask about, with which prompt, how strictly filtered."""

    source = forms.ChoiceField(
        required=False,
        label="Source paper",
        choices=[("", "Inside and outside"), ("inside", "Inside the collection"), ("outside", "Outside")],
    )
    q = forms.CharField(required=False, max_length=300, label="Words in the paragraph")
    used = forms.ChoiceField(
        required=False,
        label="Asked about before",
        choices=[("no", "Leave those out"), ("", "Take them again")],
        initial="no",
    )
    sample = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MOST_SAMPLED,
        initial=USUAL_SAMPLE,
        label="Random sample of",
        help_text="0, or nothing: all of them.",
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=LARGEST_SEED,
        initial=USUAL_SEED,
        help_text="The same seed takes the same mentions.",
    )
    prompt = forms.ModelChoiceField(PromptTemplate.objects.none(), required=False, label="Prompt", empty_label=None)
    field_order = ["source", "q", "used", "sample", "seed", "prompt"]

    def __init__(self, *args: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*args, **options)
        versions = prompt_versions(collection)
        field = self.fields["prompt"]
        field.queryset = versions  # type: ignore[attr-defined]
        field.initial = versions.first()
        if field.initial is None:
            del self.fields["prompt"]

    @property
    def criteria(self) -> MentionFilter:
        """The filter; only after the form was found valid."""
        values = self.cleaned_data
        return MentionFilter(
            source=values["source"],
            used=values["used"],
            text=values["q"].strip(),
            sample=values["sample"] or 0,
            seed=values["seed"] or 0,
        )

    @property
    def template(self) -> PromptTemplate | None:
        return self.cleaned_data.get("prompt")


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
