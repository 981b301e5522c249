"""The choice of an endpoint in forms of what asks models."""

from typing import Any

from django import forms

from corpus.endpoints.endpoints import models_offered
from corpus.models import Collection, ModelPurpose


class EndpointField(forms.CharField):
    """The name of an endpoint that the collection may use; empty: its first. A page offers them where there are two."""

    def __init__(self, purpose: ModelPurpose, **more: Any) -> None:
        more = {"label": "Model endpoint", "help_text": "by its name; empty: the collection's first"} | more
        super().__init__(max_length=40, required=False, **more)
        self.purpose = purpose

    def offer(self, collection: Collection) -> int:
        """Let a page choose among the collection's endpoints; how many there are."""
        found = models_offered(self.purpose, collection)
        choices = [(name, f"{name}: {', '.join(models)}") for name, models in found.items()]
        self.widget = forms.Select(choices=choices) if len(found) > 1 else forms.HiddenInput()
        self.help_text = ""
        return len(found)
