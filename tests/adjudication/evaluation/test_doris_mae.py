"""DORIS-MAE's 17 rankings × 7 measures, as its authors' code has them."""

import csv
import io
import json

import pytest
from django.test import Client
from django.urls import reverse

from adjudication.evaluation.presets.doris_mae import MEASURES
from adjudication.models import Evaluation
from corpus.models import Collection, Ranking, RetrievalRun, Role
from tests.adjudication.evaluation.roads import carried_out
from tests.adjudication.verdicts.test_relevance import load_judged
from tests.factories.accounts import AT, MembershipFactory
from tests.shared import shared_path

pytestmark = [pytest.mark.django_db, pytest.mark.shared, pytest.mark.slow]
Figures = dict[str, dict[str, float]]


@pytest.fixture
def expected() -> Figures:
    """{ranking: {measure: percent}}, with the judged campaign and the whole rankings in the collection."""
    folder = shared_path("data", "doris-mae")
    with (folder / "judged" / "relevance.tsv").open(encoding="utf-8", newline="") as file:
        campaign = load_judged(list(csv.DictReader(file, delimiter="\t")))
    rankings = json.loads((folder / "rankings_v0.json").read_text(encoding="utf-8"))
    for name, lists in rankings.items():
        run = RetrievalRun.objects.create(collection=campaign.collection, name=name, created_at=AT)
        Ranking.objects.bulk_create(
            Ranking(
                run=run,
                topic=topic,
                docnos=[str(docno) for docno in lists[int(topic.number)]],
                scores=[float(-place) for place in range(len(lists[int(topic.number)]))],
            )
            for topic in campaign.collection.topics.all()
        )
    metrics = json.loads((folder / "judged" / "expected_metrics.json").read_text(encoding="utf-8"))["metrics"]
    assert len(metrics) == 17
    return {name: dict(zip(MEASURES, values.values(), strict=True)) for name, values in metrics.items()}


def assert_published(found: Figures, expected: Figures) -> None:
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert {measure: round(100 * value, 6) for measure, value in found[name].items()} == pytest.approx(
            values, abs=1e-6
        ), name


def test_from_the_form_to_the_table(client: Client, expected: Figures) -> None:
    client.force_login(MembershipFactory(collection=Collection.objects.get(), role=Role.MANAGER).user)
    names = list(expected)
    asked = {"gold": "campaign:main", "runs": names, "measures": " ".join(MEASURES), "unjudged": "condensed"}
    sent = client.post(reverse("evaluation_create", args=["doris"]), {**asked, "preset": "", "baseline": ""})
    assert sent.status_code == 302, sent.content.decode()
    job = carried_out(Evaluation.objects.get())
    page = client.get(reverse("evaluation_detail", args=["doris", job.pk])).content.decode()
    assert "condensed lists" in page
    for name, values in expected.items():
        row = page.partition(f">{name}<")[2].partition("</tr>")[0]
        assert all(f"{value:.2f}" in row for value in values.values()), name
    text = client.get(reverse("evaluation_table", args=["doris", job.pk, "figures"])).content.decode()
    of_page: Figures = {}
    for line in csv.DictReader(io.StringIO(text)):
        of_page.setdefault(line["run"], {})[line["measure"]] = float(line["value"])
    assert_published(of_page, expected)
