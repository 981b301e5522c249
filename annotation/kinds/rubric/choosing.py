"""Which topics a rubric takes: by source, kind and words, chosen on a page, in a command or over the API."""

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from annotation.kind import Choosing
from annotation.kinds.names import check_known
from corpus.models import Collection, TopicKind

NO_SOURCE = "no source named"


@dataclass(frozen=True, slots=True)
class QuestionChoice:
    """Which topics to take: of these sources (none named: of all), of this kind, with these words in their text."""

    sources: tuple[str, ...] = ()
    topic_kind: str = ""
    words: str = ""


EVERYTHING = QuestionChoice()


class QuestionChoiceForm(forms.Form):
    sources = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Questions of these sources",
        help_text="None ticked: all sources. Questions above the cut-off of their source are left out.",
    )
    topic_kind = forms.ChoiceField(
        required=False, choices=[("", "all kinds"), *TopicKind.choices], label="Topics of this kind"
    )
    words = forms.CharField(required=False, max_length=200, label="With these words in the question")

    def __init__(self, data: Any = None, *, collection: Collection) -> None:
        super().__init__(data)
        fields: dict[str, Any] = self.fields
        found = collection.topics.order_by("source").values_list("source", flat=True).distinct()
        fields["sources"].choices = [(source or "-", source or NO_SOURCE) for source in found]
        if collection.topics.filter(kind=TopicKind.QUESTION).exists():
            self.initial["topic_kind"] = TopicKind.QUESTION  # complex queries are judged by their aspects, not rated

    def chosen(self) -> QuestionChoice:
        """The choice of a valid form."""
        values = self.cleaned_data
        sources = tuple("" if source == "-" else source for source in values["sources"])
        return QuestionChoice(sources, values["topic_kind"], values["words"].strip())


def read_choice(parameters: Mapping[str, Any]) -> QuestionChoice:
    """The choice from a build's parameters or the API's fields."""
    sources, kind, words = (parameters.get(name) or "" for name in ("sources", "topic_kind", "words"))
    return QuestionChoice(tuple(sources), kind, words.strip())


def check_choice(choice: QuestionChoice, collection: Collection) -> None:
    """Errors: Refused for sources that no topic of the collection has."""
    check_known(choice.sources, collection.topics.order_by().distinct(), "source", "source")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--source", action="append", default=[], metavar="S", help="rubric: of this source; repeat")
    parser.add_argument("--topic-kind", default="", choices=TopicKind.values, help="rubric: topics of this kind")
    parser.add_argument("--words", default="", metavar="WORDS", help="rubric: only questions with these words")


def choice_of_command(options: Mapping[str, Any]) -> QuestionChoice:
    return QuestionChoice(tuple(options["source"]), options["topic_kind"], options["words"].strip())


def api_fields() -> dict[str, Any]:
    from rest_framework import serializers  # a command needs none of it

    source = serializers.CharField(max_length=60, allow_blank=True)
    return {
        "sources": serializers.ListField(
            child=source, required=False, max_length=1_000, help_text="of a rubric: only questions of these sources"
        ),
        "topic_kind": serializers.ChoiceField(
            TopicKind.choices, required=False, help_text="of a rubric: only topics of this kind"
        ),
        "words": serializers.CharField(
            max_length=200, required=False, allow_blank=True, help_text="of a rubric: only questions with these words"
        ),
    }


QUESTIONS = Choosing(
    form=QuestionChoiceForm,
    read=read_choice,
    add_arguments=add_arguments,
    of_command=choice_of_command,
    api_fields=api_fields,
)
