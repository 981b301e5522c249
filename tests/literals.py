"""A language of marks, and what of a page stands in none: texts that nobody could translate."""

import ast
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from gettext import NullTranslations
from html.parser import HTMLParser
from typing import Any

from django.utils.translation import trans_real

PLACE = re.compile(r"(%\(\w+\)[sd]|%[sd]|\{\w*\})")


def marked(message: str) -> str:
    """In marks but for its places: what is put there has to be translated, or somebody's own."""
    return PLACE.sub(r"⟧\1⟦", f"⟦{message}⟧").replace("⟦⟧", "")


class Marked(NullTranslations):
    """A language in which each text that goes through the translation stands in marks; `said` are these texts."""

    def __init__(self) -> None:
        super().__init__()
        self.said: set[str] = set()

    def gettext(self, message: str) -> str:
        self.said.add(message)
        return marked(message)

    def ngettext(self, one: str, many: str, number: int) -> str:
        return marked(one if number == 1 else many)

    def pgettext(self, context: str, message: str) -> str:
        return message if context.startswith("form of") else marked(message)

    def to_language(self) -> str:
        return "de"


@contextmanager
def german_is_marked() -> Iterator[set[str]]:
    """German is the language of marks; yields what it was asked for."""
    stored: dict[str, Any] = trans_real._translations
    before = stored.get("de")
    stored["de"] = marks = Marked()
    try:
        yield marks.said
    finally:
        stored.pop("de") if before is None else stored.update(de=before)


class Literals(HTMLParser):
    """The texts of a page that stand in no mark and are neither people's own, nor keys, code, names or addresses."""

    OWN = frozenset({"bdi", "kbd", "code", "script", "style", "svg", "pre"})
    VOID = frozenset({"input", "meta", "link", "img", "br", "hr", "wbr", "col"})
    READ = ("title", "aria-label", "placeholder", "alt", "data-confirm", "data-label")
    WORD = re.compile(r"[A-Za-z]{3,}")

    def __init__(self, page: str, known: set[str]) -> None:
        super().__init__()
        self.own: list[bool] = []
        self.depth, self.found, self.known = 0, list[str](), known
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        look = f" {given.get('class') or ''} "
        is_own = tag in self.OWN or given.get("dir") == "auto" or ("lang" in given and tag != "html")
        is_own = is_own or given.get("aria-hidden") == "true" or any(f" {each} " in look for each in ("mono", "prose"))
        if tag not in self.VOID:
            self.own.append(is_own or bool(self.own and self.own[-1]))
        if not is_own or tag in ("input", "textarea"):
            for name in self.READ:
                self.look(given.get(name) or "")

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID and self.own:
            self.own.pop()

    def handle_data(self, data: str) -> None:
        if not (self.own and self.own[-1]):
            self.look(data)
        else:
            self.depth += data.count("⟦") - data.count("⟧")

    def look(self, text: str) -> None:
        outside = []
        for piece in re.split(r"([⟦⟧])", text):
            if piece in "⟦⟧" and piece:
                self.depth += 1 if piece == "⟦" else -1
            elif self.depth == 0:
                outside.append(piece)
        rest = re.sub(r"\S+@\S+|\bLitmus\b", "", " ".join(outside))
        for own in self.known:
            rest = rest.replace(own, "")
        if self.WORD.search(rest):
            self.found.append(" ".join(text.split()))


def reasons(answer: Any, name: str = "") -> Iterator[str]:
    """The texts of an answer in JSON that a script shows: why not, and what is right about an answer."""
    if isinstance(answer, dict):
        for key, value in answer.items():
            yield from reasons(value, key)
    elif isinstance(answer, list):
        for value in answer:
            yield from reasons(value, name)
    elif isinstance(answer, str) and name in ("detail", "reason", "failures", "feedback"):
        yield answer


SENTENCE = re.compile(r"[A-Z“{].*[a-z] [a-z{“].*[.!?]", re.S)


def untranslated_sentences(node: ast.AST, but: Collection[str] = ()) -> Iterator[str]:
    """The sentences of a module that stand in no call of the translation, nor in the functions of these names."""
    is_described = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if is_described or (isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in but):
        return
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        if called == "_" or "gettext" in called or called.startswith("logger."):
            return
    if isinstance(node, ast.JoinedStr):
        text = "".join(each.value if isinstance(each, ast.Constant) else "{}" for each in node.values)
    else:
        text = node.value if isinstance(node, ast.Constant) else ""
    if isinstance(text, str) and SENTENCE.fullmatch(text):
        yield text
    for each in () if isinstance(node, ast.JoinedStr) else ast.iter_child_nodes(node):
        yield from untranslated_sentences(each, but)
