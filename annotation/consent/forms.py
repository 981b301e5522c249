"""Forms of consent: its text, and what people say of their background."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation.models import AfterWithdrawal, Stage
from annotation.models.consents import MOST_YEARS
from corpus.models import Collection

ABOUT = ("field", "stage", "years", "language")  # questions about the person
LONGEST = 20_000  # characters of a consent text


class ConsentTextForm(forms.Form):
    """What people agree to, and what becomes of their labels when they withdraw."""

    text = forms.CharField(
        max_length=LONGEST,
        required=False,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text="In Markdown: who does the study, why, what is stored, whom to ask. Empty: nothing is asked.",
    )
    after_withdrawal = forms.ChoiceField(
        label="If somebody withdraws",
        choices=AfterWithdrawal.choices,
        initial=AfterWithdrawal.KEEP,
        help_text="People read this below your text. Releases that are frozen already stay as they are.",
    )
    asks_background = forms.BooleanField(
        label="Ask for field, level, years and language",
        required=False,
        help_text="People may leave each empty. You see groups of at least five people, never one person.",
    )

    def __init__(self, *args: Any, collection: Collection | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        if newest := collection and collection.consent_texts.first():
            present = {"after_withdrawal": newest.after_withdrawal, "asks_background": newest.asks_background}
            self.initial = {"text": newest.body, **present, **self.initial}


class ConsentForm(forms.Form):
    """One person's agreement to a version of the text. The questions stand there only where they are asked."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput, help_text="the version that was read")
    field = forms.CharField(
        label=gettext_lazy("Your field"),
        max_length=80,
        required=False,
        help_text=gettext_lazy("For example: chemistry."),
    )
    stage = forms.ChoiceField(
        label=gettext_lazy("Your position"),
        choices=[("", gettext_lazy("Rather not say")), *[(each.value, gettext_lazy(each.label)) for each in Stage]],
        required=False,
    )
    years = forms.IntegerField(
        label=gettext_lazy("Years in your field"), min_value=0, max_value=MOST_YEARS, required=False
    )
    language = forms.CharField(label=gettext_lazy("Your first language"), max_length=40, required=False)

    def __init__(
        self, *args: Any, collection: Collection | None = None, person: User | None = None, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        newest = collection.consent_texts.first() if collection else None
        if newest:
            self.initial["version"] = newest.version
        if collection and not (newest and newest.asks_background):
            for name in ABOUT:
                del self.fields[name]
        said = collection.backgrounds.filter(user=person).first() if collection and person else None
        if said:
            self.initial = {**self.initial, **{name: getattr(said, name) for name in ABOUT}}
