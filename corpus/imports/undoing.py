"""Undoing an import: its new rows are deleted, the former values of changed ones put back, unless other rows need it.

Those are found by following foreign keys, so a table added later is known at once. Rows that are a part of the imported
ones (`parts`) are deleted with them; keys that may be null are set to null; every other row that refers to them needs
the import. Apps above add the kinds they store, and rows that refer to it in other ways than by keys.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import DO_NOTHING, PROTECT, SET_NULL, ForeignObjectRel, Model, QuerySet

from accounts.extensions import extensions
from accounts.models import JobState
from accounts.refusals import Reason, Refused
from corpus.collections.contents import plural
from corpus.loading.uploads import remove_paper_file
from corpus.models import ImportRun, Paper, ReplacedRecord

Standing = tuple[str, int]  # a kind of rows that need the import, in the plural, and how many
Rows = dict[type[Model], QuerySet[Any]]


@dataclass(frozen=True)
class Undoing:
    """How imports of one kind are undone. `parts` are (model, key to a row of `model` or of an earlier part)."""

    model: type[Model]
    parts: tuple[tuple[type[Model], str], ...] = ()
    restores: bool = False  # whether what was written over was kept
    standing: Callable[[ImportRun], Iterable[Standing]] = lambda _run: ()  # on it without a foreign key to its rows
    before: Callable[[ImportRun], None] = lambda _run: None
    after: Callable[[ImportRun], None] = lambda _run: None


def check_can_undo(run: ImportRun) -> None:
    """Errors: Refused for an import that cannot be undone, with the reasons. A dozen counts; nothing is locked."""
    undoing: Undoing | None = run.importer and run.importer.undoing
    if run.dry_run or run.state != JobState.DONE or run.undone_at:
        raise Refused("Only an import that was carried out, and not undone yet, can be undone.")
    if undoing is None:
        text = f"An import of a {run.label} cannot be undone. Remove its entries where they are."
        raise Refused(_with_results(run, text))
    created = undoing.model._base_manager.filter(imported_in=run)
    if not created.exists() and not run.replaced.exists():
        raise Refused("None of its records exist any more, or it was made before Litmus recorded such rows.")
    if run.updated and not undoing.restores:
        text = f"It changed {run.updated:,} existing records, and their former values were not kept."
        where = ("Import the former file", "import_create", run.collection.slug, run.kind)
        raise Refused(Reason(f"{text} Import the former file again instead.", *where))
    standing = list(_standing(run, undoing))
    if standing:
        listed = ", ".join(f"{name}: {n:,}" for name, n in standing)
        text = f"This import cannot be undone, because other work uses it ({listed}). Remove that first."
        raise Refused(_with_results(run, text))


def _with_results(run: ImportRun, text: str) -> Reason:
    """The reason, with the page of what was imported."""
    way = run.importer.way_on(run)
    return Reason(text, way.label, address=way.result)


def undo(run: ImportRun) -> int:
    """Undo the import; returns the number of rows deleted or restored. Within `append_only_rows_deletable()`."""
    undoing: Undoing = run.importer.undoing  # `check_can_undo` has refused imports without one
    rows = _rows(run, undoing)
    _set_null(rows)
    undoing.before(run)
    changed = sum(rows[model]._raw_delete(using="default") for model, _ in reversed(undoing.parts))
    changed += rows[undoing.model]._raw_delete(using="default")
    undoing.after(run)
    return changed


def _rows(run: ImportRun, undoing: Undoing) -> Rows:
    """The rows to delete, by table: those that the import created, and their parts."""
    rows: Rows = {undoing.model: undoing.model._base_manager.filter(imported_in=run)}
    for model, key in undoing.parts:
        owner = model._meta.get_field(key).related_model
        rows[model] = model._base_manager.filter(**{f"{key}__in": rows[owner]})  # type: ignore[index]
    return rows


def _standing(run: ImportRun, undoing: Undoing) -> Iterator[Standing]:
    rows = _rows(run, undoing)
    counts: dict[str, int] = {}
    for model, imported in rows.items():
        for relation in relations(model):
            if relation.on_delete not in (SET_NULL, DO_NOTHING):
                _count(relation, imported, rows, counts)
    if undoing.restores:
        written_over = undoing.model._base_manager.filter(pk__in=run.replaced.values("row_id"))
        for relation in relations(undoing.model):
            if relation.on_delete is PROTECT:
                _count(relation, written_over, rows, counts)
    yield from sorted(counts.items())
    yield from _later_imports(run, undoing)
    above: dict[str, Callable[[ImportRun], Iterable[Standing]]] = extensions("standing_on_imports")
    for standing in (undoing.standing, above.get(run.kind)):
        yield from ((name, n) for name, n in (standing(run) if standing else ()) if n)


def _count(relation: ForeignObjectRel, imported: QuerySet[Any], rows: Rows, counts: dict[str, int]) -> None:
    model = relation.related_model
    found = model._base_manager.filter(**{f"{relation.field.name}__in": imported})
    if model in rows:
        found = found.exclude(pk__in=rows[model])
    if n := found.count():
        name = plural(model)
        counts[name] = counts.get(name, 0) + n


def relations(model: type[Model]) -> Iterator[ForeignObjectRel]:
    """The keys of other tables to this one."""
    return (each for each in model._meta.get_fields(include_hidden=True) if isinstance(each, ForeignObjectRel))


def _later_imports(run: ImportRun, undoing: Undoing) -> Iterator[Standing]:
    """Later imports that changed what this one brought in: they are undone first."""
    later = ImportRun.objects.filter(
        collection=run.collection_id, kind=run.kind, pk__gt=run.pk, undone_at=None, dry_run=False, updated__gt=0
    )
    if undoing.restores:
        mine = undoing.model._base_manager.filter(imported_in=run).values("pk")
        over = ReplacedRecord.objects.filter(import_run__in=later)
        later = later.filter(
            pk__in=over.filter(row_id__in=mine.union(run.replaced.values("row_id"))).values("import_run")
        )
    if n := later.count():
        yield "later imports that changed it", n


def _set_null(rows: Rows) -> None:
    for model, imported in rows.items():
        for relation in relations(model):
            if relation.on_delete is SET_NULL and relation.related_model not in rows:
                name = relation.field.name
                relation.related_model._base_manager.filter(**{f"{name}__in": imported}).update(**{name: None})


def remove_files(run: ImportRun) -> None:
    """Delete the files that only the import's papers have, once the transaction has committed."""
    mine = Paper.objects.filter(imported_in=run)
    names = set(mine.exclude(file="").values_list("file", flat=True))
    names -= set(Paper.objects.filter(file__in=names).exclude(imported_in=run).values_list("file", flat=True))
    for name in names:
        transaction.on_commit(partial(remove_paper_file, name))
