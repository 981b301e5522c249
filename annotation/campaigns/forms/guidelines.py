"""The form that writes a guideline."""

from django import forms

from annotation.definitions.settings import GUIDELINE


class GuidelineForm(forms.Form):
    """The text, and the version it started from."""

    body = forms.CharField(
        label="Guideline",
        widget=forms.Textarea(attrs={"rows": 24}),
        max_length=GUIDELINE.most,
        strip=False,
        help_text="Markdown: # headings, **bold**, lists, tables, links. HTML and images are not shown.",
    )
    based_on = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
