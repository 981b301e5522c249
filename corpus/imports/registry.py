"""The importer of one sort of records: its words, its form, the work, how it is undone.

A new sort is one module with an `Importer` and one line in the `importers` of its AppConfig. The formats themselves
say what they carry (engines/formats/registry.py).
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal

from django.urls import reverse

from accounts.extensions import extensions
from accounts.jobs import Progress
from corpus.imports.forms import ImportForm
from corpus.imports.importing import Reading, Work
from corpus.imports.undoing import Undoing
from corpus.loading.counts import ImportCounts
from corpus.models import ImportRun


@dataclass(frozen=True)
class WayOn:
    """Links after an import: to what came in (address and words), and to the form that sends more.

    `place` is the name and address of what the import went into, where that is not the collection as a whole.
    """

    result: str
    label: str
    again: str
    place: tuple[str, str] | None = None


def at_once(work: Work) -> Reading:
    """The reading of an import that reads and writes in one transaction."""

    def reading(_run: ImportRun, _progress: Progress, _counts: ImportCounts) -> AbstractContextManager[Work]:
        return nullcontext(work)

    return reading


@dataclass(frozen=True)
class Importer:
    """How records of one sort come in. `name` is stored, stands in addresses, and formats carry records by it."""

    name: str
    label: str
    unit: str  # what is counted as new, updated, unchanged
    title: str
    about: str
    # Reads before the transaction begins, which may be slow or ask others, may be cancelled and writes nothing; gives
    # the work that is done within the transaction.
    reading: Reading
    form: type[ImportForm] = ImportForm
    target: str = ""  # name of the page that lists the records; "" where they belong to a campaign
    links: Callable[[ImportRun], WayOn] | None = None  # instead of `target`
    undoing: Undoing | None = None
    # The check of files while they are uploaded: for a known format, for text, or none, because the reader says best
    # what is wrong with a file, and where.
    checks: Literal["format", "text", "nothing"] = "format"
    # Values of the form's options after a dry run that its page offers, by option.
    found: Callable[[ImportRun], dict[str, list[str]]] = lambda _run: {}
    more: Callable[[ImportRun], dict[str, Any]] = lambda _run: {}  # in the JSON of the command, next to the counts

    def way_on(self, run: ImportRun) -> WayOn:
        """Where a finished import leads."""
        if self.links:
            return self.links(run)
        slug = run.collection.slug
        return WayOn(
            reverse(self.target, args=[slug]), f"See the {self.label}", reverse("import_create", args=[slug, self.name])
        )


def importers() -> dict[str, Importer]:
    """All importers by name."""
    return extensions("importers")


def collection_importers() -> dict[str, Importer]:
    """Those that need nothing but a collection."""
    return {name: each for name, each in importers().items() if each.target}
