"""What loaders make of a release equals what was judged.

ir_datasets reads it for real. Of `datasets` and MTEB 2 (with polars and PyTorch, over a gigabyte) the rules are
written again here: `configs` of the card, splits, columns and types, as `load_dataset` and RetrievalDatasetLoader have
them.
"""

import importlib.util
import json
import re
import warnings
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from django.test import override_settings

from annotation.models import Criterion, Judgment, Level
from tests.adjudication.releases.releasing import folder_of, freeze
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built

Qrels = dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def folder(shared_built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with two judged sets: relevance, and a second criterion."""
    built = deepcopy(shared_built)
    second = Criterion.objects.create(campaign=built.campaign, key="novelty", label="Novelty", position=1)
    Level.objects.bulk_create(Level(criterion=second, value=value, label=f"{value}") for value in range(2))
    given = Judgment.objects.filter(assignment__annotator__user__isnull=False)
    more = [Judgment(assignment=one.assignment, submission=one.submission, criterion=second, value=1) for one in given]
    Judgment.objects.bulk_create(more)
    vote(built)
    with override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("media")):
        release = freeze(built, force="Labels of the second criterion are incomplete.")
        return folder_of(release, anonymous=False)


def written(folder: Path, gold: str) -> Qrels:
    """The judged set as TREC's qrels have it."""
    found: Qrels = {}
    criterion = gold.removeprefix("main-")
    for line in (folder / f"campaigns/main/{criterion}.query.qrels").read_text().splitlines():
        topic, _, docno, value = line.split()
        found.setdefault(topic, {})[docno] = int(value)
    return found


# --- `datasets` -----------------------------------------------------------------------------------------------------

NO_CONFIG_NAME = re.compile(r"[<>:/\\|?*]")  # characters that are in no path of Windows
SPLIT_NAME = re.compile(r"\w+(\.\w+)*")


def configs_of(folder: Path) -> dict[str, dict[str, str]]:
    """{config: {split: pattern}}, as `datasets` takes them from the head of README.md."""
    head = yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])
    found: dict[str, dict[str, str]] = {}
    for one in head["configs"]:
        assert isinstance(one["config_name"], str)
        assert not NO_CONFIG_NAME.search(one["config_name"])
        assert one["config_name"] not in found
        assert all(SPLIT_NAME.fullmatch(each["split"]) for each in one["data_files"])
        found[one["config_name"]] = {each["split"]: each["path"] for each in one["data_files"]}
    return found


def load_dataset(folder: Path, config: str, split: str) -> pa.Table:
    """The split: its patterns are matched below the folder, the builder follows from the endings."""
    paths = sorted(folder.glob(configs_of(folder)[config][split]))
    assert paths
    assert {path.suffix for path in paths} == {".parquet"}
    return pa.concat_tables([pq.read_table(path) for path in paths])


# --- MTEB 2 ---------------------------------------------------------------------------------------------------------


class RetrievalLoader:
    """The rules of RetrievalDatasetLoader: names of configs, a single split serves any, ids and types."""

    def __init__(self, folder: Path, config: str | None = None, split: str = "test") -> None:
        self.folder, self.configs, self.split = folder, configs_of(folder), split
        self.lead = f"{config}-" if config else ""

    def table(self, name: str) -> pa.Table:
        config = f"{self.lead}{name}"
        splits = list(self.configs[config])
        assert self.split in splits or len(splits) == 1
        return load_dataset(self.folder, config, self.split if self.split in splits else splits[0])

    def load(self) -> tuple[dict[str, str], dict[str, str], Qrels, dict[str, list[str]]]:
        assert "query" not in self.configs  # it would be taken for the queries of every set
        qrels: Qrels = {}
        typed = pa.schema([("query-id", pa.string()), ("corpus-id", pa.string()), ("score", pa.int32())])
        for row in self.table("qrels").select(typed.names).cast(typed).to_pylist():
            qrels.setdefault(row["query-id"], {})[row["corpus-id"]] = row["score"]
        corpus = {one["_id"]: f"{one['title']} {one['text']}".strip() for one in self.table("corpus").to_pylist()}
        queries = {one["_id"]: one["text"] for one in self.table("queries").to_pylist() if one["_id"] in qrels}
        typed = pa.schema([("query-id", pa.string()), ("corpus-ids", pa.list_(pa.string()))])
        ranked = {row["query-id"]: row["corpus-ids"] for row in self.table("top_ranked").cast(typed).to_pylist()}
        return corpus, queries, qrels, ranked


@pytest.mark.parametrize(("config", "gold"), [(None, "main-relevance"), ("main-novelty", "main-novelty")])
def test_mteb_and_datasets_read_equal_values(folder: Path, config: str | None, gold: str) -> None:
    corpus, queries, qrels, ranked = RetrievalLoader(folder, config).load()
    assert qrels == written(folder, gold)
    assert qrels
    assert (
        load_dataset(folder, f"{config}-qrels" if config else "qrels", "test").schema.field("score").type == pa.int32()
    )
    documents = [json.loads(line) for line in (folder / "documents.jsonl").read_text().splitlines()]
    assert corpus == {one["docno"]: f"{one['title']} {one['abstract']}" for one in documents}
    assert queries == {"7": "Question 7?", "12": "Question 12?"}
    assert {topic: set(docnos) for topic, docnos in ranked.items()} == {
        topic: set(each) for topic, each in qrels.items()
    }


# --- ir_datasets ----------------------------------------------------------------------------------------------------


@pytest.fixture
def extension(folder: Path, tmp_path: Path, monkeypatch) -> Iterator[Any]:
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ir_datasets' own dependencies
        spec = importlib.util.spec_from_file_location("ir_datasets_extension", folder / "ir_datasets_extension.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module


def test_ir_datasets_reads_equal_values(folder: Path, extension: Any) -> None:
    import ir_datasets

    assert extension.IDS == ["tea-v1/main-relevance", "tea-v1/main-novelty"]
    for name in extension.IDS:
        dataset = ir_datasets.load(name)
        found: Qrels = {}
        for one in dataset.qrels_iter():
            found.setdefault(one.query_id, {})[one.doc_id] = one.relevance
        assert found == written(folder, name.split("/")[1])
        corpus, queries, _, _ = RetrievalLoader(folder).load()
        assert {one.doc_id: one.default_text() for one in dataset.docs_iter()} == corpus
        assert {one.query_id: one.text for one in dataset.queries_iter()} == queries
        assert dataset.docs_count() == 3
        assert dataset.docs_store().get("doc-b").title == "On doc-b"
    assert not list(folder.rglob("*.pklz4"))  # what it keeps lies in ir_datasets' home, not in the release
