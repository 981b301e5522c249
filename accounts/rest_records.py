"""Results as REST shows them: the serializer of a dataclass follows from its fields."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from rest_framework import serializers

Shape = type[serializers.Serializer[Any]]
PLAIN: dict[type, type[serializers.Field[Any, Any, Any, Any]]] = {
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    Decimal: serializers.FloatField,
    str: serializers.CharField,
    datetime: serializers.DateTimeField,
    date: serializers.DateField,
    UUID: serializers.UUIDField,
}


class OrNull(serializers.CharField):
    """A text, null where it is empty."""

    def __init__(self, **more: Any) -> None:
        super().__init__(allow_null=True, **more)

    def to_representation(self, value: Any) -> Any:
        return value or None


class ChoiceOrNull(serializers.ChoiceField):
    """One of several words, null where it is empty."""

    def __init__(self, choices: Any, **more: Any) -> None:
        super().__init__(choices, allow_null=True, **more)

    def to_representation(self, value: Any) -> Any:
        return value or None


def serializer_of(record: type, name: str, *, about: str = "", without: Collection[str] = (), **others: Any) -> Shape:
    """The serializer of a dataclass, called `name` in the OpenAPI description.

    A field is described by `field(metadata={"help": …})`, the whole by `about`, or the first paragraph of the
    record's docstring. Fields named in `without` are not shown. `others` are fields that are spelled otherwise, or
    properties shown next to the fields.
    Errors: TypeError for a field of a type that has no one way to be shown.
    """
    hints = get_type_hints(record)
    shown = {
        each.name: others.pop(each.name, None) or _field(hints[each.name], help_text=each.metadata.get("help", ""))
        for each in fields(record)
        if each.name not in without
    }
    doc = about or cleandoc(record.__doc__ or "").partition("\n\n")[0]
    return type(f"{name}Serializer", (serializers.Serializer,), {"__doc__": doc, **shown, **others})


def _field(hint: Any, **common: Any) -> Any:
    common = {key: value for key, value in common.items() if value != ""}
    inner = [each for each in get_args(hint) if each not in (NoneType, Ellipsis)]
    origin = get_origin(hint)
    if origin in (Union, UnionType) and len(inner) == 1:
        return _field(inner[0], allow_null=True, **common)
    if origin and issubclass(origin, Mapping):
        return serializers.DictField(child=_field(inner[1]), **common)
    if origin and issubclass(origin, Sequence) and len(set(inner)) == 1:
        if isinstance(inner[0], type) and is_dataclass(inner[0]):
            return serializer_of(inner[0], inner[0].__name__)(many=True, **common)
        return serializers.ListField(child=_field(inner[0]), **common)
    if isinstance(hint, type) and is_dataclass(hint):
        return serializer_of(hint, hint.__name__)(**common)
    if hint not in PLAIN:
        raise TypeError(f"{hint} has no one way to be shown.")
    return PLAIN[hint](**common)
