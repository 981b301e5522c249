"""Forms about citation mentions."""

from typing import Any

from django import forms

from corpus.models import DiscardReason
from corpus.questions.actions.mentions import LONGEST_NOTE
from corpus.questions.reads.mentions import MentionFilter

MOST_SAMPLED = 1_000_000
LARGEST_SEED = 2**31 - 1
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
