"""Forms that make and describe collections."""

from django import forms

from corpus.models import Collection


class CollectionForm(forms.ModelForm):
    """Title, description and licence."""

    class Meta:
        model = Collection
        fields = ["title", "description", "licence"]
        widgets = {"description": forms.Textarea(attrs={"rows": 4})}
        help_texts = {
            "title": "As it will be cited, for example “Questions on astrochemistry”.",
            "description": "What it is about and who it is for. Members read it.",
            "licence": "Of what you will release, for example CC BY 4.0.",
        }


class NewCollectionForm(CollectionForm):
    """The same with the slug, which cannot be changed later."""

    class Meta(CollectionForm.Meta):
        fields = ["title", "slug", "description", "licence"]
        labels = {"slug": "Short name"}
        help_texts = {
            **CollectionForm.Meta.help_texts,
            "slug": "Letters, digits and hyphens. It stands in addresses and file names and cannot be changed.",
        }

    def validate_unique(self) -> None:
        """Left to the action: the database decides, also between two requests at once."""
