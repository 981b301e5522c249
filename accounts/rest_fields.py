"""Form fields as fields of REST requests, as `accounts/management/options.py` has them as options of commands."""

from collections.abc import Callable
from typing import Any, cast

from django import forms
from rest_framework import serializers

# Form fields whose serializer's field has the same name, the special ones first.
PLAIN = (
    forms.BooleanField,
    forms.FloatField,
    forms.IntegerField,
    forms.DateField,
    forms.EmailField,
    forms.SlugField,
    forms.CharField,
)
LIMITS = ("min_value", "max_value", "max_length")


class Spelled(forms.Field):
    """A field that REST and the command spell in another way than the page.

    `rest_field` is the serializer's, given required, default and help_text. `text_of` is what the page would send (a
    text, or a list of them) for what REST, or the command in words, was given.
    """

    rest_field: Callable[..., Any]
    text_of: Callable[[Any], Any]


def taken_by(verb: Any) -> type[serializers.Serializer[Any]] | None:
    """The serializer of what a verb (accounts/operations.py) takes over REST; None where that is nothing."""

    def fields(_: Any) -> dict[str, Any]:  # when they are asked for: choices may be registered later
        found = {"dry_run": dry_run_field()} if verb.has_dry_run else {}
        for each, one in verb.form.base_fields.items():
            found[each] = rest_field(one, None if each in verb.named else one.initial, is_change=verb.is_change)
        return found

    more = {"__doc__": verb.about, "former": dict(verb.former), "get_fields": fields}
    return type(f"{verb.rest.takes}Serializer", (serializers.Serializer,), more) if verb.rest.takes else None


def rest_field(field: forms.Field, initial: Any = None, *, is_change: bool = False) -> Any:
    """The serializer's field of a form's; it may be left out where that has an `initial` value, or changes something.

    A choice of things is made by what names them, as text; one of several by a list, and so are fields with `many`.
    """
    if isinstance(field, forms.BooleanField) and not field.required:
        initial = bool(initial)
    has_default = initial is not None and not isinstance(field, Spelled) and not is_change
    more: dict[str, Any] = {"help_text": str(field.help_text or field.label or "")}
    is_needed = field.required and initial is None and not is_change
    more |= {"default": initial} if has_default else {"required": is_needed}
    if isinstance(field, Spelled):
        return field.rest_field(**more)
    if isinstance(field, forms.MultipleChoiceField | forms.ModelMultipleChoiceField) or getattr(field, "many", False):
        return serializers.ListField(child=serializers.CharField(max_length=200), **more)
    if isinstance(field, forms.ModelChoiceField):
        return serializers.CharField(max_length=200, **more)
    if isinstance(field, forms.ChoiceField):
        return serializers.ChoiceField(named_choices(field), **more)
    kind = getattr(serializers, next(known.__name__ for known in PLAIN if isinstance(field, known)))
    more |= {limit: value for limit in LIMITS if (value := getattr(field, limit, None)) is not None}
    if not field.required and issubclass(kind, serializers.CharField):
        more["allow_blank"] = True
    elif not field.required and not issubclass(kind, serializers.BooleanField):
        more["allow_null"] = True
    return kind(**more)


def named_choices(field: forms.ChoiceField) -> list[tuple[Any, Any]]:
    """Without the empty one, which stands on a page for what REST and commands leave out."""
    return [(value, label) for value, label in cast(Any, field.choices) if value != ""]


def dry_run_field() -> serializers.BooleanField:
    """Whether to do it and roll it back."""
    return serializers.BooleanField(default=False, help_text="only report what it would do")
