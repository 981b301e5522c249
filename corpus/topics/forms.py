"""Forms about topics, their aspects, reviews and sub-queries: shape only, the actions decide."""

from collections.abc import Iterable
from typing import Any

from django import forms

from corpus.models import Collection, ReviewVerdict, Topic, TopicKind, TopicVersion
from corpus.models.topics import LONGEST_AUTHOR, LONGEST_CATEGORY, LONGEST_SOURCE
from corpus.topics.reviews import LONGEST_NOTE
from corpus.topics.sub_queries import MOST_ASPECTS
from corpus.topics.topics import has_aspects, next_number
from corpus.topics.trees import LONGEST_ASPECT
from engines.formats.records import MAX_TOPIC_LENGTH
from engines.pdf.sentences import sentence_spans

LONGEST_QUERY = 50_000  # characters


MORE = ("sentences", "source", "author", "category", "source_papers", "targets")  # what few topics have, folded


class TopicForm(forms.Form):
    """A topic without its tree. Sentences stand one in a line; with them the text is their join."""

    number = forms.CharField(
        max_length=MAX_TOPIC_LENGTH, help_text="The topic's identifier in exported files, without spaces."
    )
    kind = forms.ChoiceField(choices=TopicKind.choices, initial=TopicKind.QUESTION)
    title = forms.CharField(required=False, max_length=1000, help_text="Short, for lists. Annotators see it too.")
    text = forms.CharField(required=False, label="Question or query", widget=forms.Textarea(attrs={"rows": 5}))
    text.is_needed = True  # type: ignore[attr-defined]  # as text, or as sentences: see `clean`
    sentences = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="One per line, to tie aspects to sentences. The text then consists of these sentences.",
    )
    narrative = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What counts as an answer and what does not.",
    )
    source = forms.CharField(
        required=False, max_length=LONGEST_SOURCE, help_text="Where it comes from, for example author or inline-acl."
    )
    author = forms.CharField(required=False, max_length=LONGEST_AUTHOR)
    category = forms.CharField(
        required=False,
        max_length=LONGEST_CATEGORY,
        help_text="What it is about, for example NLP. Evaluations can be broken down by it. Annotators do not see it.",
    )
    source_papers = forms.CharField(
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Docnos of the papers that the query was written from, one in each line. They stay out of its pool, "
        "and lead to papers that cite them or are cited by them. Annotators do not see them.",
    )

    targets = forms.CharField(
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Known answers",
        help_text="Docnos of documents known to answer it, one in each line. Annotators do not see them.",
    )

    @property
    def more(self) -> list[forms.BoundField]:
        return [self[name] for name in MORE]

    @property
    def has_more(self) -> bool:
        return any(field.value() for field in self.more)

    def clean_source_papers(self) -> list[str]:
        return list(dict.fromkeys(self.cleaned_data["source_papers"].split()))

    def clean_targets(self) -> list[str]:
        return list(dict.fromkeys(self.cleaned_data["targets"].split()))

    def clean_number(self) -> str:
        number = str(self.cleaned_data["number"])
        if len(number.split()) != 1:
            raise forms.ValidationError("A number must not contain spaces: TREC files separate their columns by them.")
        return number

    def clean_sentences(self) -> list[str]:
        return lines_of(self.cleaned_data["sentences"])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not data.get("text") and not data.get("sentences"):
            self.add_error("text", "Write the question, as a text or as sentences.")
        return data

    def fix(self, names: Iterable[str]) -> None:
        """Show these fields without letting them be changed."""
        for name in names:
            self.fields[name].disabled = True


class NewTopicForm(TopicForm):
    """A new topic, with its aspects where the collection's topics have some, or where it has no topic yet."""

    aspects = forms.CharField(
        required=False,
        max_length=LONGEST_QUERY,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One in each line: what a document must do to meet it. Each is judged by itself. Sub-aspects and"
        " ties to sentences come afterwards.",
    )

    field_order = ("text", "number", "kind", "title", "aspects")

    def __init__(self, *args: Any, collection: Collection | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if collection is not None and collection.topics.exists() and not has_aspects(collection):
            del self.fields["aspects"]
        if collection is not None:
            self.fields["number"].initial = next_number(collection)

    def clean_aspects(self) -> list[str]:
        return list(dict.fromkeys(lines_of(self.cleaned_data["aspects"])))


def initial_of(topic: Topic) -> dict[str, Any]:
    """The topic as the form shows it."""
    names = ("number", "kind", "title", "text", "narrative", "source", "author", "category")
    targets = topic.targets.order_by("pk").values_list("document__docno", flat=True)
    lists = {"sentences": topic.sentences, "source_papers": topic.source_papers, "targets": targets}
    return {name: getattr(topic, name) for name in names} | {name: "\n".join(lines) for name, lines in lists.items()}


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


class SeenForm(forms.Form):
    seen = forms.IntegerField(min_value=0)


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
    note = forms.CharField(
        label="About the whole",
        required=False,
        max_length=LONGEST_NOTE,
        widget=forms.Textarea(attrs={"rows": 3, "id": "review-note"}),
    )
    seen = forms.IntegerField(min_value=0)

    def __init__(self, *args: Any, aspects: list[str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.aspects = aspects
        for at in range(len(aspects)):
            widget = forms.TextInput({"autocomplete": "off", "placeholder": "Remark"})
            self.fields[f"remark-{at}"] = forms.CharField(required=False, max_length=LONGEST_NOTE, widget=widget)

    @property
    def remarks(self) -> dict[str, str]:
        """The remarks by the text of the aspect."""
        remarks = {text: self.cleaned_data[f"remark-{at}"] for at, text in enumerate(self.aspects)}
        return {text: remark for text, remark in remarks.items() if remark}


def lines_of(text: str) -> list[str]:
    """The lines that hold anything, white space collapsed."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return [line for line in lines if line]


def split_lines(lines: list[str]) -> list[str]:
    """The lines, split so that each holds one sentence."""
    return [line[start:end] for line in lines for start, end in sentence_spans(line)]


def query_initial(topic: Topic) -> str:
    """The query as the form shows it: its sentences, or where there are none, what looks like sentences in the text."""
    return "\n".join(topic.sentences or split_lines(lines_of(topic.text)))


class SizeForm(forms.Form):
    size = forms.IntegerField(min_value=1, max_value=MOST_ASPECTS, initial=2, label="Aspects of a sub-query")


class SubQueryFilterForm(forms.Form):
    """Which sub-queries a list shows; invalid values do not narrow it."""

    size = forms.IntegerField(required=False, min_value=1, max_value=MOST_ASPECTS)
    topic = forms.CharField(required=False, max_length=MAX_TOPIC_LENGTH)

    @property
    def filters(self) -> dict[str, Any]:
        self.is_valid()
        return {"size": self.cleaned_data.get("size"), "topic": self.cleaned_data.get("topic") or ""}
