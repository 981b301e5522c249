"""Plain text from texts with HTML and errors of their export, without losing a word.

Known tags that come in pairs are taken away and their content stays; anything else between angle brackets is text
("structural tags such as <p>", "<subject, predicate, object>"). Digits in <sup> become superscript digits, so that
10<sup>9</sup> does not turn into 109. A link's address is kept in brackets unless the text already shows it.
Entities are decoded once, after the tags, so an escaped tag stays visible.
"""

from __future__ import annotations

import html
import re
from html.entities import html5

_BLOCKS = frozenset(["p", "div", "ul", "ol", "li", "table", "tr", "td", "br"])
_INLINE = (
    "a b bi bold em emphasis equationsource externalref i inf inline-formula inlineequation it italic literal methods"
    " refsource reftarget sc scp small smallcaps span strong sub subscript sup superscript tex-math tt u underline xref"
)
_TAG = re.compile(
    rf"<(/?)({'|'.join(sorted([*_BLOCKS, *_INLINE.split()], key=len, reverse=True))})"
    r"((?:\s+[\w:-]+\s*=\s*\"[^\"<>]*\")*)\s*(/?)>",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?:href|address)\s*=\s*\"([^\"]+)\"", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_SUPERSCRIPT = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_RAISABLE = re.compile(r"\s*[+−-]?[0-9]+\s*").fullmatch
_C1 = re.compile(r"[\x80-\x9f]")
# What is neither a visible character nor a blank: controls, other white space, zero-width characters, surrogates.
_ODD = re.compile(
    r"[\x00-\x1f\x7f-\xa0\xad\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\ud800-\udfff]"
).search
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\xad\u200b\u2060\ufeff\ud800-\udfff]")


def strip_tags(text: str) -> str:
    """Return `text` without its markup; see the module for what counts as markup."""
    if "<" not in text:
        return text
    tags = list(_TAG.finditer(text))
    partner = _pair(tags)
    pieces: list[str] = []
    at = 0
    for number, tag in enumerate(tags):
        if number not in partner:
            continue
        piece = text[at : tag.start()]
        if tag[1] and tag[2].lower() in ("sup", "superscript") and partner[number] == number - 1 and _RAISABLE(piece):
            piece = piece.strip().translate(_SUPERSCRIPT)
        pieces.append(piece)
        if tag[2].lower() in _BLOCKS:
            pieces.append(" ")
        if partner[number] <= number and (address := _ADDRESS.search(tags[partner[number]][3])):
            pieces.append("" if address[1] in piece else f" ({address[1]})")
        at = tag.end()
    pieces.append(text[at:])
    return "".join(pieces)


def _pair(tags: list[re.Match[str]]) -> dict[int, int]:
    """Map each tag that is markup to its partner: pairs of equal name, and `<br>` or `<x/>` to themselves."""
    partner: dict[int, int] = {}
    open_tags: dict[str, list[int]] = {}
    for number, tag in enumerate(tags):
        name = tag[2].lower()
        if tag[4] or name == "br":
            partner[number] = number
        elif not tag[1]:
            open_tags.setdefault(name, []).append(number)
        elif open_tags.get(name):
            opener = open_tags[name].pop()
            partner[opener], partner[number] = number, opener
    return partner


def decode_entities(text: str) -> str:
    """Decode complete HTML entities (`&amp;`, `&#233;`); an ampersand that starts none is a plain character."""
    return _ENTITY.sub(_entity, text) if "&" in text else text


def _entity(match: re.Match[str]) -> str:
    known = match[0][1] == "#" or match[0][1:] in html5
    return html.unescape(match[0]) if known else match[0]


def repair_controls(text: str) -> str:
    """Read C1 controls as the Windows-1252 bytes they once were (U+008A is Š); those without a meaning go."""
    return _C1.sub(lambda match: bytes([ord(match[0])]).decode("cp1252", "ignore"), text)


def fold_space(text: str) -> str:
    """Fold every run of white space (line ends, tabs, no-break spaces) into one blank; drop invisible characters."""
    if not has_odd_space(text):
        return text.strip(" ")
    return " ".join(_UNSEEN.sub("", text).split())


def has_odd_space(text: str) -> bool:
    """Tell whether there is white space other than single blanks, a control or an invisible character in `text`."""
    return "  " in text or (not text.isprintable() and _ODD(text) is not None)


def plain_text(text: str) -> str:
    """Return what a person would read: controls repaired, tags taken away, entities decoded, white space folded."""
    if not text.isascii() and _ODD(text):
        text = repair_controls(text)
    return fold_space(decode_entities(strip_tags(text)))
