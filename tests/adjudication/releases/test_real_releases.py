"""Real material becomes a release by one command: DORIS-MAE's judged set, and ACM-CR's papers."""

import csv
import json
import warnings
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command

from corpus.models import Collection
from tests.adjudication.papers.test_acm_cr_road import collection  # noqa: F401 - a fixture
from tests.adjudication.releases.test_loaders import RetrievalLoader
from tests.corpus.imports.importing import import_files
from tests.factories.accounts import CollectionFactory
from tests.shared import shared_path

pytestmark = [pytest.mark.django_db, pytest.mark.shared]

TENTHS = 11  # levels: DORIS-MAE's mean over aspects, 0 to 2, in steps of 0.2


@pytest.fixture(autouse=True)
def _media(settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.TEX_PROGRAM = ""


def released(made: Collection, out: Path, capsys) -> Path:
    """The folder of its release, checked by the command and by mlcroissant."""
    made.licence = "CC BY 4.0"
    made.save()
    call_command("release", made.slug, "v1", out=out)
    capsys.readouterr()
    call_command("verify_release", str(out), as_json=True)
    assert json.loads(capsys.readouterr().out)["remade"] is True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of mlcroissant's own dependencies
        import mlcroissant as mlc

        dataset = mlc.Dataset(jsonld=out / "croissant.json")
        assert not dataset.metadata.ctx.issues.errors | dataset.metadata.ctx.issues.warnings
        for records in dataset.metadata.record_sets:
            assert next(iter(dataset.records(records.id)))
    return out


def test_doris_mae_judged(tmp_path: Path, capsys) -> None:
    folder = shared_path("data", "doris-mae", "judged")
    made = CollectionFactory(slug="doris-mae")
    with (folder / "relevance.tsv").open(newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    values = {(row["query-id"], row["corpus-id"]): round(5 * float(row["average"])) for row in rows}
    run, qrels, config = tmp_path / "judged.run", tmp_path / "judged.qrels", tmp_path / "judged.toml"
    run.write_text("".join(f"{q} Q0 {d} {n} {5000 - n} judged\n" for n, (q, d) in enumerate(values, 1)))
    qrels.write_text("".join(f"{q} paper {d} {value}\n" for (q, d), value in values.items()))
    levels = "".join(f'[[criteria.levels]]\nvalue={n}\nlabel="{2 * n / 10:g}"\n' for n in range(TENTHS))
    config.write_text(f'[[criteria]]\nkey="relevance"\nlabel="Relevance"\n{levels}')
    call_command("import_documents", made.slug, str(folder / "corpus.jsonl"), "--format", "beir")
    call_command("import_topics", made.slug, str(folder / "queries.jsonl"), "--format", "beir")
    call_command("import_runs", made.slug, str(run))
    call_command("build_pools", made.slug, "--methods", "judged")
    call_command("create_campaign", made.slug, "Judged", "--overlap", "1", "--config", str(config))
    call_command("import_judgments", made.slug, "judged", str(qrels), "--format", "qrels")
    call_command("adjudicate", made.slug, "judged", "--policy", "majority", "--min-votes", "1")
    corpus, queries, found, ranked = RetrievalLoader(released(made, tmp_path / "release", capsys)).load()
    # Ids of queries begin with q- where documents have the same: loaders drop a result with the query's own id.
    written = {
        (query.removeprefix("q-"), docno): value for query, each in found.items() for docno, value in each.items()
    }
    assert written == values
    assert (len(corpus), len(queries), sum(map(len, ranked.values()))) == (1540, 20, len(values))
    with (folder / "queries.jsonl").open() as lines:
        texts = {one["_id"]: one["text"] for one in map(json.loads, lines)}
    assert {query.removeprefix("q-"): " ".join(text.split()) for query, text in queries.items()} == {
        number: " ".join(text.split()) for number, text in texts.items()
    }


def test_acm_cr_papers(collection, tmp_path: Path, capsys) -> None:  # noqa: F811
    made, folder, papers = collection
    import_files(made, *papers, *(path.with_suffix(".dois") for path in papers), folder / "papers.tsv", kind="papers")
    out = released(made, tmp_path / "release", capsys)
    for level, name in (("paragraph", "contexts"), ("sentence", "sentences")):
        for kind in ("topics", "qrels"):
            path = out / f"contexts/{level}.{'trec' if kind == 'topics' else 'qrels'}"
            written, given = path.read_text(), (folder / f"{name}.{kind}").read_text()
            assert Counter(written.rstrip("\n").split("\n")) == Counter(given.rstrip("\n").split("\n")), path
    assert len(list((out / "contexts/acm-cr").rglob("*.xml"))) == 25
    _, queries, found, _ = RetrievalLoader(out).load()
    assert set(queries) == set(found)
    assert len(queries) == len({line.split()[0] for line in (folder / "contexts.qrels").read_text().splitlines()})
