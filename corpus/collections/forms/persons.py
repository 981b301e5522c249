"""Forms about a person's data."""

from django import forms

LABELS = [
    ("keep", "Keep them under a pseudonym: results stay as they are"),
    ("exclude", "Exclude them: results made with them are shown as out of date"),
]


class ErasureRequestForm(forms.Form):
    """What becomes of the labels."""

    labels = forms.ChoiceField(label="Labels", choices=LABELS, initial="keep", widget=forms.RadioSelect)

    @property
    def keeps_labels(self) -> bool:
        return bool(self.cleaned_data["labels"] == "keep")


class ErasureForm(ErasureRequestForm):
    """The same with the person's address typed again, so that nobody erases the wrong person."""

    typed = forms.CharField(
        label="Their e-mail address", max_length=254, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )


class PersonFilterForm(forms.Form):
    """Which people are listed."""

    q = forms.CharField(label="Name or address", max_length=254, required=False)
    show = forms.ChoiceField(
        label="Show", choices=[("", "Everyone"), ("requests", "Requests for erasure")], required=False
    )
