"""What a child sends: frames of pickled records, of which only plain values and our records are ever made again.

A frame is its kind, its length and how many bytes of the file were read so far, then a pickle. The child is not
trusted, since whatever it reads may have taken it over: the parent makes dataclasses and exceptions of the formats and
nothing else, changes none of their classes, and bounds the length of a frame.
"""

from __future__ import annotations

import io
import pickle  # noqa: TID251 - what makes nothing but our records of it
import struct
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any

from engines.guarded.limits import ReadingFailed

HEADER = struct.Struct("<cQQ")
RECORDS, END, RAISED, NO_MEMORY, NO_ROOM, FAULT = b"r", b".", b"e", b"m", b"d", b"f"
FRAME_BYTES = 1 << 18  # after which a frame is sent: several wait in the pipe
MOST_BYTES = 256 << 20  # of a frame: one record may be large
OUR_RECORDS = ("engines.formats.", "engines.pdf.")
# Values of the standard library that records hold.
VALUES = {("datetime", name) for name in ("datetime", "date", "time", "timedelta", "timezone")} | {("uuid", "UUID")}


class _Reducers(dict[type, Callable[[Any], tuple[Any, ...]]]):
    """How objects of a type are taken apart: a dataclass into its class and values, a third of the usual cost."""

    def __missing__(self, kind: type) -> Callable[[Any], tuple[Any, ...]]:
        if not is_dataclass(kind):
            raise KeyError(kind)
        names = [each.name for each in fields(kind)]
        values = attrgetter(*names) if names else (lambda _: ())
        found = (lambda each: (kind, (values(each),))) if len(names) == 1 else (lambda each: (kind, values(each)))
        self[kind] = found
        return found


class Packer:
    """Gathers pickled objects of one frame."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self._reducers = _Reducers()
        self._renew()

    def _renew(self) -> None:
        self._pickler = pickle.Pickler(self._buffer, pickle.HIGHEST_PROTOCOL)
        self._pickler.dispatch_table = self._reducers

    def add(self, item: Any) -> bool:
        """Take an object in; whether the frame is full now."""
        self._pickler.dump(item)
        return self._buffer.tell() >= FRAME_BYTES

    def take(self) -> bytes:
        """The frame's bytes; the next frame is empty and knows nothing of this one."""
        data = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        self._renew()
        return data


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module.startswith(OUR_RECORDS):
            found = super().find_class(module, name)
            if isinstance(found, type) and (is_dataclass(found) or issubclass(found, Exception)):
                # What makes its objects, not the class itself: a pickle can set the attributes of what it is given.
                return type.__call__.__get__(found)
        elif (module, name) in VALUES:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"a reader sent {module}.{name}, which is no record")


def unpacked(data: bytes) -> list[Any]:
    """The objects of a frame. Raises `ReadingFailed` where they are no records."""
    source = io.BytesIO(data)
    unpickler = _Unpickler(source)
    found = []
    try:
        while source.tell() < len(data):
            found.append(unpickler.load())
    except Exception as error:  # a forged pickle may end in any way
        raise ReadingFailed("crash", "could not be read: what came of it is no record") from error
    return found
