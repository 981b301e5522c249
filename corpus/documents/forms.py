"""What narrows the list of documents."""

from django import forms

from corpus.documents.finding import Filters

LATEST_YEAR = 9999


class SearchForm(forms.Form):
    """Words in titles and abstracts, years and a venue."""

    q = forms.CharField(
        required=False,
        max_length=1000,
        label="Words, or a docno",
        widget=forms.TextInput({"type": "search", "autocomplete": "off", "aria-describedby": "search-help"}),
    )
    year_from = forms.IntegerField(required=False, min_value=0, max_value=LATEST_YEAR, label="From year")
    year_to = forms.IntegerField(required=False, min_value=0, max_value=LATEST_YEAR, label="To year")
    venue = forms.CharField(
        required=False,
        max_length=300,
        label="Venue contains",
        widget=forms.TextInput({"type": "search", "autocomplete": "off"}),
    )

    @property
    def filters(self) -> Filters:
        data = self.cleaned_data
        return Filters(data.get("year_from"), data.get("year_to"), data.get("venue", ""))
