"""Forms of the query workshop: shape only, the actions decide."""

from typing import Any

from django import forms

from corpus.models import ReviewVerdict, Topic, TopicVersion
from corpus.pdf.sentences import sentence_spans
from corpus.topics.actions.reviews import LONGEST_NOTE

LONGEST_QUERY = 50_000  # characters


class QueryForm(forms.Form):
    """The sentences of a query, one in each line; `seen` is the newest version the writer knows, 0 for none."""

    query = forms.CharField(max_length=LONGEST_QUERY, widget=forms.Textarea(attrs={"rows": 8}))
    seen = forms.IntegerField(min_value=0)

    def clean_query(self) -> list[str]:
        lines = lines_of(str(self.cleaned_data["query"]))
        if not lines:
            raise forms.ValidationError("Write the query, one sentence in each line.")
        return lines


class CheckForm(forms.Form):
    """What is being written: a query, or the text of an aspect that replaces `node` or is to stand below `parent`."""

    query = forms.CharField(required=False, max_length=LONGEST_QUERY)
    text = forms.CharField(required=False)
    node = forms.IntegerField(required=False)
    parent = forms.IntegerField(required=False)


class StepForm(forms.Form):
    """One step back or forth in the history; `seen` is the newest version the person knows."""

    way = forms.ChoiceField(choices=[("undo", "Undo"), ("redo", "Redo")])
    seen = forms.IntegerField(min_value=0)


class SeenForm(forms.Form):
    seen = forms.IntegerField(min_value=0)


class CompareForm(forms.Form):
    """Two versions of a topic; without an answer, the newest and the one before it."""

    old = forms.TypedChoiceField(coerce=int, required=False)
    new = forms.TypedChoiceField(coerce=int, required=False)

    def __init__(self, *args: Any, versions: list[TopicVersion], **options: Any) -> None:
        super().__init__(*args, **options)
        for name in ("old", "new"):
            self.fields[name].choices = [(str(each.number), f"Version {each.number}") for each in versions]  # type: ignore[attr-defined]


class ReviewForm(forms.Form):
    """A decision on a topic, with a remark on each of its aspects that deserves one."""

    verdict = forms.ChoiceField(
        choices=[(ReviewVerdict.APPROVED, "Approve"), (ReviewVerdict.CHANGES, "Ask for changes")]
    )
    note = forms.CharField(required=False, max_length=LONGEST_NOTE, widget=forms.Textarea(attrs={"rows": 3}))
    seen = forms.IntegerField(min_value=0)

    def __init__(self, *args: Any, aspects: list[str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.aspects = aspects
        for at in range(len(aspects)):
            self.fields[f"remark-{at}"] = forms.CharField(required=False, max_length=LONGEST_NOTE)

    @property
    def remarks(self) -> dict[str, str]:
        """The remarks by the text of the aspect."""
        given = {text: self.cleaned_data[f"remark-{at}"] for at, text in enumerate(self.aspects)}
        return {text: remark for text, remark in given.items() if remark}


def lines_of(text: str) -> list[str]:
    """The lines that hold anything, white space collapsed."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return [line for line in lines if line]


def split_lines(lines: list[str]) -> list[str]:
    """The same with every sentence in a line of its own."""
    return [line[start:end] for line in lines for start, end in sentence_spans(line)]


def query_initial(topic: Topic) -> str:
    """The query as the form shows it: its sentences, or where there are none, what looks like sentences in the text."""
    return "\n".join(topic.sentences or split_lines(lines_of(topic.text)))
