"""Evaluations as jobs: asked for on the page and through the API, carried out, shown, sorted, taken out."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.job_kinds import Cancelled, Progress
from accounts.models import AuditEvent
from adjudication.evaluation.jobs import EvaluationJob
from adjudication.models import Evaluation, EvaluationScores, Verdict
from adjudication.splits.splits import delete_split, make_split
from annotation.models import Assignment, Campaign, Item
from corpus.models import Collection
from tests.adjudication.evaluation.roads import carried_out
from tests.factories.adjudication import AT, Built

pytestmark = pytest.mark.django_db

ASKED = {"gold": "campaign:main", "runs": ["good", "half"], "measures": "AP nDCG@10 R@5", "preset": "", "baseline": ""}


def sign_in(client: Client, built: Built, who: str = "manager") -> Client:
    client.force_login(built.people[who])
    return client


def ask(client: Client, **more: Any) -> Any:
    return client.post(reverse("evaluation_create", args=["tea"]), {**ASKED, **more})


@pytest.mark.slow
def test_a_table_of_a_paper_needs_no_gold(client: Client, built: Built) -> None:
    sign_in(client, built)
    assert ask(client, gold="", preset="doris-2").status_code == 302
    assert ask(client, gold="", selector="campaign:main").status_code == 302
    assert "Verdicts of Main round (usual)" in client.get(reverse("evaluation_create", args=["tea"])).text
    assert ask(client, gold="").status_code == 302
    assert [job.parameters["gold"] for job in Evaluation.objects.order_by("pk")] == ["campaign:main"] * 3


def test_a_table_of_a_paper_is_about_the_campaign_that_was_chosen(client: Client, built: Built) -> None:
    """Where there are several: by page as by command and REST. A preset with two golds takes none."""
    sign_in(client, built)
    second = Campaign.objects.create(
        collection=built.collection, slug="aaa", name="Second", kind="relevance", overlap=1, seed=1, created_at=AT
    )
    assert ask(client, gold="", preset="doris-2").status_code == 302, "Second has decided nothing: it is not offered"
    Evaluation.objects.all().delete()
    pair = {"topic": built.items[0].topic, "document": built.items[0].document}
    item = Item.objects.create(campaign=second, split=second.split, **pair)
    Verdict.objects.create(item=item, criterion=built.criterion, method="unresolved")
    refused = ask(client, gold="", preset="doris-2").content.decode()
    assert "Choose which one the table is about: Verdicts of Second or Verdicts of Main round." in refused
    assert "Say which campaign" not in refused, "nobody typed a selector"
    refused = ask(client, selector="annotator:ana")
    assert "Say which campaign: annotator:ana;campaign=aaa, annotator:ana;campaign=main." in refused.content.decode()
    assert ask(client, preset="doris-2").status_code == 302
    assert Evaluation.objects.get().parameters["gold"] == "campaign:main"
    refused = ask(client, preset="acm-cr-2")
    assert "has the golds contexts:paragraph and contexts:sentence: do not name a gold." in refused.content.decode()


def test_numbers_and_choices_of_the_form_reach_the_evaluation(client: Client, built: Built) -> None:
    sign_in(client, built)
    chosen = {"resamples": "2000", "seed": "7", "topics": "relevant", "empty_topics": "zero", "interval": "bca"}
    assert ask(client, **chosen, unjudged="condensed", random="on").status_code == 302
    given = Evaluation.objects.get().parameters
    assert {name: given[name] for name in ("resamples", "seed")} == {"resamples": 2000, "seed": 7}
    assert {name: given[name] for name in ("topics", "empty_topics", "interval", "unjudged")} == {
        **{name: chosen[name] for name in ("topics", "empty_topics", "interval")},
        "unjudged": "condensed",
    }
    assert ask(client, resamples="10").status_code == 422


def test_what_the_command_evaluated_is_on_the_page(client: Client, built: Built, tmp_path: Path) -> None:
    path = tmp_path / "own.qrels"
    path.write_text("1 0 d1 1\n2 0 d2 1\n")
    for gold in ("campaign:main", f"qrels:{path}"):
        call_command("evaluate", "tea", "--gold", gold, "--run", "good", "--measure", "AP", "--resamples", "1000")
    with pytest.raises(CommandError, match="No question has a target"):
        call_command("evaluate", "tea", "--gold", "targets", "--run", "good")
    sign_in(client, built)
    page = client.get(reverse("evaluation_list", args=["tea"])).content.decode()
    assert page.count("command line") == 3
    for job in Evaluation.objects.filter(state="done"):
        shown = client.get(reverse("evaluation_detail", args=["tea", job.pk]))
        assert shown.context["table"].rows[0].label == "good"
        assert job.scores.exists()


def test_an_archived_collection_is_evaluated_and_keeps_as_many_evaluations(
    built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    Collection.objects.update(archived_at=AT)
    call_command("evaluate", "tea", "--gold", "campaign:main", "--run", "good", "--resamples", "1000", "--json")
    assert json.loads(capsys.readouterr().out)["runs"] == ["good"]
    assert not Evaluation.objects.exists()


def test_a_stored_table_of_a_split_stays_when_the_split_goes(client: Client, built: Built) -> None:
    sign_in(client, built)
    how: dict[str, Any] = {"by": None, "at": AT, "collection": built.collection}
    split = make_split(**how, name="dev-test", parts={"dev": 1, "test": 2})
    assert ask(client, gold="", preset="doris-8").status_code == 302
    job = carried_out(Evaluation.objects.get())
    delete_split(by=None, at=AT, split=split)
    assert client.get(reverse("evaluation_detail", args=["tea", job.pk])).status_code == 200
    assert client.get(f"/api/collections/tea/evaluations/{job.pk}/").json()["result"]["table"]["rows"]


@pytest.mark.slow
def test_errors_and_intervals_are_shown_and_written_on_request(client: Client, built: Built) -> None:
    sign_in(client, built)
    ask(client)
    job = carried_out(Evaluation.objects.get())
    address = reverse("evaluation_detail", args=["tea", job.pk])
    plain, full = client.get(address).content.decode(), client.get(address, {"se": "on", "interval": "on"})
    assert "±" not in plain
    assert "± " in full.content.decode()
    assert "by the jackknife" in full.content.decode()
    table = reverse("evaluation_table", args=["tea", job.pk, "csv"])
    assert f"{table}?se=on&amp;interval=on" in full.content.decode()
    head = client.get(table, {"se": "on", "interval": "on"}).content.decode().splitlines()[0]
    assert head.startswith("Run,AP,AP SE,AP low,AP high,AP topics")
    written = client.get(reverse("evaluation_table", args=["tea", job.pk, "tex"]), {"se": "on"}).content.decode()
    assert r"$\pm$" in written


@pytest.mark.slow
def test_from_the_form_to_the_table(client: Client, built: Built) -> None:
    sign_in(client, built)
    page = client.get(reverse("evaluation_create", args=["tea"])).content.decode()
    assert "Verdicts of Main round" in page
    answer = ask(client, by=["source"])
    job = Evaluation.objects.get()
    assert answer["Location"] == reverse("evaluation_detail", args=["tea", job.pk])
    assert AuditEvent.objects.filter(verb="request_evaluation").count() == 1
    assert "data-reload-when-finished" in client.get(answer["Location"]).content.decode()
    carried_out(job)
    page = client.get(answer["Location"] + "?sort=1").content.decode()
    assert 'aria-sort="descending"' in page
    assert 'class="forest-plot"' in page
    assert "with 95% intervals over topics, the highest first" in page
    assert "half ranks nothing for 3 topics of the gold" in page
    assert EvaluationScores.objects.filter(evaluation=job).count() == 2
    topics = client.get(reverse("evaluation_topics", args=["tea", job.pk]), {"measure": "AP", "a": "good", "b": "half"})
    assert "good is higher on" in topics.content.decode()
    assert client.get(reverse("evaluation_topics", args=["tea", job.pk]), {"a": "gone"}).status_code == 404
    for form, begins in (("csv", b"Run,"), ("md", b"| Run |"), ("tex", b"\\begin{table}"), ("figures", b"run,measure")):
        taken = client.get(reverse("evaluation_table", args=["tea", job.pk, form]))
        assert taken.content.startswith(begins)
        assert "attachment" in taken["Content-Disposition"]
    assert "2 runs against verdicts of Main round" in client.get(reverse("evaluation_list", args=["tea"])).text


@pytest.mark.slow
def test_figures_of_unknown_date_are_measured_again_by_a_button(client: Client, built: Built) -> None:
    sign_in(client, built)
    ask(client, by=["source"])
    job = carried_out(Evaluation.objects.get())
    address, again = (reverse(name, args=["tea", job.pk]) for name in ("evaluation_detail", "evaluation_repetition"))
    assert again not in client.get(address).text
    del job.results["inputs"]  # as earlier versions stored them
    job.save()
    for name in ("detail", "matrix", "topics"):
        page = client.get(reverse(f"evaluation_{name}", args=["tea", job.pk])).text
        assert page.count("button primary") == 1
        assert f'action="{again}"' in page
    answer = client.post(again)
    newest = Evaluation.objects.latest("pk")
    assert answer["Location"] == reverse("evaluation_detail", args=["tea", newest.pk])
    assert (newest.pk, newest.parameters) == (job.pk + 1, job.parameters)


@pytest.mark.slow
def test_what_is_wrong_stands_in_the_form(client: Client, built: Built) -> None:
    sign_in(client, built)
    for more, why in (
        ({"measures": "magic"}, "Unknown measure &#x27;magic&#x27;"),
        ({"runs": []}, "Choose at least one run"),
        ({"selector": "campaign:gone"}, "no campaign “gone”"),
        ({"selector": "magic"}, "Unknown gold “magic”"),
        ({"runs": ["half"], "baseline": "good"}, "The baseline “good” is not among the runs"),
    ):
        answer = ask(client, **more)
        assert (answer.status_code, why in answer.content.decode()) == (422, True), why
    assert not Evaluation.objects.exists()


def test_page_command_and_api_give_the_same_figures(
    client: Client,
    built: Built,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sign_in(client, built)
    words = {"gold": "campaign:main", "runs": ["good", "half"], "measures": ["AP", "R@5"], "resamples": 1000}
    answer = client.post("/api/collections/tea/evaluations/", words, content_type="application/json")
    assert answer.status_code == 202, answer.content
    address = f"/api/collections/tea/evaluations/{answer.json()['id']}/"
    assert client.get(address).json()["result"] is None
    carried_out(Evaluation.objects.get())
    found = client.get(address).json()["result"]
    command = ("evaluate", "tea", "--gold", "campaign:main", "--run", "good", "half", "--measure", "AP", "R@5")
    call_command(*command, "--resamples", "1000", "--json")
    assert found == json.loads(capsys.readouterr().out)
    refused = client.post("/api/collections/tea/evaluations/", {**words, "gold": "x"}, content_type="application/json")
    assert refused.status_code == 422
    assert "Unknown gold “x”" in refused.json()["detail"]


@pytest.mark.slow
def test_who_still_judges_sees_no_figures(client: Client, built: Built) -> None:
    job = Evaluation.objects.create(
        collection=built.collection,
        requested_by=built.people["manager"],
        requested_at=built.campaign.created_at,
        parameters={"gold": "campaign:main", "runs": ["good"], "measures": ["AP"], "resamples": 1000},
    )
    carried_out(job)
    sign_in(client, built, "viewer")
    addresses = [
        reverse("evaluation_detail", args=["tea", job.pk]),
        reverse("evaluation_topics", args=["tea", job.pk]),
        reverse("evaluation_table", args=["tea", job.pk, "csv"]),
        f"/api/collections/tea/evaluations/{job.pk}/",
        reverse("job_detail", args=["evaluations", job.pk]),
    ]
    assert {client.get(address).status_code for address in addresses} == {200}
    built.annotators["ana"].user = built.people["viewer"]
    built.annotators["ana"].save()
    Assignment.objects.filter(annotator=built.annotators["ana"], item=built.items[0]).update(state="pending")
    assert {client.get(address).status_code for address in addresses} == {403}


@pytest.mark.slow
@pytest.mark.parametrize("words", [{"gold": "campaign"}, {"gold": "annotator:ana"}, {"gold": "", "preset": "doris-2"}])
def test_an_evaluation_stays_that_of_its_campaign(client: Client, built: Built, words: dict[str, str]) -> None:
    """A gold without the campaign's name meant the only one: a second campaign changes nothing."""
    sign_in(client, built)
    asked = {"runs": ["good", "half"], "measures": ["AP"], "resamples": 1000, **words}
    answer = client.post("/api/collections/tea/evaluations/", asked, content_type="application/json")
    assert answer.status_code == 202, answer.content
    job = carried_out(Evaluation.objects.get())
    Campaign.objects.create(
        collection=built.collection, slug="aaa", name="Second", kind="relevance", overlap=1, seed=1, created_at=AT
    )
    assert client.get(reverse("evaluation_detail", args=["tea", job.pk])).status_code == 200
    assert client.get(f"/api/collections/tea/evaluations/{job.pk}/").json()["result"]["gold"]


def test_an_evaluation_can_be_cancelled_while_topics_are_resampled(built: Built) -> None:
    job = Evaluation.objects.create(
        collection=built.collection,
        requested_by=built.people["manager"],
        requested_at=AT,
        parameters={"gold": "campaign:main", "runs": ["good", "half"], "measures": ["AP"], "resamples": 1000},
    )

    class Watched(Progress):
        def report(self, done: int, total: int | None = None, step: str = "") -> None:
            if step.startswith("resampling"):
                jobs.cancel(job, at=AT)
            super().report(done, total, step)

    with pytest.raises(Cancelled):
        EvaluationJob("evaluations").work(job, Watched(job))
    assert not EvaluationScores.objects.exists()
