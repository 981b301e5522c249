"""Bring the catalogues up to date with the texts of modules, templates and scripts, and compile them.

    python languages/update.py

What is new has no translation yet; what no source has any longer goes.
"""

import io
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))
APPS = ("accounts", "adjudication", "annotation", "config", "corpus", "engines")
PYTHON: dict[str, Any] = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop", "Wording"), (1,)),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}  # fmt: skip
SCRIPTS: dict[str, Any] = {"say": (1,), "sayMany": (1, 2)}  # of static/js/words.js


def sources(domain: str) -> Iterator[tuple[Path, str, dict[str, Any], str]]:
    """The files that may hold texts, with the way to read each, the words that mark a text, and what is in it."""
    from django.utils.translation.template import templatize

    if domain == "djangojs":
        for path in sorted((CHECKOUT / "static" / "js").rglob("*.js")):
            yield path, "javascript", SCRIPTS, path.read_text("utf-8")
        return
    for path in sorted(path for app in APPS for path in (CHECKOUT / app).rglob("*.py")):
        if re.search(r"gettext|Wording\(", text := path.read_text("utf-8")):
            yield path, "python", PYTHON, text
    for path in sorted(path for path in (CHECKOUT / "templates").rglob("*.*") if path.suffix in (".html", ".txt")):
        if re.search(r"translate|_\(", text := path.read_text("utf-8")):
            # Django makes Python's calls of its tags and rows of letters of all else: names to Python's tokenizer.
            yield path, "python", PYTHON, templatize(text).replace(" #\n", "").replace("\n", " ")


def template(domain: str) -> Catalog:
    """All texts that the sources have now."""
    found = Catalog(charset="utf-8", fuzzy=False)
    for path, method, keywords, text in sources(domain):
        for _, message, _, context in extract(method, io.BytesIO(text.encode()), keywords=keywords):
            found.add(message, locations=[(path.relative_to(CHECKOUT).as_posix(), 1)], context=context)
    return found


def catalogue(path: Path) -> Catalog:
    """What is stored in a .po file."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parts[-3])


def main() -> None:
    """Update and compile each catalogue of each language."""
    for path in sorted((CHECKOUT / "languages").glob("*/LC_MESSAGES/*.po")):
        stored = catalogue(path)
        stored.update(template(path.stem), no_fuzzy_matching=True)
        stored.obsolete.clear()
        stored.creation_date = datetime(2026, 11, 28, tzinfo=UTC)  # the file changes with the texts alone
        with path.open("wb") as file:
            write_po(file, stored, width=0, omit_header=False, include_lineno=False, sort_by_file=True)
        with path.with_suffix(".mo").open("wb") as file:
            write_mo(file, stored)
        lacking = [each.id for each in stored if each.id and not all(_forms(each.string))]
        sys.stdout.write(f"{path.relative_to(CHECKOUT)}: {len(stored)} texts, {len(lacking)} without a translation\n")


def _forms(string: object) -> tuple[object, ...]:
    return string if isinstance(string, tuple) else (string,)


if __name__ == "__main__":
    main()
