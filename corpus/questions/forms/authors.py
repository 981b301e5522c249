"""Forms of calls to authors, and of the author's own page."""

from datetime import date, datetime, time
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.addresses import LONGEST_ADDRESS, check_characters
from accounts.counting import numeral
from corpus.models import LONGEST_QUESTION, MailPurpose, QuestionCall
from corpus.questions.author_words import BODY, GUIDELINE, SUBJECT
from corpus.questions.authors import BLANKS
from engines.text.questions import holds_markup, holds_unseen
from engines.text.words import tokens

SHORTEST_QUESTION = 15  # characters: less cannot ask for anything
MAX_CSV_BYTES = 4 << 20


def end_of(day: date) -> datetime:
    """The last second of a day, in the site's time zone."""
    return datetime.combine(day, time(23, 59, 59), tzinfo=timezone.get_current_timezone())


class CallForm(forms.Form):
    """What a call says and until when it takes answers."""

    name = forms.CharField(max_length=100, help_text="For you, such as “authors of 2026”.")
    source = forms.SlugField(
        max_length=60,
        initial="author",
        label="Source of the topics",
        help_text="Topics made of the answers are marked with it, and statistics are shown for each source.",
    )
    deadline_at = forms.DateField(
        label="Last day",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="Authors can change their question until the end of this day.",
    )
    guideline = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 14}),
        initial=GUIDELINE,
        help_text="Markdown. Authors see it next to the field for their question.",
    )
    mail_subject = forms.CharField(max_length=200, label="Subject of the letter", initial=SUBJECT)
    mail_body = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 18}),
        label="Letter",
        initial=BODY,
        help_text=f"Placeholders: {', '.join('{' + name + '}' for name in BLANKS)}. Required: {{link}}, {{opt_out}}.",
    )

    def clean_deadline_at(self) -> datetime:
        return end_of(self.cleaned_data["deadline_at"])

    @classmethod
    def of(cls, call: QuestionCall, data: Any = None) -> "CallForm":
        """The form filled with a call."""
        values = {name: getattr(call, name) for name in cls.base_fields}
        values["deadline_at"] = timezone.localtime(call.deadline_at).date()
        return cls(data, initial=values)


class AuthorForm(forms.Form):
    """One author to ask."""

    email = forms.EmailField(label="E-mail address", max_length=LONGEST_ADDRESS, validators=[check_characters])
    name = forms.CharField(max_length=150, required=False, help_text="As shown in the letter.")
    docno = forms.CharField(
        label="Paper", max_length=300, help_text="Its docno: the id next to its title in the list of documents."
    )


class MailingForm(forms.Form):
    """Which letters are sent."""

    purpose = forms.ChoiceField(
        choices=MailPurpose.choices,
        help_text="Invitations, or reminders to those who have not answered.",
        error_messages=dict.fromkeys(("required", "invalid_choice"), "Choose invitations or reminders."),
    )


class AuthorsFileForm(forms.Form):
    """Many authors to ask."""

    file = forms.FileField(
        label="CSV file",
        help_text="Columns email, docno and, if you have it, name; a header line with these names.",
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MAX_CSV_BYTES:
            raise forms.ValidationError(f"The file is larger than {MAX_CSV_BYTES >> 20} MB. Split it.")
        return file


class QuestionForm(forms.Form):
    """The first step: the question alone."""

    text = forms.CharField(
        label=gettext_lazy("Your question"),
        help_text=gettext_lazy("One question that this paper answers, in words other than its title's."),
        min_length=SHORTEST_QUESTION,
        # No `max_length`: with it browsers cut what is pasted and say nothing.
        widget=forms.Textarea(attrs={"rows": 4, "class": "question-field"}),
    )
    seen = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    # People do not see this field and leave it empty; programs that fill in whatever they find do not.
    homepage = forms.CharField(required=False, widget=forms.TextInput(attrs={"tabindex": "-1", "autocomplete": "off"}))

    def clean_text(self) -> str:
        text = " ".join(self.cleaned_data["text"].split())
        if len(text) > LONGEST_QUESTION:
            longer = _(
                "This has {count} characters, and a question at most {most}. All of it is still in the field: shorten"
                " it there and send it again."
            )
            raise forms.ValidationError(longer.format(count=numeral(len(text)), most=numeral(LONGEST_QUESTION)))
        if holds_markup(text):
            raise forms.ValidationError(_("A question is plain text. Write it without HTML tags or other markup."))
        if holds_unseen(text):
            raise forms.ValidationError(_("It contains invisible characters. Type it instead of pasting it."))
        if not tokens(text):
            raise forms.ValidationError(_("It contains no words."))
        return text

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.pop("homepage", ""):
            raise forms.ValidationError(
                _("This looks like it was filled in by a program. Leave the hidden field empty.")
            )
        return cleaned


class AnswerForm(QuestionForm):
    """The second step: the question again, consent and credit."""

    consent = forms.BooleanField(
        label=gettext_lazy(
            "I wrote this question, and it may be published as part of the collection under its licence."
        ),
        error_messages={
            "required": gettext_lazy("Without your consent the question cannot be part of the collection.")
        },
    )
    show_name = forms.BooleanField(label=gettext_lazy("Name me in the acknowledgements."), required=False)
    credit_name = forms.CharField(
        label=gettext_lazy("Your name, as it should appear"),
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.pop("show_name", False):
            cleaned["credit_name"] = " ".join(cleaned.get("credit_name", "").split())
            if holds_markup(cleaned["credit_name"]) or holds_unseen(cleaned["credit_name"]):
                self.add_error("credit_name", _("A name is plain text. Write it without HTML tags or other markup."))
            if not cleaned.get("credit_name") and "credit_name" not in self.errors:
                self.add_error("credit_name", _("Enter the name to be shown, or clear the checkbox."))
        else:
            cleaned["credit_name"] = ""
        return cleaned
