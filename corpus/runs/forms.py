"""Forms of runs: the name, the options of a recipe, the description."""

from typing import Any

from django import forms

from corpus.endpoints.fields import EndpointField
from corpus.models import Collection
from corpus.questions.prompts import LONGEST_BODY
from corpus.questions.prompts import LONGEST_NAME as LONGEST_PROMPT_NAME
from corpus.runs.recipes.earlier import RunField, RunsField
from corpus.runs.recipes.recipe import Recipe
from corpus.runs.recipes.rerank import RerankPromptField
from corpus.runs.rules import LONGEST_NAME


class RerankPromptForm(forms.Form):
    """A prompt's name and text. Saving under a name that exists makes its next version."""

    name = forms.CharField(max_length=LONGEST_PROMPT_NAME, help_text="For an existing name, a new version is saved.")
    body = forms.CharField(
        max_length=LONGEST_BODY,
        label="Text",
        strip=False,
        widget=forms.Textarea(attrs={"rows": 22, "spellcheck": "false"}),
    )


class NameForm(forms.Form):
    """The name of a run."""

    name = forms.CharField(
        max_length=LONGEST_NAME,
        label="Name of the run",
        help_text="Without spaces. Written in the last column of the run's file.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


def recipe_form(recipe: Recipe, collection: Collection, data: Any = None, **more: Any) -> forms.Form:
    """The form of the recipe's options, its fields in their order, with the runs to choose from."""
    form = recipe.form(data, collection=collection, field_order=list(recipe.form.options()), **more)
    for field in form.fields.values():
        if isinstance(field, RunField | RunsField):
            field.offer(list(collection.retrieval_runs.order_by("name").values_list("name", flat=True)))
        elif isinstance(field, RerankPromptField | EndpointField):
            field.offer(collection)
        if field.help_text:
            text = str(field.help_text)
            field.help_text = f"{text[:1].upper()}{text[1:]}."
    return form


class DescriptionForm(forms.Form):
    description = forms.CharField(
        required=False,
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="System description",
    )
