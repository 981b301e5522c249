"""Characters that neither XML nor PostgreSQL can carry, taken out of strangers' texts on their way in."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

T = TypeVar("T")

# XML 1.0, production 2 (Char), turned round.
FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def carriable(text: str) -> str:
    """Return the text with a space for each character that files cannot carry; its length stays the same."""
    return FORBIDDEN.sub(" ", text)


def with_carriable_texts(value: T) -> T:
    """Return a record with every text in it made `carriable`, keys of objects too; itself where nothing changes."""
    return _carriable_value(value)


def _carriable_value(value: Any) -> Any:
    if isinstance(value, str):
        return carriable(value) if FORBIDDEN.search(value) else value
    if isinstance(value, tuple | list):
        parts = [_carriable_value(part) for part in value]
        return value if all(new is old for new, old in zip(parts, value, strict=True)) else type(value)(parts)
    if isinstance(value, dict):
        pairs = [(_carriable_value(key), _carriable_value(inner)) for key, inner in value.items()]
        return value if all(key in value and value[key] is inner for key, inner in pairs) else dict(pairs)
    if is_dataclass(value) and not isinstance(value, type):
        old = {each.name: getattr(value, each.name) for each in fields(value)}
        changed = {name: new for name, inner in old.items() if (new := _carriable_value(inner)) is not inner}
        return replace(value, **changed) if changed else value
    return value
