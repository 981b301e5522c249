r"""LaTeX as bibliographies hold it, to the text that a person reads in print.

Commands of fonts and braces that protect capitals go, their content stays; commands of characters become characters;
simple formulas between dollars become text ($O(n^2)$ is O(n²)). `%` is a plain character, `$` is one where no formula
is closed, `~` and dashes are read by `typography`. Nothing is lost: a command that is not known stays as it is written,
with its argument, and so does a formula with such a command.

pylatexenc was measured for this and not taken (docs/adr/0029): it drops what follows a `%`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from engines.text.latex import COMBINING, decode_accents
from engines.text.latex_symbols import BLANKS, IN_FORMULAS, SILENT, STYLES, SYMBOLS, UNPRINTED

_OPEN, _CLOSE, _BACKSLASH = "\ue000", "\ue001", "\ue002"  # literal ones, until groups are read
_LITERAL = str.maketrans({"{": _OPEN, "}": _CLOSE, "\\": _BACKSLASH})
_BACK = str.maketrans({_OPEN: "{", _CLOSE: "}", _BACKSLASH: "\\"})
_PHANTOM = re.compile(r"\\[vh]?phantom\\[{}]")  # how exports balance literal braces
_DOLLARS = r"\${1,2}(?=[^\s$])(?:[^$\\]|\\.)++(?<=\S)\${1,2}(?!\d)"
_FORMULA = rf"{_DOLLARS}|\\\((?:[^\\]|\\[^)])*+\\\)"
_IS_FORMULA = re.compile(_DOLLARS).search
_IS_SHIELDED = re.compile(f"[{_OPEN}{_CLOSE}{_BACKSLASH}]").search
_TOKEN = re.compile(rf"({_FORMULA})|\\([A-Za-z]+)\*?([ \t\n]*)|\\(.)|([{{}}])|[^\\{{}}$]+|.", re.DOTALL)
_FORMULA_TOKEN = re.compile(r"\\([A-Za-z]+)|\\(.)|([{}])|([\^_])|[^\\{}^_]+|.", re.DOTALL)
_SIGNS = {**dict.fromkeys("%&#_$ ", ""), "{": _OPEN, "}": _CLOSE, "-": "", "/": "", "@": "", "!": "", "\\": " "}
_SIGNS |= {**dict.fromkeys(",;:", " "), **{each: each for each in '%&#_$ "'}}
_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_RAISABLE = re.compile(r"[+−-]?[0-9]+").fullmatch
_SCRIPT_ALONE = re.compile(rf"[\^_](?:{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}|(\w+|.))").fullmatch
# In texts that are no prose, where regular expressions and paths are not expected.
_MORE_ACCENTS = re.compile(r"\\(?:([vcurHk])\s+([^\W\d_])|([=.])([^\W\d_]))")
_DOTS_BELOW = re.compile(r"\{\\([db])\s+([^\W\d_])\}")
_OVER = {"bar": "\u0304", "overline": "\u0305", "hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303"}
_OVER |= {"widetilde": "\u0303", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308", "check": "\u030c"}
_FRACTIONS = frozenset({"frac", "tfrac", "dfrac", "nicefrac", "sfrac"})
_KNOWN_IN_FORMULAS = IN_FORMULAS.keys() | STYLES | SILENT | BLANKS
_SECOND = frozenset({"href", "textcolor", "foreignlanguage", "texorpdfstring"})  # the second argument is the text
_RAISING = frozenset({"textsuperscript", "sp"})
_QUOTING = frozenset({"enquote", "mkbibquote"})

_TIE = re.compile(r"(?<=[^\s/~])~(?=[^\s~])|\s~|~\s")
_DASHES = re.compile(r"--+")

_KEPT_BRACES = r"\\[A-Za-z]+\{[^{}]*\}|\$[^$]*\$|[\^_]\{[^{}]*\}"
_PROTECTED = re.compile(rf"({_KEPT_BRACES})|\{{([^{{}},|=$\\]*|(?=[^{{}}]*[^\W\d_]{{3}})[^{{}}|=$\\]*)\}}")
_BRACES = re.compile(r"[{}]")
_END_OF_SPACE = re.compile(r"\s*")


def read_latex(text: str, *, careful: bool = False) -> str:
    """Decode accents, commands and formulas. Braces that only group stay; literal ones are shielded until `unshield`.

    `careful` leaves accents that a path or a regular expression may hold by chance.
    """
    for _ in range(3):  # an accent upon an accent
        text, before = decode_accents(text), text
        if "\\" not in text:
            break
        if not careful:
            text = _MORE_ACCENTS.sub(_more_accents, _DOTS_BELOW.sub(r"\\\1{\2}", text))
        if text == before:
            break
    if "phantom" in text:
        text = _PHANTOM.sub("", text)
    return _Reader(text).read() if "\\" in text or ("$" in text and _IS_FORMULA(text)) else text


def unshield(text: str) -> str:
    """Give literal braces and backslashes back."""
    return text.translate(_BACK) if _IS_SHIELDED(text) else text


def typography(text: str, *, careful: bool = False) -> str:
    """Read ties, dashes and quotes of LaTeX; `careful` leaves what prose and code may mean otherwise."""
    if "``" in text:
        text = text.replace("``", "“").replace("''", "”")
    if "--" in text and "://" not in text:
        text = _DASHES.sub(_sure_dash if careful else _dash, text)
    return text if careful or "~" not in text or "://" in text else _TIE.sub(" ", text)


def strip_braces(text: str) -> str:
    """Take away braces that protect capitals ("{BERT} for {3D}"), level by level, and leave those with a meaning."""
    for _ in range(6):
        if "{" not in text:
            break
        text = _PROTECTED.sub(lambda match: match[1] or match[2] or "", text)
    return text


def without_outer_braces(text: str) -> str:
    """Take away the braces around the whole text, one pair within the other, in one pass."""
    if not (text.startswith("{") and text.endswith("}")):
        return text
    closed_by: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACES.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            closed_by[opened.pop()] = brace.start()
    begin, end = 0, len(text)
    while closed_by.get(begin, -2) == end - 1:
        begin, end = _END_OF_SPACE.match(text, begin + 1).end(), end - 1  # type: ignore[union-attr]
        while end > begin and text[end - 1].isspace():
            end -= 1
    return text[begin:end]


def _more_accents(match: re.Match[str]) -> str:
    """The composed letter where there is one."""
    accent, letter = match[1] or match[3], match[2] or match[4]
    composed = unicodedata.normalize("NFC", letter + COMBINING[accent])
    return composed if len(composed) == 1 else match[0]


def _dash(match: re.Match[str]) -> str:
    """A dash, but where it is a part of an arrow, a comment or a rule."""
    text, at, end = match.string, match.start(), match.end()
    if end - at > 3 or text[max(at - 1, 0) : at] in ("<", "!", "/") or text[end : end + 1] == ">":
        return match[0]
    return "—" if end - at == 3 else "–"


def _sure_dash(match: re.Match[str]) -> str:
    """A dash between two words, glued to both or to none; options of programs (--all) are left."""
    before, after = match.string[max(match.start() - 1, 0) : match.start()], match.string[match.end() : match.end() + 1]
    is_between = (before.isalnum() and after.isalnum()) or before == after == " "
    return _dash(match) if is_between or (len(match[0]) == 3 and (before.isalnum() or after.isalnum())) else match[0]


@dataclass(slots=True)
class _Group:
    """An open brace: where its piece is, what it is the argument of ("" of nothing), whether its braces go."""

    at: int
    role: str
    goes: bool


class _Reader:
    """One pass over the tokens; a stack of groups instead of recursion, whatever the depth."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[str] = []
        self.groups: list[_Group] = []
        self.role = ""  # of the group that may open next
        self.address = ""  # the first argument of \href, until its second is read

    def read(self) -> str:
        for token in _TOKEN.finditer(self.text):
            if token[5] == "{":
                self._open(token.end())
                continue
            self.role = ""
            if token[5]:
                self._close(token.end())
            elif token[2]:
                self._command(token)
            elif token[4]:
                self.pieces.append(_SIGNS.get(token[4], token[0] if token[4].isascii() else token[4]))
            elif token[1]:
                self.pieces.append(_formula(token[1]))
            else:
                self.pieces.append(token[0])
        return "".join(self.pieces)

    def _open(self, at: int) -> None:
        goes = bool(self.role) or self.text.startswith("\\", at)
        self.groups.append(_Group(len(self.pieces), self.role, goes))
        self.pieces.append("{")
        self.role = ""

    def _close(self, at: int) -> None:
        if not self.groups:
            self.pieces.append("}")
            return
        group = self.groups.pop()
        if not group.goes:
            self.pieces.append("}")
            return
        self.pieces[group.at] = ""
        if group.role in UNPRINTED or (group.role in _SECOND and self.text.startswith("{", at)):
            self.address = "".join(self.pieces[group.at :]) if group.role == "href" else ""
            del self.pieces[group.at :]
            self.role = "" if group.role in UNPRINTED else "second"
        elif group.role in _RAISING:
            self._replace(group.at, lambda text: text.translate(_RAISED) if _RAISABLE(text) else text)
        elif group.role in _QUOTING:
            self.pieces[group.at] = "“"
            self.pieces.append("”")
        elif group.role == "second" and self.address:
            shown = "".join(self.pieces[group.at :])
            self.pieces.append("" if self.address in shown else f" ({self.address})")
            self.address = ""

    def _replace(self, at: int, change: Callable[[str], str]) -> None:
        changed = change("".join(self.pieces[at:]))
        del self.pieces[at:]
        self.pieces.append(changed)

    def _command(self, token: re.Match[str]) -> None:
        name, follows = token[2], self.text.startswith("{", token.end())
        if name in SYMBOLS:
            self.pieces.append(SYMBOLS[name].translate(_LITERAL))
        elif follows and (name in STYLES or name in UNPRINTED):
            self.role = name
        elif name in BLANKS:
            self.pieces.append(" ")
        elif name in SILENT:
            pass
        else:
            self.pieces.append(token[0])
            for group in self.groups[-1:]:
                group.goes = group.goes and bool(group.role)


