"""Which lines are headings, what number and name they print, and what well-known names mean."""

from __future__ import annotations

import re
from itertools import pairwise

from engines.pdf.lines import WIDE, Line
from engines.pdf.measures import Measures

CAPTION = re.compile(
    r"(?:fig(?:ure|\.)|table|tab\.|algorithm|listing|scheme|chart|plate|exhibit|box)\s*"
    r"(?:[A-Z]?\.?\d+(?:\.\d+)*|[IVXL]+)[a-z]?\s*(?:[:.|—–-]|$|(?=[A-Z(]))",
    re.IGNORECASE,
).match
_NUMBERED = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}(?=\.)|[A-H](?:\.\d{1,2}){0,2})[.)]?\s+(?P<name>\S.*)"
).fullmatch
_NAMES = frozenset(
    "abstract introduction references bibliography acknowledgments acknowledgements acknowledgment acknowledgement "
    "appendix conclusion conclusions discussion keywords summary background methods results".split()
)
_LISTS_OF_WORKS = frozenset({
    "references", "bibliography", "literature", "literature cited", "works cited", "references cited", "reference",
    "references and notes", "cited literature", "literatur", "literaturverzeichnis", "referenzen", "quellen",
    "références", "références bibliographiques", "bibliographie", "referencias", "referencias bibliográficas",
    "bibliografía", "riferimenti", "riferimenti bibliografici", "bibliografia", "referências",
    "referências bibliográficas", "referenties", "literatuur", "referenser", "litteratur", "literatura", "kaynakça",
    "список литературы", "литература", "参考文献",
})  # fmt: skip
_BACK_MATTER = re.compile(
    r"(?:acknowledge?ments?|append(?:ix|ices)|supplement\w*|(?:data|code) availability|(?:author )?contributions?|"
    r"funding|(?:conflicts?|competing|declaration of)\b.*interests?|about the authors?|ethics? .*|broader impact.*|"
    r"limitations?)\b"
).match
_END_OF_LIST = re.compile(
    r"(?:append(?:ix|ices)|supplement|a\s+\w+|acknowledge?ments?|about the authors?)\b", re.IGNORECASE
)


def is_heading(line: Line, before: Line | None, after: Line | None, measures: Measures) -> bool:
    """Whether a line is a heading: set apart by weight, size or capitals, short, numbered or known or standing free."""
    text = line.text.strip()
    if not _can_be_heading(line, text, measures):
        return False
    match, name = _NUMBERED(text), plain_heading(text)
    if name in measures.named and (before is None or line.runs[0].font.name != measures.font):
        return True
    is_free = before is None and after is None
    is_marked = _is_marked(line, text, measures)
    if match is not None:
        is_marked = is_marked or _is_free_number(line, match, before, after, measures)
    if name in _NAMES or name in _LISTS_OF_WORKS:
        return is_marked or is_free or line.italic > 0.9
    is_small = line.size < measures.size - 0.6
    if not is_marked and not (match and line.italic > 0.85):
        return False
    return not (is_small and not (match and is_free)) and _stands_like_heading(line, before, after, measures)


def _is_marked(line: Line, text: str, measures: Measures) -> bool:
    return line.bold > 0.85 or line.size > measures.size + 0.7 or (text.isupper() and len(text) > 4)


def _is_free_number(
    line: Line, match: re.Match[str], before: Line | None, after: Line | None, measures: Measures
) -> bool:
    """Whether the number and the gaps decide: the weight of the letters is unknown, or they are small capitals."""
    if before is not None or after is not None:
        return False
    if not line.runs[0].font.name:
        return match["name"][:1].isalpha() and not line.text.strip().endswith((".", ",", ";", ":"))
    return match["name"][:1].isupper() and _is_in_other_letters(line, measures)


def _stands_like_heading(line: Line, before: Line | None, after: Line | None, measures: Measures) -> bool:
    """Whether a marked line has the number of a heading, or stands where headings do."""
    text = line.text.strip()
    match = _NUMBERED(text)
    if match and text[0].isdigit() and int(re.split(r"\D", text)[0]) <= 30:
        return match["name"][:1].isalpha() and not text.endswith((".", ","))
    is_ours = line.left - measures.edges_of(line)[0] < 1.5 * measures.size or is_centred(line, measures)
    stands_free = is_ours and (before is None or (match is not None and text.isupper()))
    is_large = line.size > measures.size + 0.7
    is_bold_alone = line.bold > 0.85 and (after is None or _is_above_text(line, after, measures))
    return stands_free and (match is not None or is_large or text.isupper() or is_bold_alone)


def _is_above_text(line: Line, after: Line, measures: Measures) -> bool:
    """Whether a short line stands right above a full line of plain text, as headings of manuscripts do."""
    left, right = measures.edges_of(line)
    is_short = line.right - line.left < 0.8 * (right - left) and line.text[:1].isupper() and line.text[-1:].isalnum()
    is_full = after.right > right - 0.25 * (right - left) and after.left < left + 5 * measures.size
    return is_short and is_full and after.bold < 0.3 and measures.is_body_size(after)


def _is_in_other_letters(line: Line, measures: Measures) -> bool:
    """Whether the words of a line are set in another font than the text, such as one of small capitals."""
    other = sum(len(run.text) for run in line.runs if run.font.name != measures.font and not run.font.is_symbols)
    return other > 0.6 * sum(len(run.text) for run in line.runs)


def is_centred(line: Line, measures: Measures) -> bool:
    """Whether a line stands in the middle of its column, away from both edges."""
    left, right = measures.edges_of(line)
    aside = (line.left - left) - (right - line.right)
    return line.left - left > 2 * measures.size and abs(aside) < 2 * measures.size


def _can_be_heading(line: Line, text: str, measures: Measures) -> bool:
    if len(text) > 160 or line.symbols > 0.3 or CAPTION(text) or sum(map(str.isalpha, text)) < 3:
        return False
    # Abstracts are set smaller, and some journals set bold headings smaller than the text.
    least = measures.size - (2.1 if plain_heading(text) == "abstract" else 1.6 if line.bold > 0.85 else 0.6)
    if line.size < least or has_gaps(line):
        return False
    is_large = line.size > measures.size + 0.7
    return line.right <= measures.edges_of(line)[1] + 4 * measures.size and (is_large or line.column != WIDE)


def plain_heading(text: str) -> str:
    """Return the words of a heading in lower case, without its number."""
    match = _NUMBERED(text.strip())
    words = (match["name"] if match else text).lower()
    return " ".join(re.sub(r"[^\w&]+", " ", words).split())


def heading_number(text: str) -> str:
    """Return the printed number of a heading, "" for none."""
    match = _NUMBERED(text.strip())
    return match["number"] if match else ""


def opens_list_of_works(text: str) -> bool:
    """Whether a heading of this text opens the list of references."""
    return plain_heading(text) in _LISTS_OF_WORKS


def is_back_matter(text: str) -> bool:
    """Whether a heading is one of those without a number that follow the numbered sections of a paper."""
    return bool(_BACK_MATTER(plain_heading(text)))


def ends_list_of_works(text: str) -> bool:
    """Whether a heading of this text ends the list of references, such as that of an appendix."""
    text = text.strip()
    return bool(_END_OF_LIST.match(text) or heading_number(text)) and len(text) < 90


def has_gaps(line: Line) -> bool:
    """Whether a line has holes as between the cells of a table."""
    least = 1.5 * max(line.size, 6)
    return any(other.left - one.right > least for one, other in pairwise(line.runs))
