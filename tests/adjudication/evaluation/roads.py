"""The three roads to figures and files: page, command and REST, each as a person or a program takes it."""

import csv
import io
import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.models import JobState
from adjudication.models import Evaluation
from corpus.models import Collection, RetrievalRun, Role
from tests.factories.accounts import MembershipFactory

Figures = dict[str, dict[str, float | None]]
Subsets = list[tuple[dict[str, str], Figures]]


class Road(ABC):
    """What a manager of the collection gets on it."""

    def __init__(self, collection: Collection, folder: Path) -> None:
        self.slug, self.collection, self.folder = collection.slug, collection, folder
        self.client = Client()
        self.client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)

    @abstractmethod
    def figures(self, gold: str, runs: list[str], measures: list[str], by: str = "") -> Subsets:
        """(subset, {run: {measure: value}}) of an evaluation."""

    @abstractmethod
    def export(self, name: str, **options: str) -> bytes:
        """The file of an export."""

    @abstractmethod
    def run(self, name: str) -> bytes:
        """The plain file of a run."""

    def got(self, address: str, **asked: str) -> bytes:
        answer = self.client.get(address, asked)
        assert answer.status_code == 200, answer
        return b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]

    def pk(self, run: str) -> int:
        return RetrievalRun.objects.get(collection=self.collection, name=run).pk


class Command(Road):
    def figures(self, gold: str, runs: list[str], measures: list[str], by: str = "") -> Subsets:
        out = io.StringIO()
        asked = ("--gold", gold, "--run", *runs, "--measure", *measures, *(("--by", by) if by else ()))
        call_command("evaluate", self.slug, *asked, "--json", stdout=out)
        return of_report(json.loads(out.getvalue()))

    def export(self, name: str, **options: str) -> bytes:
        words = [word for option, value in options.items() for word in (f"--{option}", value)]
        call_command("export", self.slug, "--format", name, *words, "--out", str(self.folder / "export"))
        return (self.folder / "export").read_bytes()

    def run(self, name: str) -> bytes:
        call_command("export_run", self.slug, name, "--out", str(self.folder / "run"))
        return (self.folder / "run").read_bytes()


class Page(Road):
    def figures(self, gold: str, runs: list[str], measures: list[str], by: str = "") -> Subsets:
        asked = {"selector": gold, "gold": "", "runs": runs, "measures": " ".join(measures), "by": [by] if by else []}
        sent = self.client.post(reverse("evaluation_create", args=[self.slug]), {**asked, "preset": "", "baseline": ""})
        assert sent.status_code == 302, sent.content.decode()
        job = carried_out(Evaluation.objects.latest("pk"))
        page = self.got(reverse("evaluation_detail", args=[self.slug, job.pk])).decode()
        assert all(f">{run}<" in page for run in runs)
        text = self.got(reverse("evaluation_table", args=[self.slug, job.pk, "figures"])).decode()
        found: dict[str, Figures] = {}
        for line in csv.DictReader(io.StringIO(text)):
            of_run = found.setdefault(line["by"], {}).setdefault(line["run"], {})
            of_run[line["measure"]] = float(line["value"]) if line["value"] else None
        return [(dict(part.split("=", 1) for part in words.split("; ") if part), of) for words, of in found.items()]

    def export(self, name: str, **options: str) -> bytes:
        return self.got(reverse("export_download", args=[self.slug, name]), **options)

    def run(self, name: str) -> bytes:
        return self.got(reverse("run_file", args=[self.slug, self.pk(name)]))


class Rest(Road):
    def figures(self, gold: str, runs: list[str], measures: list[str], by: str = "") -> Subsets:
        asked = {"gold": gold, "runs": runs, "measures": measures, "by": [by] if by else []}
        address = f"/api/collections/{self.slug}/evaluations/"
        sent = self.client.post(address, asked, content_type="application/json")
        assert sent.status_code == 202, sent.content.decode()
        job = carried_out(Evaluation.objects.get(pk=sent.json()["id"]))
        return of_report(json.loads(self.got(f"{address}{job.pk}/"))["result"])

    def export(self, name: str, **options: str) -> bytes:
        return self.got(f"/api/collections/{self.slug}/exports/{name}/", **options)

    def run(self, name: str) -> bytes:
        return self.got(f"/api/collections/{self.slug}/runs/{self.pk(name)}/file/")


ROADS: tuple[type[Road], ...] = (Page, Command, Rest)


def wanted(relevance: int) -> dict[str, Any]:
    """The measures that are read back, by their names here."""
    return {
        "AP": ir_measures.AP(rel=relevance),
        "R@5": ir_measures.R(rel=relevance) @ 5,
        "R@10": ir_measures.R(rel=relevance) @ 10,
        "RR": ir_measures.RR(rel=relevance),
        "RR@10": ir_measures.RR(rel=relevance) @ 10,
        "P@5": ir_measures.P(rel=relevance) @ 5,
        "nDCG@10": ir_measures.nDCG @ 10,
    }


def check_read_back(
    collection: Collection,
    folder: Path,
    gold: str,
    runs: list[str],
    qrels: tuple[str, dict[str, str]],
    relevance: int,
    without: str = "",
    ways: tuple[type[Road], ...] = (Command,),
) -> Figures:
    """The figures of the evaluation, which ir-measures gives as well, from plainly exported files."""
    measures = {name: measure for name, measure in wanted(relevance).items() if name != without}
    for way in ways:
        road = way(collection, folder)
        ((_, ours),) = road.figures(gold, runs, list(measures))
        theirs = read_back(road, runs, qrels, relevance, measures)
        assert ours.keys() == theirs.keys()
        for run, values in theirs.items():
            assert ours[run] == pytest.approx(values, abs=1e-12), (way, run)
    return ours


def read_back(
    road: Road, runs: list[str], qrels: tuple[str, dict[str, str]], relevance: int, measures: dict[str, Any]
) -> Figures:
    """The figures by ir-measures, over topics with a relevant document."""
    name, options = qrels
    rows = list(ir_measures.read_trec_qrels(road.export(name, **options).decode()))
    answered = {row.query_id for row in rows if row.relevance >= relevance}
    known = [row for row in rows if row.query_id in answered]
    assert known
    found: Figures = {}
    for run in runs:
        read = list(ir_measures.read_trec_run(road.run(run).decode()))
        values = ir_measures.calc_aggregate(list(measures.values()), known, read)
        found[run] = {name: values[measure] for name, measure in measures.items()}
    return found


def of_report(report: dict[str, Any]) -> Subsets:
    return [
        (each["by"], {run: {name: one["value"] for name, one in of.items()} for run, of in each["runs"].items()})
        for each in report["subsets"]
    ]


def carried_out(job: Evaluation) -> Evaluation:
    jobs.carry_out(job)
    job.refresh_from_db()
    assert job.state == JobState.DONE, job.reason
    return job
