"""Agreement at its doors: what command and REST take, print and refuse."""

import json

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from adjudication.agreement.forms import MarginField
from adjudication.models import AgreementRun
from tests.adjudication.agreement.agreeing import noisy_labels
from tests.factories.adjudication import build_campaign

pytestmark = pytest.mark.django_db
ASKED = ("agreement", "tea", "main", "--resamples", "1000", "--no-figures")  # to draw them costs most


def test_the_command_says_over_how_many_topics_intervals_are(capsys: pytest.CaptureFixture[str]) -> None:
    """Not “jackknife_t, n = 120”, as if 120 items had been resampled one by one."""
    labels: list[list[int | None]] = [list(row) for row in noisy_labels(120, 2)]
    build_campaign(labels, people=("ana", "ben"), topics=12)
    call_command(*ASKED)
    printed = capsys.readouterr().out
    assert ", n = 120 items, interval over 12 topics by jackknife_t" in printed
    call_command(*ASKED, "--cluster", "item", "--interval", "percentile")
    assert ", n = 120 items, interval over items by percentile" in capsys.readouterr().out


def test_the_api_takes_what_page_and_command_take() -> None:
    built = build_campaign(noisy_labels(20, 3))
    client = Client()
    client.force_login(built.people["manager"])
    where = reverse("api_agreement", args=["tea", "main"])
    asked = {"unit": "item", "margin": {"accuracy": 0.05}, "figures": False, "resamples": 1000}
    answer = client.post(where, asked, content_type="application/json")
    assert answer.status_code == 202
    assert "unit is now cluster" in answer.headers["Warning"]
    run = AgreementRun.objects.get()
    chosen = {"cluster": "item", "margin": {"accuracy": 0.05}, "resamples": 1000, "interval": "auto"}
    assert run.parameters == chosen, "figures has no effect any more"
    for wrong in ("wide", {"accuracy": "0.1"}, {}, True, [0.1]):
        assert client.post(where, {"margin": wrong}, content_type="application/json").status_code == 400, wrong


@pytest.mark.parametrize(
    ("typed", "read"),
    [("0.05", 0.05), ("accuracy 0.05, spearman 0.1", {"accuracy": 0.05, "spearman": 0.1}), ("", None)],
)
def test_a_margin_is_read_as_it_is_typed(typed: str, read: object) -> None:
    """Django's own check of the length once counted the letters of a number."""
    assert MarginField(max_length=300, required=False).clean(typed) == read


def test_command_prints_json_and_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    build_campaign(noisy_labels(60, 3))
    call_command(*ASKED, "--seed", "7", "--cluster", "item", "--json")
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert found["seed"] == 7
    assert found["seconds"] >= 0
    assert {one["ci"]["unit"] for one in found["statistics"] if one["ci"]} == {"item"}
    assert "fleiss_kappa" in printed.err


def test_with_one_judge_a_sentence_says_that_there_is_no_agreement(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    built = build_campaign([[value] for value in (0, 1, 2, 1)], people=("ana",))
    call_command(*ASKED)
    sentence = (
        "No agreement can be computed: fewer than two annotators have judged. It needs two annotators who have judged"
        " some of the same items."
    )
    assert capsys.readouterr().out.splitlines()[1:] == [sentence]
    client.force_login(built.people["manager"])
    page = client.get(reverse("agreement_detail", args=["tea", "main"])).text
    assert sentence in page
    assert "undefined</span>" not in page


def test_the_command_prints_the_table_for_a_paper(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    """With Litmus's own intervals, as the page does; those of `evaluate --preset doris-1` are others."""
    built = build_campaign(noisy_labels(40, 3), people=("ana", "ben", "cai"))
    call_command(*ASKED, "--format", "latex")
    printed = capsys.readouterr()
    client.force_login(built.people["manager"])
    page = client.get(reverse("agreement_report", args=["tea", "main"]))
    assert (printed.out, printed.err) == (page.context["latex"], "")


def test_figures_that_are_undefined_for_one_reason_share_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    build_campaign(noisy_labels(20, 3), people=("ana", "ben"), machines=[("m-1", "m", 1)])
    call_command(*ASKED)
    lines = [line for line in capsys.readouterr().out.splitlines() if "undefined" in line]
    assert [line.split(":")[0] for line in lines] == ["  undefined, fewer than two annotators have judged"]
    assert "accuracy, macro_f1" in lines[0], "the machine has one run"


def test_the_command_prints_each_figure_once_below_who_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """Of people alone, the figures of all annotators are those of people."""
    labels: list[list[int | None]] = [list(row) for row in noisy_labels(40, 3)]
    build_campaign(labels, people=("ana", "ben", "cai"))
    call_command(*ASKED)
    heading, *rows = capsys.readouterr().out.splitlines()[1:]
    few = "fewer than 8 topics are too few for an interval over topics"
    assert heading == f"relevance: People with people (HH), n = 40 items, no interval: {few}"
    names = [row.split()[0] for row in rows if row.startswith("  ")]
    assert len(names) == len(set(names)) > 10
    assert [row for row in rows if row.startswith("relevance")] == []
