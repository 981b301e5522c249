"""The table for a paper: its figures, what is undefined, what a reader must know about it."""

import csv
import io
import re

import pytest
from django.urls import reverse

from adjudication.agreement.figure_names import figure_names
from adjudication.models import AgreementRun, Verdict
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_pages import address, client_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, build_campaign

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_table_for_a_paper() -> None:
    built = build_campaign(noisy_labels(60, 5), topics=12, machines=[("m_1", "m", 1), ("m_2", "m", 2)])
    vote(built)
    client = client_of(built, "viewer")
    assert "There are no figures of agreement yet." in client.get(address("agreement_report")).text
    assert ">Compute the agreement</a>" not in client.get(address("agreement_report")).text
    page = client_of(built, "adjudicator").get(address("agreement_report")).text
    assert ">Compute the agreement</a>" in page
    run = agree(built)
    answer = client.get(address("agreement_report"))
    report, latex = answer.context["report"], answer.context["latex"]
    value = run.results.get(scope="block", block="HH", statistic="accuracy").value
    assert f"| Agreement | {100 * value:.2f} (" in answer.context["markdown"]
    assert rf"Agreement & {100 * value:.2f} (" in latex
    assert "seed" not in latex  # the jackknife draws nothing
    assert r"95\% intervals by delete-one jackknife with Student’s t over 12 topics" in latex
    assert r"$\alpha$, ordinal" in latex
    assert "Holm-adjusted p" in report.caption
    assert "over the 3 tests of this criterion" in report.caption
    assert "no margin was set" in report.caption
    assert "Verdict: majority of people, at least 3 votes" in report.caption
    page = answer.content.decode()
    assert "Dawid and Skene" in page
    cells = re.findall(r"<td\b[^>]*>(.*?)</td>", page.split("<tbody>")[1].split("</tbody>")[0], re.DOTALL)
    assert len(cells) == 6 * len(report.columns)
    assert all("figure=" in cell or "–" in cell for cell in cells)  # each number opens its items
    assert "lower median of all votes" in page


def test_a_table_says_what_is_undefined_and_survives_any_name() -> None:
    odd = "m|{x}^~\\"
    built = build_campaign([[1, 1, 1]] * 12, people=("ana", "ben"), machines=[("m1", odd, 1)])
    agree(built)
    report = client_of(built, "viewer").get(address("agreement_report")).context
    assert "undefined (one class only)" in report["latex"]
    assert r"(m|\{x\}\textasciicircum{}\textasciitilde{}\textbackslash{})" in report["latex"]
    lines = report["markdown"].splitlines()
    assert r"(m\|{x}^~" in lines[0]
    assert all(line.count("|") - line.count(r"\|") == 4 for line in lines if line.startswith("|"))


def test_figures_of_no_criterion_leave_a_button_to_compute_them() -> None:
    agree(built := build_campaign([[0, 0], [1, 1]], people=("ana", "ben")))
    built.campaign.agreement_runs.update(detail={})
    page = client_of(built, "manager").get(address("agreement_detail")).text
    assert "Nothing has been computed yet" in page
    assert f'action="{address("agreement_create")}"' in page


def test_with_one_judge_there_is_nothing_to_compute() -> None:
    built = build_campaign([[0], [1]], people=("ana",), overlap=2)
    client = client_of(built, "manager")
    page = client.get(address("agreement_detail")).text
    assert "Fewer than two people have judged here." in page
    assert f'action="{address("agreement_create")}"' not in page
    assert ">Compute the agreement</a>" not in client.get(address("agreement_report")).text


def test_brackets_are_explained_where_there_are_any() -> None:
    agree(built := build_campaign([[0, 0], [0, 1], [1, 1], [2, 2], [1, 1], [2, 1]], people=("ana", "ben")))
    report = client_of(built, "viewer").get(address("agreement_report")).context["report"]
    assert not any("(" in cell.text for _, cells in report.rows for cell in cells if "undefined" not in cell.text)
    assert report.caption.startswith(
        "Agreement of the annotators on Relevance. Agreement and macro F1 in percent. 6 items"
    )


