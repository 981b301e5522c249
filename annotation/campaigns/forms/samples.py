"""A form with every kind of field once, for the style page."""

from django import forms


class SampleForm(forms.Form):
    text = forms.CharField(label="A line of text", help_text="Help stands below its field; an error below the help.")
    notes = forms.CharField(label="Some paragraphs", required=False, widget=forms.Textarea(attrs={"rows": 3}))
    choice = forms.ChoiceField(label="One of some", choices=[("0", "First"), ("1", "Second")])
    grade = forms.ChoiceField(
        label="One of few", choices=[("0", "0 no"), ("1", "1 partly"), ("2", "2 yes")], widget=forms.RadioSelect
    )
    several = forms.MultipleChoiceField(
        label="Any of them",
        required=False,
        choices=[("dev", "Development"), ("test", "Test")],
        widget=forms.CheckboxSelectMultiple,
    )
    agreed = forms.BooleanField(label="Yes or no", required=False)
    upload = forms.FileField(label="A file", required=False)
