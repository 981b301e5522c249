"""Forms about runs and pools."""

from typing import Any

from django import forms

from corpus.actions.pools import DEEPEST
from corpus.models import Collection
from corpus.models.pools import TARGETS


class BuildForm(forms.Form):
    """Which runs, how deep."""

    methods = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="Runs",
        error_messages={"required": "Choose at least one run."},
    )
    depth = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=DEEPEST,
        initial=100,
        help_text="Documents of each ranking. Empty: whole rankings.",
    )

    def __init__(self, *args: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*args, **options)
        runs = collection.retrieval_runs.order_by("name").values_list("name", flat=True)
        choices = [*((name, name) for name in runs), (TARGETS, "documents known to answer (targets)")]
        self.fields["methods"].choices = choices  # type: ignore[attr-defined]
        self.fields["methods"].initial = list(runs)


class DocnoForm(forms.Form):
    docno = forms.CharField(max_length=300, label="Docno of a document to add")


class DescriptionForm(forms.Form):
    description = forms.CharField(
        required=False,
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="What the system was",
    )
