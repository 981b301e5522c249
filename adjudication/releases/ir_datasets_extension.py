"""A module by which ir_datasets reads a release: it registers each judged set under the collection's name.

The files of BEIR's layout next to it are what it reads, so it holds no path and works wherever the folder lies.
"""

from adjudication.releases.croissant import name_of
from adjudication.releases.facts import Facts

EXTENSION = "ir_datasets_extension.py"


def extension(facts: Facts, *, anonymous: bool) -> str:
    """The module as text; `ascii` writes every value as a literal of Python, so no value becomes code."""
    sets = {
        gold.name: {
            "split": gold.split,
            "about": facts.people.without_names(gold.about),
            "levels": {value: ": ".join(filter(None, (label, definition))) for value, label, definition in gold.grades},
        }
        for gold in facts.recipe.judged_sets
    }
    name = f"{name_of(facts, anonymous=anonymous)}-{facts.release.name}"
    values = {"%NAME%": name, "%ID%": facts.release.public_id, "%SETS%": sets}
    found = MODULE
    for place, value in values.items():
        found = found.replace(place, ascii(value), 1)
    return found


MODULE = '''"""Registers the query sets of this release with ir_datasets (0.5 or later).

    import sys, ir_datasets
    sys.path.insert(0, "the folder of this file")
    import ir_datasets_extension as release
    print(release.IDS)                              # the names to load
    dataset = ir_datasets.load(release.IDS[0])
    dataset.docs_iter(), dataset.queries_iter(), dataset.qrels_iter(), dataset.docs_store()
"""

import json
from pathlib import Path
from typing import NamedTuple

import ir_datasets
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, GenericQuery, TrecQrel
from ir_datasets.indices import PickleLz4FullStore

FOLDER = Path(__file__).resolve().parent
NAME = %NAME%
ID = %ID%  # of the release, as in its manifest
SETS = %SETS%


class Document(NamedTuple):
    doc_id: str
    title: str
    text: str

    def default_text(self):
        return f"{self.title} {self.text}".strip()


def lines(path):
    with path.open(encoding="utf-8") as file:
        yield from file


class Docs(BaseDocs):
    def __init__(self, path):
        self.path = path

    def docs_iter(self):
        for line in lines(self.path):
            found = json.loads(line)
            yield Document(found["_id"], found["title"], found["text"])

    def docs_cls(self):
        return Document

    def docs_store(self, field="doc_id"):
        place = ir_datasets.util.home_path() / f"{NAME}-{ID}" / "docs.pklz4"
        return PickleLz4FullStore(
            path=str(place), init_iter_fn=self.docs_iter, data_cls=Document, lookup_field=field, index_fields=["doc_id"]
        )

    def docs_count(self):
        return sum(1 for _ in lines(self.path))

    def docs_namespace(self):
        return NAME


class Queries(BaseQueries):
    def __init__(self, path):
        self.path = path

    def queries_iter(self):
        for line in lines(self.path):
            found = json.loads(line)
            yield GenericQuery(found["_id"], found["text"])

    def queries_cls(self):
        return GenericQuery

    def queries_namespace(self):
        return NAME


class Qrels(BaseQrels):
    def __init__(self, path, levels):
        self.path, self.levels = path, levels

    def qrels_iter(self):
        found = lines(self.path)
        next(found)  # the header
        for line in found:
            query, document, value = line.rstrip("\\n").split("\\t")
            yield TrecQrel(query, document, int(value), "0")

    def qrels_defs(self):
        return self.levels

    def qrels_cls(self):
        return TrecQrel


def register(name, about):
    folder = FOLDER / "beir" / name
    dataset = Dataset(
        Docs(folder / "corpus.jsonl"),
        Queries(folder / "queries.jsonl"),
        Qrels(folder / "qrels" / f"{about['split']}.tsv", about["levels"]),
    )
    known = f"{NAME}/{name}"
    if known not in ir_datasets.registry:
        ir_datasets.registry.register(known, dataset)
    return known


IDS = [register(name, about) for name, about in SETS.items()]
'''
