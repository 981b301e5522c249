"""Dataclasses from JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

D = TypeVar("D")

_field_types: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


def from_json(kind: type[D], item: Mapping[str, Any]) -> D:
    """Return the dataclass that `dataclasses.asdict` made plain values of, also when they went through JSON.

    Dataclasses and tuples inside are restored as well. Raises `KeyError` or `TypeError` for anything else.
    """
    types = _field_types(kind)
    return kind(**{name: _value(types[name], value) for name, value in item.items()})


def _value(kind: Any, value: Any) -> Any:
    if isinstance(kind, type) and is_dataclass(kind):
        return from_json(kind, value)
    if get_origin(kind) is tuple:
        return tuple(_value(get_args(kind)[0], each) for each in value)
    return value
