"""Forms about collections, their people and a person's data."""

from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.html import escape

from accounts.addresses import LONGEST_ADDRESS, check_characters
from corpus.collections.address_lists import HELP, Address, BadList, read_addresses
from corpus.models import Collection, Role


class CollectionForm(forms.ModelForm):
    """Title, description, licence and language."""

    class Meta:
        model = Collection
        fields = ["title", "description", "licence", "language"]
        widgets: ClassVar[dict[str, forms.Widget]] = {"description": forms.Textarea(attrs={"rows": 4})}
        help_texts = {
            "title": "As it will be cited, for example “Questions on astrochemistry”.",
            "description": "What it is about and who it is for. Members read it.",
            "licence": "Of what you will release, for example CC BY 4.0.",
            "language": "Of most documents and topics. It chooses stemmer and stop words for search and new runs.",
        }


SLUG_WORDS = "Letters without accents, digits, hyphens and underscores."
SLUG_ERROR = {"invalid": "Use only letters without accents, digits, hyphens and underscores."}


class NewCollectionForm(CollectionForm):
    """A new collection: title, short name, description, licence and language."""

    class Meta(CollectionForm.Meta):
        fields = ["title", "slug", "description", "licence", "language"]
        labels = {"slug": "Short name"}
        help_texts = {
            **CollectionForm.Meta.help_texts,
            "slug": f"{SLUG_WORDS} It appears in URLs and file names. If you change it later, "
            "the former one keeps working.",
        }
        error_messages = {"slug": SLUG_ERROR}
        widgets: ClassVar[dict[str, forms.Widget]] = {
            **CollectionForm.Meta.widgets,
            "slug": forms.TextInput(attrs={"data-slug-of": "title", "autocomplete": "off", "spellcheck": "false"}),
        }

    def validate_unique(self) -> None:
        """Left to the action: the database decides, also between two requests at once."""


class AddressForm(forms.Form):
    """Another slug."""

    slug = forms.SlugField(
        label="Short name",
        max_length=80,
        help_text=f"{SLUG_WORDS} Links with the former short name keep working.",
        error_messages=SLUG_ERROR,
    )


class RemovalForm(forms.Form):
    """The slug typed again, so that nobody deletes the wrong collection."""

    confirm = forms.CharField(
        label="Short name of the collection", max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )


INVITED_IN = "Of the mail and of the page that it leads to."


class InvitationForm(forms.Form):
    """Whom to ask, and as what."""

    email = forms.EmailField(label="E-mail address", max_length=LONGEST_ADDRESS, validators=[check_characters])
    role = forms.TypedChoiceField(choices=Role.choices, coerce=Role, initial=Role.ANNOTATOR)
    mail_language = forms.ChoiceField(
        label="Language", choices=settings.LANGUAGES, required=False, help_text=INVITED_IN
    )


class InvitationListForm(forms.Form):
    """Many addresses at once, pasted from anywhere: a mail, a table, a list."""

    # No `max_length`: with it, browsers cut a pasted text without a word.
    emails = forms.CharField(
        label="E-mail addresses",
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text=escape(HELP),
        strip=False,  # lines are counted as they were typed
    )
    role = forms.TypedChoiceField(choices=Role.choices, coerce=Role, initial=Role.ANNOTATOR)
    mail_language = forms.ChoiceField(
        label="Language", choices=settings.LANGUAGES, required=False, help_text=INVITED_IN
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, auto_id="list_%s")  # the form for one address is on the same page

    def clean_emails(self) -> list[Address]:
        """The addresses, each once, in their order. Errors name what is no address, by line."""
        try:
            return read_addresses(self.cleaned_data["emails"])
        except BadList as bad:
            raise ValidationError(list(bad.reasons)) from bad


class RoleForm(forms.Form):
    role = forms.TypedChoiceField(choices=Role.choices, coerce=Role)


LABELS = [
    ("keep", "Keep them under a pseudonym: results stay as they are"),
    ("exclude", "Exclude them: results based on them are marked as out of date"),
]


class ErasureRequestForm(forms.Form):
    """What becomes of the labels."""

    labels = forms.ChoiceField(label="Labels", choices=LABELS, initial="keep", widget=forms.RadioSelect)

    @property
    def keeps_labels(self) -> bool:
        return bool(self.cleaned_data["labels"] == "keep")


class ErasureForm(ErasureRequestForm):
    """What becomes of the labels, and the person's address typed again, so that nobody erases the wrong person."""

    confirm = forms.CharField(
        label="Their e-mail address", max_length=254, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )


class PersonFilterForm(forms.Form):
    """Which people are listed."""

    q = forms.CharField(
        label="Name or address",
        max_length=254,
        required=False,
        widget=forms.TextInput({"type": "search", "autocomplete": "off"}),
    )
    show = forms.ChoiceField(
        label="Show", choices=[("", "Everyone"), ("requests", "Requests for erasure")], required=False
    )
