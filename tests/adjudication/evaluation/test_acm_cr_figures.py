"""ACM-CR's BM25 by `make_run` and `evaluate`: the figures of its 25 papers over 108,857 documents, read back."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from corpus.models import Document
from tests.adjudication.evaluation.roads import check_read_back
from tests.factories.accounts import CollectionFactory
from tests.shared import shared_path

# An import holds constraints at once for its transaction, so each command needs one of its own.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.shared, pytest.mark.slow, pytest.mark.timeout(1800)]

# Percent: R@10 and nDCG@10 with bm25s over Lucene-like tokens (the README next to the data).
MEASURED = {"paragraph": (34.88, 30.13), "sentence": (41.84, 34.09)}


def test_bm25_of_make_run_gives_the_measured_figures(settings: Any, tmp_path: Path, capsys: Any) -> None:
    settings.INDEX_DIR = tmp_path
    folder = shared_path("data", "acm-cr")
    collection = CollectionFactory(slug="acm")
    excluded = ("--exclude", str(folder / "blacklist.txt"))
    call_command("import_documents", "acm", str(folder / "collection.tar.xz"), *excluded)
    assert Document.objects.count() == 108_857
    papers = sorted(folder.glob("papers/*/*.xml"))
    call_command("import_papers", "acm", *map(str, papers), str(folder / "papers.tsv"))
    found = {}
    for level in MEASURED:
        call_command("make_context_topics", "acm", "--level", level)
        call_command("make_run", "acm", level, "--recipe", "bm25", "--topics", f"context-{level}", "--depth", "100")
        capsys.readouterr()
        asked = ("--gold", f"contexts:{level}", "--measure", "R@10", "nDCG@10", "--resamples", "1000")
        call_command("evaluate", "acm", "--run", level, *asked, "--json")
        (subset,) = json.loads(capsys.readouterr().out)["subsets"]
        qrels = ("qrels", {"level": level})
        # Documents of equal score stand otherwise in ir-measures' RR@k than in all else of it (its issue 18).
        check_read_back(collection, tmp_path, f"contexts:{level}", [level], qrels, 1, without="RR@10")
        found[level] = tuple(100 * subset["runs"][level][measure]["value"] for measure in ("R@10", "nDCG@10"))
    for level, figures in MEASURED.items():
        assert found[level] == pytest.approx(figures, abs=0.1)
