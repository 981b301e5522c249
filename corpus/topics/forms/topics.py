"""Forms about topics and aspects: shape only, the actions decide."""

from collections.abc import Iterable
from typing import Any

from django import forms

from corpus.models import Topic, TopicKind
from corpus.topics.jobs.trees import LONGEST_ASPECT


class TopicForm(forms.Form):
    """A topic without its tree. Sentences stand one in a line; with them the text is their join."""

    number = forms.CharField(max_length=100, help_text="Its name in exported files, without spaces.")
    kind = forms.ChoiceField(choices=TopicKind.choices, initial=TopicKind.QUESTION)
    title = forms.CharField(required=False, max_length=1000, help_text="Short, for lists. Annotators see it too.")
    text = forms.CharField(required=False, label="Question or query", widget=forms.Textarea(attrs={"rows": 5}))
    sentences = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="One in each line, if aspects are to be tied to sentences. The text is then their join.",
    )
    narrative = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What counts as an answer and what does not.",
    )
    source = forms.CharField(
        required=False, max_length=60, help_text="Where it comes from, for example author or inline-acl."
    )
    author = forms.CharField(required=False, max_length=200)
    source_papers = forms.CharField(
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Docnos of the papers that the query was written from, one in each line. They stay out of its pool, "
        "and lead to papers that cite them or are cited by them. Annotators do not see them.",
    )

    def clean_source_papers(self) -> list[str]:
        return list(dict.fromkeys(self.cleaned_data["source_papers"].split()))

    def clean_number(self) -> str:
        number = str(self.cleaned_data["number"])
        if len(number.split()) != 1:
            raise forms.ValidationError("A number must not contain spaces: TREC files separate their columns by them.")
        return number

    def clean_sentences(self) -> list[str]:
        lines = (" ".join(line.split()) for line in self.cleaned_data["sentences"].split("\n"))
        return [line for line in lines if line]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not data.get("text") and not data.get("sentences"):
            self.add_error("text", "Write the question, as a text or as sentences.")
        return data

    def fix(self, names: Iterable[str]) -> None:
        """Show these fields without letting them be changed."""
        for name in names:
            self.fields[name].disabled = True


def initial_of(topic: Topic) -> dict[str, Any]:
    """The topic as the form shows it."""
    names = ("number", "kind", "title", "text", "narrative", "source", "author")
    lists = {"sentences": "\n".join(topic.sentences), "source_papers": "\n".join(topic.source_papers)}
    return {**{name: getattr(topic, name) for name in names}, **lists}


class AspectForm(forms.Form):
    """A place in the tree: its text, the place above it, the sentences it comes from (by places from 0)."""

    text = forms.CharField(max_length=LONGEST_ASPECT)
    parent = forms.IntegerField(required=False)
    sentences = forms.TypedMultipleChoiceField(required=False, coerce=int)

    def __init__(self, *args: Any, topic: Topic, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["sentences"].choices = [(str(n), sentence) for n, sentence in enumerate(topic.sentences)]  # type: ignore[attr-defined]


class TieForm(forms.Form):
    """A sentence of the topic, by its place from 0."""

    sentence = forms.IntegerField(min_value=0)


class PlaceForm(forms.Form):
    """Where something is to go: one step (`way`), or a place from 0, for aspects below a parent or on top."""

    way = forms.CharField(required=False)
    parent = forms.IntegerField(required=False)
    place = forms.IntegerField(required=False, min_value=0)
