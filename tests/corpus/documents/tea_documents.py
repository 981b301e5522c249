"""Documents for tests of imports."""

from typing import Any

from corpus.models import Collection, Document

TEA = {"id": "tea-1", "title": "On tea", "abstract": "Leaves in water.", "year": 2001, "keywords": ["leaf", "pot"]}
POT = {"id": "tea-2", "title": "On pots", "abstract": "Clay \\ and “iron”.", "authors": ['A "Pot" Smith', "B\\C"]}


def stored(collection: Collection) -> dict[str, dict[str, Any]]:
    fields = ("docno", "title", "abstract", "keywords", "authors", "year", "extra")
    return {row["docno"]: row for row in Document.objects.filter(collection=collection).values(*fields)}
