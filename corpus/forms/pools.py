"""Forms about runs and pools."""

from typing import Any

from django import forms

from corpus.actions.pools import DEEPEST
from corpus.models import Collection, RetrievalRun, Target
from corpus.models.pools import TARGETS
from corpus.queries.runs import list_runs


class BuildForm(forms.Form):
    """Which runs, how deep."""

    methods = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="Runs",
        error_messages={"required": "Choose at least one run."},
    )
    depth = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=DEEPEST,
        initial=100,
        help_text="How many documents of each ranking. 0, or nothing: whole rankings.",
    )

    def __init__(self, *args: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [(run.name, _words(run)) for run in list_runs(collection)]
        if targets := Target.objects.filter(topic__collection=collection).count():
            choices.append((TARGETS, f"documents known to answer a topic – {targets:,}"))
        self.fields["methods"].choices = choices  # type: ignore[attr-defined]
        self.fields["methods"].initial = [name for name, _ in choices]

    @property
    def has_choices(self) -> bool:
        return bool(self.fields["methods"].choices)  # type: ignore[attr-defined]


def _words(run: RetrievalRun) -> str:
    topics: int = run.n_topics  # type: ignore[attr-defined]
    deepest: int = run.deepest  # type: ignore[attr-defined]
    return f"{run.name} – {topics:,} topic{'' if topics == 1 else 's'}, up to {deepest:,} documents each"


class DocnoForm(forms.Form):
    docno = forms.CharField(max_length=300, label="Docno of a document to add")


class DescriptionForm(forms.Form):
    description = forms.CharField(
        required=False,
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="What the system was",
    )
