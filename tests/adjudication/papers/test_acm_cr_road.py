"""From the released gold to the released topics, qrels and figures, through the database."""

import csv
import json
import re
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command

from corpus.formats.acm_cr import DoisLine, read_acm_cr, read_dois
from corpus.models import Collection, Document, Paper, Topic
from tests.corpus.imports.importing import counts, import_files
from tests.factories.accounts import CollectionFactory
from tests.shared import shared_path

pytestmark = [pytest.mark.django_db, pytest.mark.shared]

_KEYS = re.compile(rb"^@\w+\{\s*([^,\s]+),", re.MULTILINE)


def cited_documents(folder: Path, papers: list[Path]) -> set[str]:
    """The ids of the collection that the papers' references name, blacklisted ones left out.

    Reading all 903 files as documents is tested elsewhere; here their ids are enough.
    """
    wanted = set()
    for path in papers:
        with path.open("rb") as stream:
            wanted |= set(read_acm_cr(stream, path.name).references.values())
    found = set()
    with tarfile.open(folder / "collection.tar.xz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                found |= wanted.intersection(key.decode() for key in _KEYS.findall(content.read()))
    return found - set((folder / "blacklist.txt").read_text().split())


def notes_of(path: Path) -> dict[str, str]:
    """What a sheet notes of references, by number."""
    with path.open("rb") as stream:
        lines = [line for line in read_dois(stream, path.name) if isinstance(line, DoisLine)]
    return {line.number: line.note for line in lines if line.note}


@pytest.fixture
def collection() -> tuple[Collection, Path, list[Path]]:
    folder = shared_path("data", "acm-cr")
    papers = sorted(folder.glob("papers/*/*.xml"))
    made = CollectionFactory(slug="acm-cr")
    Document.objects.bulk_create(
        [Document(collection=made, docno=docno, title=docno) for docno in sorted(cited_documents(folder, papers))]
    )
    return made, folder, papers


@pytest.mark.slow
def test_the_release_comes_out_row_for_row(collection, tmp_path, capsys) -> None:
    made, folder, papers = collection
    sheets = [path.with_suffix(".dois") for path in papers]
    brought = import_files(made, *papers, *sheets, folder / "papers.tsv", kind="papers")
    assert counts(brought) == (25, 0, 0, 0)
    with (folder / "papers.tsv").open(encoding="utf-8", newline="") as table:
        order = [row["doi"] for row in csv.DictReader(table, delimiter="\t")]
    assert list(Paper.objects.filter(collection=made).values_list("key", flat=True)) == order

    for level, count in (("paragraph", 133), ("sentence", 287)):  # both, though 337177501 and others are of each
        capsys.readouterr()
        call_command("make_context_topics", "acm-cr", "--level", level, "--json")
        result = json.loads(capsys.readouterr().out)
        assert (result["made"], result["prefix"]) == (count, "s-" if level == "sentence" else "")
    for level, name in (("paragraph", "contexts"), ("sentence", "sentences")):
        released = (folder / f"{name}.qrels").read_text("utf-8").split()
        topics = Topic.objects.filter(collection=made, kind=f"context-{level}")
        assert {each.bare_number for each in topics} == set(released[::4])
        for kind in ("topics", "qrels"):
            out = tmp_path / f"{name}.{kind}"
            call_command("export", "acm-cr", "--format", kind, "--level", level, "--out", str(out))
            written, released = out.read_text("utf-8"), (folder / f"{name}.{kind}").read_text("utf-8")
            if kind == "topics":
                assert written.rstrip("\n") == released.rstrip("\n")
            else:
                assert Counter(written.splitlines()) == Counter(released.splitlines())

    capsys.readouterr()
    call_command("collection_stats", "acm-cr", as_json=True)
    found = json.loads(capsys.readouterr().out)["contexts"]
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["papers"]
    for figure in set(expected) - {"context_means", "sentence_means"}:
        assert found[figure] == expected[figure], figure
    for means in ("context_means", "sentence_means"):
        rounded = {name: round(value, 2) for name, value in found[means].items()}
        assert rounded == {name: round(value, 2) for name, value in expected[means].items()}

    call_command("export", "acm-cr", "--format", "acm-cr", "--out", str(tmp_path / "xml"))
    for path in papers:
        with path.open("rb") as gold, (tmp_path / "xml" / path.name).open("rb") as ours:
            one, other = read_acm_cr(gold, ""), read_acm_cr(ours, "")
        assert one == other
        assert notes_of(path.with_suffix(".dois")) == notes_of(tmp_path / "xml" / f"{path.stem}.dois")