@pytest.mark.slow
def test_a_table_says_what_was_left_out_and_what_else_a_reader_must_know() -> None:
    labels: list[list[int | None]] = [list(row) for row in noisy_labels(160, 4)]
    for row in labels[6:]:
        row[2] = None  # cai judged six items: too few for a mean
    for row in labels[6:36]:
        row[1] = None  # thirty items lack a second human label
    built = build_campaign(labels, topics=160, machines=[("=m 1", "m", 1)])
    vote(built)
    run = agree(built, interval="percentile")
    run.results.filter(block="GH", statistic="accuracy").update(p=0.0002)
    answer = client_of(built, "viewer").get(address("agreement_report"))
    report = answer.context["report"]
    decided = Verdict.objects.filter(value__isnull=False).count()
    assert [(column.name, column.n_items) for column in report.columns] == [
        ("People with people", "130"),
        ("Machine with people (m)", "160"),
        ("Machine with the verdict (m)", str(decided)),
        ("People with the vote of the other voters", "130"),
    ]
    letters = {note: letter for letter, note in report.notes}
    missing = next(note for note in letters if "ana and cai (fewer than 10 items)" in note)
    cells = dict(report.rows)["Agreement"]
    assert letters[missing] in cells[0].marks
    assert letters[missing] not in cells[2].marks
    assert letters["who voted is compared with the vote of the other voters"] in cells[3].marks
    assert cells[1].test == "p < 0.001"
    markdown, latex = answer.context["markdown"], answer.context["latex"]
    assert "p < 0.001 [" in markdown
    assert "$p < 0.001$" in latex
    assert "= <" not in markdown + latex
    assert f"| Items | 130 | 160 | {decided} | 130 |" in markdown
    assert r"Pairs & 1--3 & 2 & 1 & 2 \\" in latex
    assert f"[{letters[missing]}] {missing}." in markdown
    assert "30 unfit" in report.caption
    assert "percentile bootstrap over items; 1,000 resamples, seed" in report.caption
    assert "jackknife" not in report.caption  # some pairs have it, none of these rows
    text = client_of(built, "viewer").get(address("agreement_table", "csv")).content.decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    stored = run.results.get(scope="block", block="HH", statistic="macro_f1")
    line = next(one for one in lines if (one["block"], one["statistic"]) == ("HH", "macro_f1"))
    assert (float(line["value"]), float(line["low"]), line["method"]) == (stored.value, stored.ci["low"], "percentile")
    assert line["excluded_pairs"] == "ana and cai; ben and cai"
    assert next(one for one in lines if one["block"] == "GA")["annotators"] == "'=m 1; adjudicated"
    tests = [one for one in lines if one["block"] == "HH-GH"]
    assert {one["n_excluded"] for one in tests} == {"30"}
    assert {one["statistic"] for one in tests if one["p_holm"]} == {"macro_f1", "accuracy", "spearman"}
    for form, kind in (("md", "text/markdown"), ("tex", "application/x-tex")):
        file = client_of(built, "viewer").get(address("agreement_table", form))
        assert file["Content-Type"] == f"{kind}; charset=utf-8"
        assert file.content.decode() == {"md": markdown, "tex": latex}[form]
    assert client_of(built, "viewer").get(address("agreement_table", "pdf")).status_code == 404
    for form, table in {"markdown": markdown, "latex": latex, "csv": text}.items():
        asked = client_of(built, "viewer").get(reverse("api_agreement", args=["tea", "main"]), {"table": form})
        assert asked.json()["tables"] == {"relevance": table}
    assert r"\caption{Agreement of the annotators on Relevance. " in latex


@pytest.mark.slow
def test_a_table_shows_small_samples_and_resamples_without_a_value() -> None:
    labels = [[0, 0]] * 112 + [[1, 0]] * 4 + [[0, 1]] * 4 + [[1, 1]]
    built = build_campaign(labels, people=("ana", "ben"), topics=121)
    run = agree(built, interval="percentile", resamples=20_000)
    report = client_of(built, "viewer").get(address("agreement_report")).context["report"]
    lost = run.results.get(scope="mean", statistic="spearman").ci["n_undefined"]
    assert lost > 0
    letter = next(letter for letter, note in report.notes if note.startswith(f"{lost:,} of 20,000 resamples"))
    assert letter in dict(report.rows)["Spearman’s ρ"][0].marks
    assert letter not in dict(report.rows)["Agreement"][0].marks
    small = build_campaign(noisy_labels(30, 2), people=("ana", "ben"), topics=30, slug="few")
    agree(small)
    page = client_of(small, "viewer").get(reverse("agreement_report", args=["few", "main"]))
    assert ("", "small sample, so the interval is that of the jackknife") in page.context["report"].notes
    agree(small, interval="bca")
    page = client_of(small, "viewer").get(reverse("agreement_report", args=["few", "main"]))
    assert ("", "small sample, so the interval is rough") in page.context["report"].notes


@pytest.mark.parametrize(
    ("pairs", "labels"),
    [(9, ["Confusion matrices"]), (10, ["Confusion matrices 1", "Confusion matrices 2"])],
)
def test_matrices_on_one_page_have_no_number(pairs: int, labels: list[str]) -> None:
    detail = {"relevance": {"tables": [{}] * pairs, "topics": []}}
    run = AgreementRun.objects.create(campaign=build_campaign([]).campaign, requested_at=AT, detail=detail)
    assert list(figure_names(run, "relevance").values()) == labels
