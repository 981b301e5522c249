"""What tests of releases share."""

import csv
import json
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import yaml
from django.utils import timezone

from accounts import jobs
from accounts.files.storage import files
from accounts.models import JobState
from adjudication.models import Release
from adjudication.releases.releases import request_release
from tests.factories.adjudication import Built, Triple

A, B, C = "It has leaves.", "It has steam.", "It has a pot."
TRIPLES: list[Triple] = [
    ("7", A, "doc-b"), ("7", B, "doc-b"), ("7", A, "doc-a"), ("7", B, "doc-a"), ("12", C, "doc-b"), ("12", C, "doc-c"),
]  # fmt: skip
LABELS = [[2, 2, 2, 1], [1, 1, 0, 1], [0, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1], [2, 2, 1, 1]]  # the last by a machine
# What two releases of an unchanged collection may differ in.
NAMED_AND_DATED = {
    "README.md", "DATASHEET.md", "CITATION.cff", "datacite.json", "CHANGELOG.md", "croissant.json", "manifest.json",
    "ir_datasets_extension.py",
}  # fmt: skip
PEOPLE = ("zebulon", "yolanda", "xerxes")


def freeze(built: Built, name: str = "v1", force: str = "") -> Release:
    """A release of this name, made by the job as a worker makes it."""
    release = request_release(
        collection=built.collection, name=name, by=built.people["manager"], at=timezone.now(), force=force, send=False
    )
    jobs.carry_out(release)
    release.refresh_from_db()
    assert release.state == JobState.DONE, release.reason
    return release


def folder_of(release: Release, *, anonymous: bool) -> Path:
    """Where one variant lies."""
    return Path(files.path(release.variant(anonymous=anonymous)))


def text(release: Release, path: str, *, anonymous: bool = False) -> str:
    return (folder_of(release, anonymous=anonymous) / path).read_text()


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def head_of(folder: Path) -> dict[str, Any]:
    """The head of the card."""
    found: dict[str, Any] = yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])
    return found


def check_files(folder: Path) -> None:
    """No file holds nothing, and each says what it is, not where a page of Litmus has more."""
    entries = json.loads((folder / "manifest.json").read_text())["files"]
    assert not [one["path"] for one in entries if one["rows"] == 0 or not one["bytes"] or not one["about"]]
    assert not [one["path"] for one in entries if " under “" in one["about"]]


def check_croissant(folder: Path) -> int:
    """It validates without a warning, and every record of each record set is read; how many sets there are."""
    rows = {one["path"]: one["rows"] for one in json.loads((folder / "manifest.json").read_text())["files"]}
    described = json.loads((folder / "croissant.json").read_text())["recordSet"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of mlcroissant's own dependencies
        import mlcroissant as mlc

        dataset = mlc.Dataset(jsonld=folder / "croissant.json")
        assert not dataset.metadata.ctx.issues.errors | dataset.metadata.ctx.issues.warnings
        for one in described:
            assert sum(1 for _ in dataset.records(one["@id"])) == rows[one["field"][0]["source"]["fileObject"]["@id"]]
    return len(described)


def check_explained(folder: Path) -> int:
    """Every line of the qrels of a release follows from its `lines.jsonl`; how many lines there are."""
    lines = [json.loads(line) for line in (folder / "lines.jsonl").read_text().splitlines()]
    assert len({line["id"] for line in lines}) == len(lines)
    written = 0
    for path in sorted(folder.rglob("*.qrels")):
        qrels = [line.split() for line in path.read_text().splitlines()]
        assert qrels, path
        written += len(qrels)
        explained = _explained(folder, path.relative_to(folder), lines)
        for topic, who, docno, value in qrels:
            assert explained[topic, docno, who] == int(value), (path, topic, who, docno)
    return written


def _explained(folder: Path, path: Path, lines: list[dict[str, Any]]) -> dict[tuple[str, str, str], int]:
    """{(topic, docno, column 2): value} as the lines have it for this file."""
    if path.parts[0] != "campaigns":
        name = "questions" if path.parts[0] == "questions" else f"contexts-{path.stem}"
        of_set = [line for line in lines if line.get("set") == name]
        return {(line["topic"], line["docno"], line.get("reference", "0")): line["value"] for line in of_set}
    criterion, level, *labels = path.stem.split(".")
    own = [line for line in lines if (line.get("campaign"), line.get("criterion")) == (path.parts[1], criterion)]
    found: dict[tuple[str, str, str], int] = Counter()
    for line in own:
        values = (
            {"0": line["value"]} | {place_of(line): line["value"]}
            if not labels
            else {"_".join(label["prov:wasAttributedTo"].split()): label["value"] for label in line["labels"]}
        )
        for topic in topics_of(folder, line, level):
            for who, value in values.items():
                found[topic, line["docno"], who] += value or 0
    return found


def place_of(line: dict[str, Any]) -> str:
    """The number of its aspect, which column 2 of diversity qrels has."""
    return str(line.get("subtopic", "")).rpartition(".")[2]


def topics_of(folder: Path, line: dict[str, Any], level: str) -> list[str]:
    """The topics of a level that the value of the line is a part of."""
    if level == "sub-query":
        with (folder / "topics" / "sub-queries.tsv").open(newline="") as table:
            return [
                row["sub_query"] for row in csv.DictReader(table, delimiter="\t") if row["subtopic"] == line["subtopic"]
            ]
    return [line["subtopic"] if level == "aspect" else line["topic"]]
