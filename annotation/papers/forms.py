"""Forms of the extraction page."""

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

MOST_BYTES = 5_000_000


class RevisionForm(forms.Form):
    """An annotator's corrected XML, made from revision `base`."""

    file = forms.FileField(
        label=gettext_lazy("Corrected XML"),
        help_text=gettext_lazy(
            "In the format of the file that you can download here. It becomes the newest version; earlier "
            "versions are kept."
        ),
    )
    base = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def clean_file(self) -> forms.FileField:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(_("The file is larger than 5 MB, far more than the contexts of one paper."))
        return file
