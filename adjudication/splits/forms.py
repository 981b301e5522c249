"""The form that draws a split, in the words of the command."""

from typing import Any, cast

from django import forms

from adjudication.evaluation.reads.subsets import CAMPAIGN_SPLIT, attribute_names
from annotation.definitions.settings import SEED
from corpus.models import Collection


class PartsField(forms.CharField):
    """Names with their shares, as `dev=40 test=60`: a dict."""

    def to_python(self, value: Any) -> Any:
        return parse_parts((super().to_python(value) or "").replace(",", " ").split())


def parse_parts(words: list[str]) -> dict[str, float]:
    """{part: share} of words such as `dev=40`. Errors: ValidationError."""
    found: dict[str, float] = {}
    for word in words:
        name, _, share = word.partition("=")
        try:
            number = float(share)
        except ValueError:
            raise forms.ValidationError(f"“{word[:40]}” is not a name with its share, such as dev=40.") from None
        if name in found:
            raise forms.ValidationError(f"“{name[:40]}” is named twice.")
        found[name] = number
    return found


def _is_no_split(name: str) -> bool:
    return not name.startswith("split") and name != CAMPAIGN_SPLIT


class SplitForm(forms.Form):
    name = forms.CharField(label="Name", max_length=40, initial="dev-test")
    parts = PartsField(
        label="Parts", max_length=400, initial="dev=40 test=60", help_text="Each with its share of the topics."
    )
    within = forms.MultipleChoiceField(
        label="Balanced by",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Every part gets its share of the topics of each value.",
    )
    together = forms.MultipleChoiceField(
        label="Kept together by",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Topics of one value are all in the same part, such as all questions of one author.",
    )
    seed = forms.IntegerField(label="Seed", initial=1, min_value=SEED.least, max_value=SEED.most)

    def __init__(self, data: Any = None, *, collection: Collection, **more: Any) -> None:
        super().__init__(data, **more)
        names = [(name, name.replace("_", " ")) for name in attribute_names(collection) if _is_no_split(name)]
        for each in ("within", "together"):
            cast(forms.ChoiceField, self.fields[each]).choices = names
