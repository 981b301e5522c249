"""Forms that make and describe collections."""

from typing import ClassVar

from django import forms

from corpus.models import Collection


class CollectionForm(forms.ModelForm):
    """Title, description and licence."""

    class Meta:
        model = Collection
        fields = ["title", "description", "licence"]
        widgets: ClassVar[dict[str, forms.Widget]] = {"description": forms.Textarea(attrs={"rows": 4})}
        help_texts = {
            "title": "As it will be cited, for example “Questions on astrochemistry”.",
            "description": "What it is about and who it is for. Members read it.",
            "licence": "Of what you will release, for example CC BY 4.0.",
        }


SLUG_WORDS = "Letters without accents, digits, hyphens and underscores."
SLUG_ERROR = {"invalid": "Use only letters without accents, digits, hyphens and underscores."}


class NewCollectionForm(CollectionForm):
    """The same with the slug."""

    class Meta(CollectionForm.Meta):
        fields = ["title", "slug", "description", "licence"]
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

    typed = forms.CharField(
        label="Short name of the collection", max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
