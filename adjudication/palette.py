"""What the palette finds of this app: the exports, by their formats."""

from collections.abc import Iterator

from django.urls import reverse
from django.utils.text import slugify

from adjudication.exporting.registry import EXPORTERS
from corpus.collections.finding import Entry, Finder, PaletteSearch

TAKING = "export download write file format"


def find_exports(search: PaletteSearch) -> Iterator[Entry]:
    """Exports by their formats, on the page that says what stands in the way; for those who may take them."""
    for each in search.overseen if search.words else ():
        address, hint = reverse("export_list", args=[each.collection.slug]), search.hint_of(each.collection_id)
        for exporter in EXPORTERS.values():
            also = f"{exporter.format} {exporter.suffix} {TAKING}"
            if search.matches(exporter.label, also):
                yield Entry(f"Export {exporter.label}", f"{address}#{export_anchor(exporter.name)}", hint, also)


def export_anchor(name: str) -> str:
    """Where an export stands on the page of exports."""
    return f"export-{slugify(name)}"


FINDERS = (Finder(26, "Export", find_exports),)
