"""Real material becomes a release by pages alone, and by one command: DORIS-MAE's judged set, and ACM-CR's papers.

Each collection is made by pages, released by page and by command, and both releases are compared.
"""

import csv
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any, TypeVar

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from accounts import jobs
from accounts.models import Job, JobState
from adjudication.models import Release, VoteRun
from corpus.models import Collection, ImportRun, PoolRun
from tests.adjudication.releases.releasing import (
    NAMED_AND_DATED,
    check_croissant,
    check_explained,
    check_files,
    files_of,
    head_of,
)
from tests.adjudication.releases.test_loaders import RetrievalLoader
from tests.factories.accounts import UserFactory
from tests.pages import Pages
from tests.shared import shared_path

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.shared]

J = TypeVar("J", bound=Job)
TENTHS = 11  # levels: DORIS-MAE's mean over aspects, 0 to 2, in steps of 0.2


@pytest.fixture(autouse=True)
def _media(settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


class Road:
    """A collection that is made, filled and released by pages alone."""

    def __init__(self, slug: str, client: Client) -> None:
        user = UserFactory(is_staff=True)
        client.force_login(user)
        self.pages, self.client, self.at = Pages(client), client, f"/c/{slug}/"
        self.pages.send("/collections/new/", title="Real material", slug=slug, licence="CC BY 4.0")
        self.collection = Collection.objects.get(slug=slug)

    def bring(self, kind: str, *files: Path, page: str = "", **typed: Any) -> ImportRun:
        self.pages.send(f"{self.at}{page or f'imports/new/{kind}/'}", files=files, dry_run=False, **typed)
        return done(self.collection.import_runs.latest("pk"))

    def release(self, tmp_path: Path) -> Path:
        """The folder in the archive that the page of the release offers."""
        self.pages.send(f"{self.at}releases/new/", name="v1")
        done(Release.objects.get(collection=self.collection))
        page = f"{self.at}releases/v1/"
        assert f'href="{page}archive/"' in self.client.get(page).text
        archive = tmp_path / "v1.zip"
        archive.write_bytes(b"".join(self.client.get(f"{page}archive/").streaming_content))  # type: ignore[arg-type]
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(tmp_path / "v1")
        return tmp_path / "v1"


def done(job: J) -> J:
    jobs.carry_out(job)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")  # as after the job's own transaction: this test is one
    job.refresh_from_db()
    assert (job.state, job.reason) == (JobState.DONE, "")
    return job


def released(road: Road, tmp_path: Path, capsys) -> Path:
    """The release by pages, checked by the command and by mlcroissant, and equal to the one by one command."""
    out, again = road.release(tmp_path), tmp_path / "v2"
    call_command("release", road.collection.slug, "v2", out=again)
    one, other = files_of(out), files_of(again)
    assert one.keys() == other.keys()
    assert {path for path in one if one[path] != other[path]} <= NAMED_AND_DATED
    capsys.readouterr()
    call_command("verify_release", str(out), as_json=True)
    assert json.loads(capsys.readouterr().out)["remade"] is True
    check_files(out)
    assert check_croissant(out)
    assert check_explained(out)
    return out


def check_claims_nothing(out: Path) -> str:
    """What nobody stated is absent, or the format's own word for unknown, and what did not happen is not said. The
    texts of the release."""
    head, croissant = head_of(out), json.loads((out / "croissant.json").read_text())
    assert head["annotations_creators"] == ["found"]
    assert not {"language", "multilinguality", "source_datasets"} & head.keys()
    assert (
        not {"creator", "publisher", "url", "inLanguage", "rai:hasSyntheticData", "rai:dataCollectionTimeframe"}
        & croissant.keys()
    )
    assert not (out / "CITATION.cff").exists()
    datacite = json.loads((out / "datacite.json").read_text())
    assert (datacite["creators"], datacite["publisher"]) == ([{"name": "(:unav)"}], {"name": "(:unav)"})
    assert "language" not in datacite
    activities = [one["prov:label"] for one in croissant["prov:wasGeneratedBy"]]
    assert not [one for one in activities if one.startswith("Judging")]
    texts = "".join((out / name).read_text() for name in ("README.md", "DATASHEET.md", "REVIEWERS.md"))
    for claim in (
        "expert",
        "in advance",
        "in the order",
        "did not show",
        "annotators read",
        "annotators saw",
        "No machine",
    ):
        assert claim not in texts + json.dumps(croissant, ensure_ascii=False), claim
    assert not list(out.rglob("guideline*"))
    for path in out.rglob("campaign.json"):
        assert not {"overlap", "order", "assignment", "seed"} & json.loads(path.read_text()).keys()
    assert json.loads((out / "manifest.json").read_text())["seeds"] == {}
    return texts


def test_doris_mae_judged(client: Client, tmp_path: Path, capsys) -> None:
    folder = shared_path("data", "doris-mae", "judged")
    with (folder / "relevance.tsv").open(newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    values = {(row["query-id"], row["corpus-id"]): round(5 * float(row["average"])) for row in rows}
    run, qrels, config = tmp_path / "judged.run", tmp_path / "judged.qrels", tmp_path / "judged.toml"
    run.write_text("".join(f"{q} Q0 {d} {n} {5000 - n} judged\n" for n, (q, d) in enumerate(values, 1)))
    qrels.write_text("".join(f"{q} paper {d} {value}\n" for (q, d), value in values.items()))
    levels = "".join(f'[[criteria.levels]]\nvalue={n}\nlabel="{2 * n / 10:g}"\n' for n in range(TENTHS))
    config.write_text(f'[[criteria]]\nkey="relevance"\nlabel="Relevance"\n{levels}')

    road = Road("doris-mae", client)
    road.bring("documents", folder / "corpus.jsonl", format="beir")
    road.bring("topics", folder / "queries.jsonl", format="beir")
    road.bring("runs", run)
    road.pages.send(f"{road.at}pools/", f"{road.at}pools/building/", methods={"judged"}, search="none", depth="0")
    done(PoolRun.objects.get(collection=road.collection))
    road.pages.send(
        f"{road.at}campaigns/new/", name="Judged", template="doris-mae", overlap="1", files=[config], field="file"
    )
    campaign = f"{road.at}campaigns/judged/"
    road.bring("judgments", qrels, page="campaigns/judged/imports/new/", format="qrels")
    road.pages.send(f"{campaign}adjudication/", f"{campaign}votes/", min_votes="1")
    done(VoteRun.objects.get(campaign__collection=road.collection))

    out = released(road, tmp_path, capsys)
    texts = check_claims_nothing(out)
    assert f"Imported from files: {len(values):,} labels; how they were given is not known to Litmus." in texts
    assert "Run “judged” was imported; how it was made is not known to Litmus." in texts
    assert "week" not in (out / "campaigns/judged/judgments.jsonl").read_text()
    corpus, queries, found, ranked = RetrievalLoader(out).load()
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


def test_acm_cr_papers(client: Client, tmp_path: Path, capsys) -> None:
    folder = shared_path("data", "acm-cr")
    papers = sorted(folder.glob("papers/*/*.xml"))
    documents = tmp_path / "documents.jsonl"
    # That no other document of the collection belongs into them: test_acm_cr_collection.py, which imports the whole.
    qrels = ((folder / f"{name}.qrels").read_text().splitlines() for name in ("contexts", "sentences"))
    judged = sorted({line.split()[2] for lines in qrels for line in lines})
    documents.write_text("".join(json.dumps({"docno": docno, "title": docno}) + "\n" for docno in judged))
    road = Road("acm-cr", client)
    road.bring("documents", documents)
    brought = road.bring("papers", *papers, *(path.with_suffix(".dois") for path in papers), folder / "papers.tsv")
    assert (brought.created, brought.skipped) == (25, 0), brought.errors

    out = released(road, tmp_path, capsys)
    texts = check_claims_nothing(out)
    assert "Citation contexts of papers: 25 as imported gold." in texts
    assert "0 topics" not in texts
    assert "contexts-paragraph (133 queries, 481 relevant pairs), contexts-sentence (287 queries, 518 " in texts
    assert "A paper has two contexts of one number (340982510): two topics share it, their judgments are mer" in texts
    assert "Citation contexts (paragraphs) as queries; the documents cited there are relevant. Where two con" in texts
    assert "Imports: " in texts
    assert "Counts of votes" not in texts
    assert "Left out: topics/topics.jsonl, topics/topics.trec. The collection has no topics." in texts
    for level, name in (("paragraph", "contexts"), ("sentence", "sentences")):
        for kind in ("topics", "qrels"):
            path = out / f"contexts/{level}.{'trec' if kind == 'topics' else 'qrels'}"
            written, given = path.read_text(), (folder / f"{name}.{kind}").read_text()
            assert Counter(written.rstrip("\n").split("\n")) == Counter(given.rstrip("\n").split("\n")), path
    assert len(list((out / "contexts/acm-cr").rglob("*.xml"))) == 25
    _, queries, found, _ = RetrievalLoader(out).load()
    assert set(queries) == set(found)
    assert len(queries) == len({line.split()[0] for line in (folder / "contexts.qrels").read_text().splitlines()})
