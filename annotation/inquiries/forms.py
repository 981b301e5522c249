"""The form in which a manager answers, and the filter of the list."""

from typing import Any

from django import forms

from annotation.models import Audience, Inquiry
from engines.definitions.settings import ANSWER

SHOW = {"open": "Waiting for an answer", "answered": "Answered", "": "All"}


class AnswerForm(forms.Form):
    """An answer, and who sees it."""

    answer = forms.CharField(
        label="Answer",
        widget=forms.Textarea(attrs={"rows": 5}),
        max_length=ANSWER.most,
        help_text="Annotators read it next to the item. Do not write how anybody judged.",
    )
    audience = forms.ChoiceField(
        label="Who sees the answer",
        choices=Audience.choices,
        widget=forms.RadioSelect,
        help_text="Others see only the answer, not the question or who asked it.",
    )

    def __init__(self, data: Any = None, *, inquiry: Inquiry) -> None:
        super().__init__(data, initial={"answer": inquiry.answer, "audience": inquiry.audience})
        if inquiry.item.topic_id is None:
            choices = [each for each in Audience.choices if each[0] != Audience.TOPIC]
            self.fields["audience"].choices = choices  # type: ignore[attr-defined]
