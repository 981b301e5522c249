"""Answers as texts by which two checkouts are compared: lines that a diff can show, without what differs by chance."""

import contextlib
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable

MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
ASIDE = tuple(
    (re.compile(pattern), to)
    for pattern, to in (
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
        (r'(csrfmiddlewaretoken" value=|x-csrftoken": |nonce=)"[^"]*"', r'\1"TOKEN"'),
        (r":[\w-]{6}:[\w-]{43}\b", ":TOKEN"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?", "MOMENT"),
        (rf"\d\d? (?:{MONTHS})\w* \d{{4}}, \d\d:\d\d(:\d\d)?", "MOMENT"),
        (r'("(?:seconds|started_at|finished_at|\w+_ms)": )[\d.]+', r"\1DURATION"),
        (r"\b\d+(\.\d+)? (ms|s|seconds?)\b", "DURATION"),
        (r"(?<![\d.])/\d+(?=[/?\"'&\s<]|$)", "/#"),
        (r'(\b(?:id|for|name|aria-[a-z]+|headers|data-[a-z-]+|hx-[a-z]+)="[^"]*?[a-z_]-)\d+', r"\1#"),
        (r'("(?:id|pk|\w+_id|assignment|item|run)": )\d+', r"\1#"),
    )
)


def readable(body: bytes, media_type: str) -> str:
    """The body as lines that a diff can show: a ZIP's members, a parquet's rows, one tag a line."""
    if body[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return "\n".join(f"=== {name}\n{readable(archive.read(name), '')}" for name in archive.namelist())
    if body[:4] == b"PAR1":
        from pyarrow import parquet

        table = parquet.read_table(io.BytesIO(body))
        return f"{table.schema.remove_metadata()}\n" + "\n".join(map(str, table.to_pylist()))
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return f"{len(body)} bytes, sha256 {hashlib.sha256(body).hexdigest()}"
    with contextlib.suppress(ValueError):
        return json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False)
    if "html" in media_type:
        return re.sub(r"\s*<", "\n<", re.sub(r"\s+", " ", text)).strip()
    return text


def normalised(text: str, places: Iterable[str]) -> str:
    """The text without what differs by chance, such as moments, tokens and the names of these directories."""
    for place in places:
        text = text.replace(place, "DIRECTORY")
    for pattern, to in ASIDE:
        text = pattern.sub(to, text)
    return text
