"""Where files of imports lay on the server is known only as long as something may read them."""

from importlib import import_module
from pathlib import Path

import pytest
from django.core.management import call_command

from accounts.sql import execute
from corpus.models import ImportRun
from tests.corpus.imports.importing import jsonl
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import ImportRunFactory

pytestmark = pytest.mark.django_db
FILES = [{"name": name, "path": f"/home/mia/{name}", "size": 1, "sha256": ""} for name in ("b.jsonl", "a.jsonl")]


def names(run: ImportRun) -> list[tuple[str, bool]]:
    run.refresh_from_db()
    return [(file["name"], "path" in file) for file in run.files]


def test_an_import_by_command_keeps_the_names_alone_and_a_dry_run_can_be_followed(tmp_path: Path) -> None:
    CollectionFactory(slug="tea")
    file = str(jsonl(tmp_path / "in.jsonl", [{"id": "1", "title": "Tea"}]))
    call_command("import_documents", "tea", file, "--dry-run", verbosity=0)
    call_command("import_documents", "tea", file, verbosity=0)
    tried, done = ImportRun.objects.order_by("pk")
    assert (names(tried), names(done)) == ([("in.jsonl", True)], [("in.jsonl", False)])
    assert str(tmp_path) not in str(ImportRun.objects.filter(pk=done.pk).values())


def test_those_that_ended_before_forget_it_too() -> None:
    runs = [
        ImportRunFactory(state=state, dry_run=dry, files=FILES)
        for state, dry in (("done", False), ("failed", False), ("done", True), ("queued", False))
    ]
    execute(import_module("corpus.migrations.0004_paths_of_ended_imports").FORGET + "RETURNING id", [])
    assert [names(run) for run in runs] == [
        [(name, has_path) for name in ("b.jsonl", "a.jsonl")] for has_path in (False, False, True, True)
    ]
