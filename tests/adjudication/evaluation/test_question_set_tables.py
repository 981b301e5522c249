"""From a question set to LitSearch's Tables 3 and 4, by pages alone and by commands alone: the same LaTeX.

A quarter of as many questions as LitSearch has, of all its sorts, over real abstracts (DORIS-MAE's); BM25, and a
reranker asked over HTTP.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.models import Job, JobState
from adjudication.models import Evaluation
from corpus.models import Collection, ImportRun, RunMaking
from tests.factories.accounts import CollectionFactory, MembershipFactory
from tests.factories.litsearch import invented_questions
from tests.shared import shared_path
from tests.stubs.chat import Call, ChatStub

pytestmark = [pytest.mark.django_db, pytest.mark.shared, pytest.mark.slow, pytest.mark.timeout(900)]

TABLES = ("litsearch-3", "litsearch-4")
TYPED = ("name", "depth", "top", "measures", "uploads")  # what no page offers to choose from
_PAPER = re.compile(r"\[(\d+)\] ?(.*)")


def overlap_order(call: Call) -> str:
    """The papers of the prompt by how many words of the request they share: another order than BM25's."""
    prompt = str(call.body["messages"][-1]["content"])
    request = set(prompt.partition("\n")[0].lower().split())
    papers = {number: len(request & set(text.lower().split())) for number, text in _PAPER.findall(prompt)}
    return " > ".join(f"[{number}]" for number in sorted(papers, key=lambda each: (-papers[each], int(each))))


def questions_in_counts() -> list[dict[str, Any]]:
    """Two of each eight questions in LitSearch's counts, one of each quality, from every set and of both widths."""
    rows = enumerate(invented_questions())
    found = [{**row, "quality": 1 + place % 2} for place, row in rows if place % 8 < 2]
    assert len({(row["query_set"], row["specificity"], row["quality"]) for row in found}) == 16
    return found


@pytest.fixture
def material(tmp_path: Path) -> tuple[Path, Path]:
    """Files of real documents, and of questions in words of their targets' abstracts."""
    documents = shared_path("data", "doris-mae", "judged", "corpus.jsonl")
    real = [json.loads(line) for line in documents.read_text("utf-8").splitlines()]
    rows = []
    for place, row in enumerate(questions_in_counts()):
        targets = [real[(each - 1000) * 2] for each in row.pop("corpusids")]
        words = targets[0]["text"].split()
        start = place % max(1, len(words) - 12)
        query = f"Which papers are about {' '.join(words[start : start + 4])} and {' '.join(words[-4:])}?"
        rows.append({**row, "query": query, "docnos": [each["_id"] for each in targets]})
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return documents, questions


@pytest.fixture
def _model(settings: Any, tmp_path: Path) -> Iterator[None]:
    settings.INDEX_DIR = tmp_path / "indexes"
    settings.LLM_ATTEMPTS, settings.LLM_CONCURRENCY, settings.LLM_RATE = 1, 4, 0
    settings.LLM_PRICE_IN = settings.LLM_PRICE_OUT = None
    with ChatStub(overlap_order) as stub:
        settings.LLM_BASE_URL, settings.LLM_MODEL = stub.url, "stub"
        yield


def by_commands(collection: Collection, documents: Path, questions: Path, capsys: Any) -> dict[str, str]:
    slug = collection.slug
    call_command("import_documents", slug, str(documents))
    call_command("import_topics", slug, str(questions))
    call_command("make_run", slug, "bm25", "--recipe", "bm25-okapi", "--topics", "question-set", "--depth", "100")
    rerank = ("--recipe", "rerank", "--run", "bm25", "--topics", "question-set", "--top", "10", "--depth", "100")
    call_command("make_run", slug, "reranked", *rerank)
    found = {}
    for table in TABLES:
        capsys.readouterr()
        call_command("evaluate", slug, "--run", "bm25", "reranked", "--preset", table, "--format", "latex")
        found[table] = capsys.readouterr().out
    return found


def done(job: Job) -> None:
    jobs.carry_out(job)
    job.refresh_from_db()
    assert (job.state, job.reason) == (JobState.DONE, "")


