"""JSON Lines: one object a line, read strictly.

Only LF separates lines, so U+2028 inside a string is a character like any other; blank lines are passed over.
Refused, with line and reason: what is not JSON, not an object, NaN and Infinity (also as 1e999), nesting beyond
`MAX_DEPTH`, and escapes that stand for no character that can be stored (U+0000, half a surrogate pair).
A key that is given twice in one object is noted: the last one counts, as JSON has it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]  # C part of the encoder
from math import isfinite
from typing import Any, BinaryIO, NoReturn, TypeVar

from engines.formats.json_fields import FieldError
from engines.formats.lines import read_lines
from engines.formats.lone_returns import in_json
from engines.formats.notes import Notes, notes_of
from engines.formats.records import BrokenFile, Problem, Remark

MAX_DEPTH = 50
_NESTING = (dict, list)  # a union would be made again for each value

Record = TypeVar("Record")


class Place(int):
    """A line that several elements of a list share, and what to say of one of them: “element 5: ”."""

    place: str

    @classmethod
    def of(cls, line: int, place: str) -> Place:
        found = cls(line)
        found.place = place
        return found


SUSPICIOUS = re.compile(r"\\u(?:0000|[dD][89a-fA-F])").search


def read_objects(stream: BinaryIO, file: str) -> Iterator[tuple[int, dict[str, Any]] | Problem]:
    """Yield (line number, object) for every line, or a `Problem`.

    Raises `BrokenFile` if the file is not text or its last line breaks off within an object.
    """
    cut_off: Problem | None = None
    decoder, notes = Decoder(), notes_of(stream)
    for line, text in read_lines(stream, file, parted=in_json):
        if not text or text.isspace():
            continue
        if cut_off is not None:
            yield cut_off
            cut_off = None
        try:
            yield line, parse_object(text, decoder)
        except json.JSONDecodeError as error:
            problem = Problem(file, line, f"is not JSON: {error.msg.removesuffix(' at')} at character {error.pos + 1}")
            if _breaks_off(error):
                cut_off = problem
            else:
                yield problem
        except (ValueError, RecursionError) as error:
            yield Problem(file, line, _words(error))
        decoder.note_repeats(notes, line)
    if cut_off is not None:
        raise BrokenFile(file, cut_off.line, "the last line breaks off: the file seems to be cut short")


def records_from(
    objects: Iterable[tuple[int, dict[str, Any]] | Problem | Remark],
    file: str,
    make: Callable[[dict[str, Any], str, int], Record | Problem],
) -> Iterator[Record | Problem | Remark]:
    """Yield what `make(object, file, line)` makes of each (line, object), a `Problem` where it raises `FieldError`.

    A line may be a `Place`, which says more.
    """
    for found in objects:
        if not isinstance(found, tuple):
            yield found
            continue
        line, item = found
        place = ""
        if isinstance(line, Place):
            place, line = line.place, int(line)
        try:
            yield make(item, file, line)
        except FieldError as error:
            yield Problem(file, line, f"{place}{error}")


def write_objects(objects: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield one line for each object. Raises `ValueError` for NaN, Infinity and half surrogate pairs."""
    encode = _encoder()
    for item in objects:
        line = encode(item)
        if not line.isascii():
            line.encode()
        yield line + "\n"


def _encoder() -> Callable[[Any], str]:
    """What `JSONEncoder.encode` does, which makes its encoder in C again for each object: a third of its time."""
    plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
    if c_make_encoder is None:
        return plain.encode
    parts = c_make_encoder(None, plain.default, encode_basestring, None, ": ", ", ", False, False, False)
    return lambda item: "".join(parts(item, 0))


