"""Everything that a collection consists of: its tables, found by following foreign keys, whichever app they are in."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.db.models import DO_NOTHING, ForeignKey, Model, QuerySet

from accounts.models import FINAL_STATES, Job
from corpus.models import Collection

APPS = ("accounts", "corpus", "annotation", "adjudication")


@dataclass(frozen=True)
class ContentTable:
    """One table of a collection's contents; `path` leads from its rows to their collection."""

    model: type[Model]
    path: str

    def of(self, collection_id: int) -> QuerySet[Any]:
        """The collection's rows of this table."""
        return self.model._base_manager.filter(**{self.path: collection_id})

    @property
    def name(self) -> str:
        return str(self.model._meta.label_lower)

    @property
    def title(self) -> str:
        return plural(self.model)


def plural(model: type[Model]) -> str:
    """The plural of a table's name in a sentence."""
    if isinstance(owner := model._meta.auto_created, type):
        return f"{model.__name__.partition('_')[2]} of {plural(owner)}"
    name = str(model._meta.verbose_name)
    if name.endswith("criterion"):
        return name.removesuffix("on") + "a"
    return f"{name[:-1]}ies" if name.endswith("y") else str(model._meta.verbose_name_plural)


@cache
def contents() -> tuple[ContentTable, ...]:
    """All tables of a collection, each before those that it refers to, the collections themselves last."""
    paths = _paths()
    ordered: dict[type[Model], None] = {}

    def visit(model: type[Model]) -> None:
        if model in ordered:
            return
        for key in _keys(model):
            if key.related_model in paths and key.related_model is not model:
                visit(key.related_model)
        ordered[model] = None

    for model in paths:
        visit(model)
    return tuple(ContentTable(model, paths[model]) for model in reversed(ordered))


def unfinished_jobs(collection: Collection) -> list[Job]:
    """Its jobs that wait or run, of every kind."""
    found: list[Job] = []
    for content in contents():
        if issubclass(content.model, Job):
            found += content.of(collection.pk).exclude(state__in=FINAL_STATES)
    return found


def extent(collection: Collection) -> list[tuple[str, int]]:
    """How much would be deleted: the name of each table and its number of rows, largest first, empty ones left out."""
    counted = [(content.title, content.of(collection.pk).count()) for content in contents()]
    return sorted(((title, n) for title, n in counted if n), key=lambda each: -each[1])


def _paths() -> dict[type[Model], str]:
    """Each model whose rows all belong to a collection, with the shortest way there by keys that are never null."""
    paths: dict[type[Model], str] = {Collection: "pk"}
    grown = True
    while grown:
        found = {
            model: key.name if key.related_model is Collection else f"{key.name}__{paths[key.related_model]}"
            for model in apps.get_models(include_auto_created=True)
            if model not in paths
            for key in _keys(model)
            if key.related_model in paths and not key.null
        }
        paths |= found
        grown = bool(found)
    return paths


def _keys(model: type[Model]) -> Iterator[ForeignKey[Any, Any]]:
    """Its foreign keys, one-to-one keys among them, but not those that are left to the database.

    A row that belongs to another by such a key alone is computed from it, and comes and goes with it.
    """
    keys = (field for field in model._meta.local_fields if isinstance(field, ForeignKey))
    return (key for key in keys if key.remote_field.on_delete is not DO_NOTHING)