def by_pages(collection: Collection, documents: Path, questions: Path, client: Client) -> dict[str, str]:
    slug = collection.slug
    client.force_login(MembershipFactory(collection=collection, role="manager").user)

    def send(page: str, *args: str, query: str = "", **data: Any) -> None:
        """Fill in a form that the page shows, and send it."""
        address = reverse(page, args=[slug, *args]) + query
        shown = client.get(address).text
        for name, value in data.items():
            assert f'name="{name}"' in shown
            for word in value if isinstance(value, list) else [value]:
                assert name in TYPED or f'value="{word}"' in shown, (name, word)
        answer = client.post(address, data)
        assert answer.status_code == 302, answer.text

    for kind, file in (("documents", documents), ("topics", questions)):
        with file.open("rb") as upload:
            send("import_create", kind, uploads=upload, format="auto")
        done(ImportRun.objects.get(collection=collection, kind=kind))
    shared = {"topics": "question-set", "depth": "100"}
    send("run_create", query="?recipe=bm25-okapi", name="bm25", **shared)
    done(RunMaking.objects.get(collection=collection, name="bm25"))
    send("run_create", query="?recipe=rerank", name="reranked", run="bm25", top="10", **shared)
    done(RunMaking.objects.get(collection=collection, name="reranked"))
    found = {}
    for table in TABLES:
        send("evaluation_create", gold="", runs=["bm25", "reranked"], preset=table, measures="")
        job = Evaluation.objects.latest("pk")
        done(job)
        address = reverse("evaluation_table", args=[slug, job.pk, "tex"])
        assert f'href="{address}"' in client.get(reverse("evaluation_detail", args=[slug, job.pk])).text
        found[table] = client.get(address).content.decode()
    return found


def cells(latex: str, run: str) -> list[float]:
    (row,) = (line for line in latex.splitlines() if line.startswith(f"{run} &"))
    return [float(number) for number in re.findall(r"\d+\.\d+", row)]


@pytest.mark.usefixtures("_model")
def test_tables_3_and_4(material: tuple[Path, Path], client: Client, capsys: Any, tmp_path: Path) -> None:
    one, other = CollectionFactory(slug="commands"), CollectionFactory(slug="pages")
    tables = by_commands(one, *material, capsys)
    assert tables == by_pages(other, *material, client)

    found = {name: figures_of(name, tmp_path) for name in ("bm25", "reranked")}
    for name, (third, fourth) in found.items():
        assert cells(tables["litsearch-3"], name) == third
        assert cells(tables["litsearch-4"], name) == fourth
    assert 20 < found["bm25"][0][-1] < 100
    assert found["bm25"] != found["reranked"]


def figures_of(name: str, tmp_path: Path) -> tuple[list[float], list[float]]:
    """A run's rows of Tables 3 and 4, from its file and the qrels as ir_measures scores them."""
    run, qrels = tmp_path / f"{name}.run", tmp_path / "questions.qrels"
    call_command("export_run", "commands", name, "--out", str(run))
    call_command("export", "commands", "--format", "question-qrels", "--out", str(qrels))
    scores: dict[str, dict[str, float]] = {}
    measures = [ir_measures.R @ 5, ir_measures.R @ 20]
    read = list(ir_measures.read_trec_qrels(str(qrels))), list(ir_measures.read_trec_run(str(run)))
    for metric in ir_measures.iter_calc(measures, *read):
        scores.setdefault(metric.query_id, {})[str(metric.measure)] = metric.value
    rows = {str(place): row for place, row in enumerate(questions_in_counts())}
    assert len(rows) == 150
    assert len(read[0]) == sum(len(row["corpusids"]) for row in rows.values())

    def mean(measure: str, wanted: Callable[[dict[str, Any]], bool]) -> float:
        values = [scores.get(number, {}).get(measure, 0.0) for number, row in rows.items() if wanted(row)]
        return round(100 * sum(values) / len(values), 1)

    def of(measure: str, sets: str, **more: int) -> float:
        return mean(measure, lambda row: row["query_set"].startswith(sets) and more.items() <= row.items())

    third = [
        of(measure, sets, specificity=level)
        for sets in ("inline", "manual")
        for measure, level in (("R@20", 0), ("R@5", 1), ("R@20", 1))
    ]
    third += [of("R@20", "", specificity=0), of("R@5", "", specificity=1)]
    return third, [of("R@5", sets, specificity=1, quality=q) for sets in ("inline", "manual") for q in (1, 2)]