class Decoder:
    """Decodes JSON strictly. `repeated` are the keys that came twice in an object of what was decoded last."""

    def __init__(self) -> None:
        self.repeated: list[str] = []
        self._json = json.JSONDecoder(
            object_pairs_hook=self._object, parse_constant=refuse_constant, parse_float=finite_number
        )

    def decode(self, text: str) -> Any:
        """The value that the text is. Errors: ValueError, RecursionError."""
        self.repeated.clear()
        try:
            value, end = self._json.scan_once(text, 0)  # type: ignore[attr-defined]  # `decode` without its wrapping
            if end == len(text):
                return value
        except (StopIteration, json.JSONDecodeError):
            pass
        self.repeated.clear()
        return self._json.decode(text)

    def raw_decode(self, text: str, at: int) -> tuple[Any, int]:
        """The value that begins at a place of the text, and where it ends. Errors: ValueError, RecursionError."""
        self.repeated.clear()
        return self._json.raw_decode(text, at)

    def note_repeats(self, notes: Notes, line: int, place: str = "") -> None:
        """Note the keys that came twice; `place` is where in the line."""
        if self.repeated:
            notes.add(line, place + repeated_keys(self.repeated))

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            count = Counter(key for key, _ in pairs)
            self.repeated += [key for key in found if count[key] > 1]
        return found


def repeated_keys(keys: Iterable[str]) -> str:
    """What to say of keys that came twice in an object."""
    named = [f"“{key[:40]}”" for key in dict.fromkeys(keys)]
    some = ", ".join(named[:5]) + (f" and {len(named) - 5:,} more" if len(named) > 5 else "")
    words = ("the key", "is") if len(named) == 1 else ("the keys", "are")
    return f"{words[0]} {some} {words[1]} given twice in one object; the last one counts"


def parse_object(text: str, decoder: Decoder | None = None) -> dict[str, Any]:
    """Return the JSON object in `text`; raises `ValueError` (or `JSONDecodeError`) with a reason for a person."""
    value = (decoder or Decoder()).decode(text)
    if not isinstance(value, dict):
        raise ValueError(f"is not a JSON object but {_kind(value)}")
    if is_deeper(value, MAX_DEPTH):
        raise ValueError(f"is nested more than {MAX_DEPTH} levels deep")
    if "\\" in text and "\\u" in text and SUSPICIOUS(text):  # a search for one character is very fast
        check_characters(value)
    return value


def parse_list(text: str) -> list[Any]:
    """Return the JSON list in `text`; raises `ValueError` with a reason for a person."""
    value = _decode(text)  # written by programs
    if not isinstance(value, list):
        raise ValueError(f"is not a JSON list but {_kind(value)}")
    return value


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities (a hook for json's decoder)."""
    raise ValueError(f"holds {name}, which is not JSON")


def finite_number(text: str) -> float:
    """Return the number, or refuse one that is too large for a float (a hook for json's decoder)."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"holds the number {text[:20]}, which is too large")
    return number


_decode = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite_number).decode


def _breaks_off(error: json.JSONDecodeError) -> bool:
    return error.msg.startswith("Unterminated string") or error.pos >= len(error.doc.rstrip())


def is_deeper(value: object, levels: int) -> bool:
    """Whether lists and objects are nested more than so many levels deep. No recursion."""
    layer = [value] if isinstance(value, _NESTING) else []
    for _ in range(levels + 1):
        layer = [
            inner
            for outer in layer
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, _NESTING)
        ]
        if not layer:
            return False
    return True


def check_characters(value: object) -> None:
    """Raise `ValueError` if a text in `value` cannot be stored; worth asking where the JSON holds `SUSPICIOUS`."""
    written = json.dumps(value, ensure_ascii=False)
    if any("\0" in text for text in _strings(value)):
        raise ValueError("holds a NUL character (\\u0000), which cannot be stored")
    try:
        written.encode()
    except UnicodeEncodeError as error:
        raise ValueError("holds half of a surrogate pair (\\ud800 to \\udfff), which is not a character") from error


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _kind(value: object) -> str:
    names = {
        list: "a list",
        dict: "an object",
        str: "a string",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return names.get(type(value), "null")


def _words(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return f"is nested more than {MAX_DEPTH} levels deep"
    if "int_max_str_digits" in str(error) or "integer string conversion" in str(error):
        return "holds a whole number of too many digits"
    return str(error)