def _formula(written: str) -> str:
    """A formula as text; as it is written where it holds a command that is not known."""
    inner = written[2:-2] if written.startswith(("$$", "\\(")) else written[1:-1]
    read = _read_formula(inner)
    if read is None:
        return written.translate(_LITERAL)
    alone = _SCRIPT_ALONE(read)  # the base stands before the formula
    return (alone[1] or alone[2] or "") if alone else read


def _read_formula(inner: str) -> str | None:
    """The text of a formula; None where it holds a command that is not known."""
    pieces: list[str] = []
    opened: list[tuple[int, str]] = []  # of each group: where it begins, the script or fraction that it belongs to
    script = ""
    for token in _FORMULA_TOKEN.finditer(inner):
        belongs, script = script, ""
        if token[3] == "{":
            opened.append((len(pieces), belongs))
        elif token[3]:
            if not opened or not _close_group(pieces, *opened[-1]):
                return None
            script = "/" if opened.pop()[1] == "frac" else ""
        elif token[4] or token[1] in _FRACTIONS or token[1] in _OVER:
            script = token[4] or ("frac" if token[1] in _FRACTIONS else token[1])
        elif token[1] and token[1] not in _KNOWN_IN_FORMULAS:
            return None
        else:
            text = _formula_text(token, bool(pieces) and pieces[-1][-1:].isalnum())
            pieces.append(_scripted(belongs, text[:1]) + text[1:] if belongs else text)
    return None if opened or script else "".join(pieces)


