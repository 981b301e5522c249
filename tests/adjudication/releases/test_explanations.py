"""From each list of judged pairs one link leads to why a pair has its value. Pages of figures: tests/test_access.py."""

from urllib.parse import quote
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.models import JobState
from adjudication.evaluation.requests import request_evaluation
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.models import Evaluation, Verdict
from adjudication.releases.explaining import explain
from annotation.models import Submission
from tests.factories.adjudication import AT, Built

pytestmark = pytest.mark.django_db

LISTS = {
    "relevance_detail": "",
    "judgment_list": "",
    "disagreement_list": "",
    "acceptance": "?which=both",
    "adjudication_screen": "",
}


@pytest.fixture
def manager(built: Built, client: Client) -> Client:
    client.force_login(built.people["manager"])
    return client


def why(built: Built, number: str, docno: str = "") -> str:
    """What a page writes that leads to the explanation of the pair."""
    lines = reverse("line_detail", args=[built.collection.slug])
    return f'href="{lines}?topic={quote(number)}' + (f"&amp;docno={quote(docno)}" if docno else "")


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_pairs(built: Built, manager: Client, name: str) -> None:
    where = [built.collection.slug, built.campaign.slug]
    if name == "relevance_detail":
        where.append(built.items[0].topic_id)
    more = f"?verdict={built.items[0].verdicts.get().pk}" if name == "adjudication_screen" else LISTS[name]
    page = manager.get(reverse(name, args=where) + more).text
    assert any(why(built, item.topic.number, item.document.docno) in page for item in built.items), name


@pytest.mark.slow
@pytest.mark.usefixtures("release")
def test_a_release_asks_for_the_pair(built: Built, manager: Client) -> None:
    page = manager.get(reverse("release_detail", args=[built.collection.slug, "v1"])).text
    assert f'action="{reverse("line_detail", args=[built.collection.slug])}"' in page


def test_the_grades_of_a_measured_topic(built: Built, manager: Client) -> None:
    evaluation = request_evaluation(
        collection=built.collection,
        spec=EvaluationSpec(gold="campaign:main", runs=("bm25",)),
        by=built.people["manager"],
        at=timezone.now(),
    )
    jobs.carry_out(evaluation)
    done = Evaluation.objects.get()
    assert done.state == JobState.DONE, done.reason
    page = manager.get(reverse("evaluation_topic", args=[built.collection.slug, done.pk]) + "?topic=7").text
    assert why(built, "7", "doc-b") in page
    assert f'{why(built, "7")}"' in page


@pytest.mark.parametrize("number", ["7", "7.1"])
def test_where_the_links_lead(built: Built, manager: Client, number: str) -> None:
    lines = reverse("line_detail", args=[built.collection.slug])
    listed = manager.get(f"{lines}?topic={number}").text
    assert f"?topic={number}&amp;docno=doc-b" in listed
    assert "Decided: unanimous" in manager.get(f"{lines}?topic={number}&docno=doc-b").text


@pytest.mark.parametrize("name", ["topic_detail", "pool_detail"])
@pytest.mark.parametrize(("role", "shown"), [("manager", True), ("annotator", False)])
def test_pages_of_a_topic_lead_there_who_may_read_it(
    built: Built, client: Client, name: str, role: str, shown: bool
) -> None:
    topic = built.items[0].topic
    client.force_login(built.people["manager" if role == "manager" else "zebulon"])
    page = client.get(reverse(name, args=[built.collection.slug, topic.pk]))
    assert page.status_code == (200 if shown or name == "topic_detail" else 403)
    assert (why(built, topic.number) in page.text) == shown


def test_a_label_that_no_count_has_read_is_said(
    built: Built, manager: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    item, slug = built.items[0], built.collection.slug
    pair = {"topic": item.topic.number, "docno": item.document.docno}
    doors = [reverse("line_detail", args=[slug]), reverse("api_line", args=[slug])]
    sentence = "The votes were counted before 1 newer judgment."
    assert not [door for door in doors if sentence in manager.get(door, pair).text]
    built.annotators["dee"] = built.campaign.annotators.create(name="dee", created_at=AT)
    built.label(item, "dee", 0)
    assert not [door for door in doors if sentence not in manager.get(door, pair).text]
    call_command("explain", slug, pair["topic"], pair["docno"])
    assert sentence in capsys.readouterr().out


def test_how_probable_a_value_is_stands_in_the_line_unless_votes_have_changed(
    built: Built, manager: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    item = built.items[0]
    Verdict.objects.filter(item=item).update(probability=0.93, probability_reason="")
    where = [built.collection.slug, item.topic.number, item.document.docno]
    line = explain(built.collection, *where[1:])["lines"][0]
    assert line["prov:wasGeneratedBy"]["probability"] == 0.93
    address = reverse("line_detail", args=where[:1]) + f"?topic={where[1]}&docno={where[2]}"
    said = "Probability by Dawid and Skene&#x27;s model of the people who judged: 93%."
    assert said in manager.get(address).text
    call_command("explain", *where)
    assert said.replace("&#x27;", "'") in capsys.readouterr().out
    given = item.assignments.filter(repeat=0, annotator__kind="human")[0]
    Submission.objects.create(uuid=uuid4(), assignment=given, kind="undo", received_at=timezone.now())
    given.judgments.all().delete()
    line = explain(built.collection, *where[1:])["lines"][0]
    assert "probability" not in line["prov:wasGeneratedBy"]
    assert said not in manager.get(address).text
