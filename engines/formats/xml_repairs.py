"""XML as people write it by hand or by print statements: characters that XML does not allow in texts, read as they were
meant.

A bare & or <, the named characters of HTML, and control characters. Texts in CDATA, comments and instructions stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from xml.sax.saxutils import escape

_ODD = re.compile(
    rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->|<\?.*?\?>"
    rb"|&(?:(amp|lt|gt|quot|apos);|#(\d{1,8}|x[0-9a-fA-F]{1,8});|([A-Za-z][A-Za-z0-9]{1,30};))?"
    rb"|(<)(?![A-Za-z_/!?\x80-\xff])"
    rb"|([\x00-\x08\x0b\x0c\x0e-\x1f])",
    re.DOTALL,
)
_ALLOWED = re.compile("[\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]").fullmatch

Note = tuple[int, str]  # with its line


def repaired(data: bytes) -> tuple[bytes, list[Note]]:
    """The XML (in UTF-8) with such characters written as XML requires, and a note on each line and kind of them."""
    notes: dict[Note, None] = {}
    return b"".join(_pieces(data, notes)), list(notes)


def _pieces(data: bytes, notes: dict[Note, None]) -> Iterator[bytes]:
    line, at, counted = 1, 0, 0
    for found in _ODD.finditer(data):
        change = _change(found)
        if change is None:
            continue
        line, counted = line + data.count(b"\n", counted, found.start()), found.start()
        text, reason = change
        notes[line, reason] = None
        yield data[at : found.start()]
        yield text
        at = found.end()
    yield data[at:]


def _change(found: re.Match[bytes]) -> tuple[bytes, str] | None:
    """What the place becomes and why; None where it is correct XML."""
    if found[0][:1] == b"&":
        return _reference(found)
    if found[4]:
        return b"&lt;", "“<” in a text was read as it is; XML writes it as &lt;"
    return (b" ", "a control character was read as a space") if found[5] else None


def _reference(found: re.Match[bytes]) -> tuple[bytes, str] | None:
    _, known, number, name = found.group(0, 1, 2, 3)
    if known:
        return None
    if number:
        code = int(number[1:], 16) if number[:1] == b"x" else int(number)
        is_allowed = code < 0x110000 and _ALLOWED(chr(code))
        return None if is_allowed else (b" ", f"“{found[0].decode()}” is not a character; it was read as a space")
    if name and (letter := html5.get(name.decode())):
        return escape(letter).encode(), f"“&{name.decode()}” is known in HTML only; it was read as “{letter}”"
    return b"&amp;" + (name or b""), "“&” in a text was read as it is; XML writes it as &amp;"