def _close_group(pieces: list[str], at: int, of: str) -> bool:
    """Replace the pieces of a group by its text; False where there is none."""
    content = "".join(pieces[at:])
    if of in _OVER and len(content) != 1:
        return False
    del pieces[at:]
    pieces.append(_scripted(of, content))
    return True


def _formula_text(token: re.Match[str], after_letter: bool) -> str:
    if token[2]:
        return _SIGNS.get(token[2], token[0])
    if not token[1]:
        return token[0].replace("~", " ")
    if token[1] in BLANKS:
        return " "
    symbol = IN_FORMULAS.get(token[1], "").translate(_LITERAL)
    return f" {symbol}" if after_letter and symbol.isascii() and symbol.isalpha() else symbol


def _scripted(of: str, content: str) -> str:
    """The content of a group in a formula, by what it belongs to."""
    if of == "^" and _RAISABLE(content):
        return content.translate(_RAISED)
    if of == "^" and content in ("∘", "′", "*", "∗"):
        return {"∘": "°"}.get(content, content)
    if of in ("^", "_"):
        plain = len(content) == 1 or (of == "_" and content.isalnum())
        return f"{of}{content}" if plain else f"{of}{_OPEN}{content}{_CLOSE}"
    if of in _OVER:
        return unicodedata.normalize("NFC", content + _OVER[of])
    if of in ("frac", "/"):
        return ("/" if of == "/" else "") + (content if content.isalnum() else f"({content})")
    return content
