"""Files that people have but Litmus does not read: what they are, and what to export instead."""

from __future__ import annotations

import re
from collections.abc import Callable

_AS_RIS = "export the records as RIS, BibTeX or CSV"
_html = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL
)


def _element(name: str) -> Callable[[str], object]:
    return re.compile(rf"\s*(?:<[?!][^>]*>\s*)*<{name}[\s>]", re.IGNORECASE).match


_BYTES = (
    (b"\xd0\xcf\x11\xe0", "is an old Excel or Word file; save it as .xlsx or CSV"),
    (b"\x1f\x8b", "is compressed twice; decompress it once"),
    (b"Rar!", "is a RAR archive; pack the files as zip or tar"),
    (b"7z\xbc\xaf", "is a 7z archive; pack the files as zip or tar"),
)
_TEXTS: tuple[tuple[Callable[[str], object], str], ...] = (
    (_html.match, "is an HTML page and holds no records; download or export the file again"),
    (re.compile(r"\s*%0 \S").match, f"is in EndNote's own format; {_AS_RIS}"),
    (_element(r"xml>\s*<records"), f"is EndNote's XML; {_AS_RIS}"),
    (_element("PubmedArticleSet"), "is PubMed's XML; save the records in the format “PubMed” (.nbib)"),
    (_element("modsCollection"), f"is MODS; {_AS_RIS}"),
)
# What a file can be written as, by what was to be read from it, where its format is not recognised.
HINTS = {
    "topics": ", or write one topic per line: its number, a tab, its text",
    "runs": ", or write six columns with spaces between and no header: topic Q0 docno rank score tag",
    "qrels": ", or write four columns with spaces between: topic, 0, docno, value",
    "pool": ", or write the number of a topic and a docno on each line",
}


def foreign(data: bytes, text: str) -> str:
    """What a file that begins so is and what to do, "" for one that may be read; `text` is the beginning as text."""
    found = next((reason for mark, reason in _BYTES if data.startswith(mark)), "")
    return found or next((reason for fits, reason in _TEXTS if fits(text)), "")
