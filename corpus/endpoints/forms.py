"""What staff type of a model endpoint."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django import forms
from rest_framework import serializers

from accounts.edits import remember_shown
from accounts.rest_fields import Spelled
from corpus.endpoints.changes import ALL
from corpus.models import Collection, ModelEndpoint, ModelPurpose

PURPOSES = [
    (ModelPurpose.CHAT, "judging, writing and reranking: a chat model"),
    (ModelPurpose.EMBEDDINGS, "vectors of texts: embeddings"),
]


class IdentifiersField(Spelled, forms.CharField):
    """Several names with blanks or commas between; REST takes a list of them."""

    many = True

    def __init__(self, *, longest: int, **more: Any) -> None:
        super().__init__(**more)
        self.longest = longest

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override] # several
        found = list(dict.fromkeys(re.split(r"[\s,]+", (super().to_python(value) or "").strip(" ,\t\r\n"))))
        if any(len(word) > self.longest for word in found):
            raise forms.ValidationError(f"A name may have at most {self.longest} characters.")
        return [word for word in found if word]

    def rest_field(self, **common: Any) -> Any:
        return serializers.ListField(child=serializers.CharField(max_length=self.longest), allow_empty=False, **common)

    def text_of(self, value: Any) -> str:
        return " ".join(value)


def address_parts(address: str, example: str) -> SplitResult:
    """Of an address of the web without credentials. Errors: ValidationError for what is none."""
    try:
        parts = urlsplit(address)
        is_whole = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        is_whole = False
    if not is_whole or re.search(r"[\s\\]", address):
        raise forms.ValidationError(f"Give an address such as {example}.")
    if parts.username is not None:
        raise forms.ValidationError("Give the address alone, without a name or password in it.")
    return parts


class EndpointChangeForm(forms.Form):
    """An endpoint whose name and purpose are fixed."""

    address = forms.CharField(
        max_length=500,
        help_text="Any endpoint with OpenAI's interface, such as https://api.example.org/v1.",
        widget=forms.URLInput(attrs={"spellcheck": "false"}),
    )
    models = IdentifiersField(
        longest=80,
        help_text="Names of its models, separated by spaces. The first is asked where a run names none.",
        widget=forms.TextInput(attrs={"spellcheck": "false"}),
    )
    key = forms.CharField(
        max_length=1_000,
        required=False,
        help_text="Kept encrypted, and shown to nobody again. A change that leaves it empty keeps the stored one.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    price_in = forms.FloatField(min_value=0, max_value=99_999, required=False, label="Price per million tokens sent")
    price_out = forms.FloatField(
        min_value=0,
        max_value=99_999,
        required=False,
        label="Price per million tokens received",
        help_text="In the currency of LITMUS_LLM_CURRENCY. With both prices, estimates and runs show costs.",
    )
    remove_key = forms.BooleanField(required=False, label="Remove the stored key")
    per_minute = forms.IntegerField(
        min_value=0,
        max_value=100_000,
        initial=60,
        label="Requests per minute",
        help_text="Of each job, retries included. 0: no limit.",
    )
    collections = IdentifiersField(
        longest=100,
        initial=ALL,
        help_text=f"Short names of the collections that may use it, separated by spaces; “{ALL}” for every one.",
        widget=forms.TextInput(attrs={"spellcheck": "false"}),
    )
    field_order: Sequence[str] = ("address", "models", "key", "remove_key")

    def __init__(self, data: Any = None, *, endpoint: ModelEndpoint | None = None) -> None:
        super().__init__(data, initial=shown_values(endpoint) if endpoint else {})
        if endpoint:
            remember_shown(self)

    def clean_address(self) -> str:
        address = str(self.cleaned_data["address"]).strip().rstrip("/")
        parts = address_parts(address, "https://api.example.org/v1")
        if parts.query or parts.fragment:
            raise forms.ValidationError("Give the address alone. A key belongs into its own field.")
        return address

    def clean_key(self) -> str:
        key = str(self.cleaned_data["key"]).strip()
        if not key.isascii() or not key.isprintable():
            raise forms.ValidationError("A key has only ASCII characters, without line breaks.")
        return key


class EndpointForm(EndpointChangeForm):
    """A new endpoint."""

    name = forms.SlugField(
        max_length=40,
        help_text="What runs and people call it, such as our-llama.",
        error_messages={"invalid": "Use only letters without accents, digits, hyphens and underscores."},
    )
    purpose = forms.ChoiceField(choices=PURPOSES, initial=ModelPurpose.CHAT, label="What it is for")
    remove_key = None  # type: ignore[assignment] # there is none yet
    field_order = ("name", "purpose", "address", "models", "key")


def shown_values(endpoint: ModelEndpoint) -> dict[str, Any]:
    """What a change begins with: everything but the key."""
    prices = {"price_in": endpoint.price_in, "price_out": endpoint.price_out}
    found = {name: None if price is None else float(price) for name, price in prices.items()}
    words = {"models": " ".join(endpoint.model_names), "collections": " ".join(slugs_of(endpoint))}
    return {"address": endpoint.address, "per_minute": endpoint.per_minute, **found, **words}


def slugs_of(endpoint: ModelEndpoint) -> Sequence[str]:
    """Short names of the collections that may use it, or “all”."""
    if endpoint.collections is None:
        return [ALL]
    return list(Collection.objects.filter(pk__in=endpoint.collections).order_by("slug").values_list("slug", flat=True))
