"""Forms about sub-queries."""

from typing import Any

from django import forms

from corpus.topics.actions.sub_queries import MOST_ASPECTS


class SizeForm(forms.Form):
    size = forms.IntegerField(min_value=1, max_value=MOST_ASPECTS, initial=2, label="Aspects of a sub-query")


class FilterForm(forms.Form):
    """Which sub-queries a list shows; what makes no sense is not asked for."""

    size = forms.IntegerField(required=False, min_value=1, max_value=MOST_ASPECTS)
    topic = forms.CharField(required=False, max_length=100)

    def chosen(self) -> dict[str, Any]:
        self.is_valid()
        return {"size": self.cleaned_data.get("size"), "topic": self.cleaned_data.get("topic") or ""}
