"""The question set: what is kept by ratings or as imported, its figures, its files, and back again."""

import csv
import io
import json
import re
import zipfile
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.refusals import Refused
from adjudication.evaluation.golds.registry import read_gold
from adjudication.evaluation.search_sheets import sheet_lines
from adjudication.exporting.options import make_options
from adjudication.exports.files import open_export
from adjudication.models import Evaluation, Method, Verdict, VoteRun
from adjudication.questions.question_set import fetch_question_set
from adjudication.questions.question_statistics import question_figures, question_statistics
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import copy_campaign, open_campaign
from annotation.models import Asked, Assignment, Campaign
from corpus.models import Collection, Document, Target
from engines.text.overlap import WORDS, word_overlap
from tests.adjudication.questions.question_sets import count, page
from tests.factories.accounts import AT
from tests.factories.corpus import make_run
from tests.factories.rubrics import Rubric, build_rubric, rate, rating, send

pytestmark = pytest.mark.django_db


def states(collection: Collection, campaign: str = "") -> dict[str, str]:
    return {question.number: question.state for question in fetch_question_set(collection, campaign).questions}


def content(collection: Collection, kind: str, **words: str) -> bytes:
    return b"".join(open_export(make_options(collection, kind, **words)).pieces)


@pytest.mark.parametrize("asked", [Asked.AGAIN, Asked.CHECK])
def test_what_is_found_when_asked_again_or_as_hidden_gold_is_not_in_the_set(rated: Rubric, asked: Asked) -> None:
    def found() -> list[list[bool]]:
        return [
            [target.is_found for target in each.targets] for each in fetch_question_set(rated.collection, "").questions
        ]

    before = found()
    Assignment.objects.filter(item__topic__number="q1", state="done").update(repeat=asked, slot=None)
    assert sum(map(sum, before)) == 1
    assert sum(map(sum, found())) == 0


# --- what is kept -----------------------------------------------------------------------------------------------------


def test_ratings_keep_and_discard(rated):
    assert states(rated.collection) == {"q1": "kept", "q2": "discarded", "q3": "undecided"}
    (kept,) = fetch_question_set(rated.collection).kept
    assert [(target.docno, target.is_found) for target in kept.targets] == [("12", False), ("13", True)]
    assert (kept.group_label, kept.quality, kept.subset) == ("Specific", 2, "inline-nonacl")
    assert Target.objects.filter(topic=rated.topics["q1"]).count() == 1


def test_the_rules_of_the_count_decide_as_in_adjudicate():
    """q1 has two votes for each value, q2 one vote, q3 a tie on its quality."""
    rubric = build_rubric(people=("ana", "ben"), overlap=2)
    for person, number, quality in (("ana", "q1", 2), ("ben", "q1", 2), ("ana", "q2", 2), ("ana", "q3", 2)):
        rate(rubric, person, number, 1, quality)
    rate(rubric, "ben", "q3", 1, 0)
    assert set(states(rubric.collection).values()) == {"undecided"}  # no count has read the ratings
    for rules, found in (
        ({"min_votes": 2}, ["kept", "undecided", "undecided"]),
        ({"min_votes": 1}, ["kept", "kept", "undecided"]),
        ({"min_votes": 2, "ties": "lowest"}, ["kept", "undecided", "discarded"]),
        ({"min_votes": 2, "ties": "highest"}, ["kept", "undecided", "kept"]),
        ({"min_votes": 3}, ["undecided"] * 3),
    ):
        counts = count(rubric.campaign, **rules).counts
        assert list(states(rubric.collection).values()) == found, rules
        quality = rubric.campaign.criteria.get(key="quality")
        valued = Verdict.objects.filter(criterion=quality, value__isnull=False).count()
        assert counts["unresolved"] == Verdict.objects.filter(value__isnull=True).count()
        assert valued == len(found) - found.count("undecided"), rules
    Verdict.objects.filter(item__topic__number="q2", criterion__key="quality").update(
        value=0, probability=None, method=Method.BY_HAND, decided_by=rubric.people["ada"], decided_at=AT
    )
    assert states(rubric.collection)["q2"] == "discarded"


@pytest.mark.parametrize(
    ("kept", "note"),
    [
        (1, ["2 questions that are not kept, or have no target, are left out."]),
        (2, ["1 question that is not kept, or has no target, is left out."]),
        (3, []),
    ],
)
def test_what_the_gold_of_kept_questions_leaves_out_is_counted(kept, note):
    rubric = build_rubric()
    for place in (1, 2, 3):
        is_kept = place <= kept
        rate(rubric, "ana", f"q{place}", *((1, 2) if is_kept else (0, 0)), found=("13",) if is_kept else ())
    count(rubric.campaign, min_votes=1)
    gold = read_gold(rubric.collection, "targets;questions=kept")
    assert [each for each in gold.notes if "left out" in each] == note


def test_ratings_that_no_count_has_read_are_said_and_make_no_file(rated, client, tmp_path):
    """A question set, its tables and its gold are never those of earlier ratings without a word."""
    rate(rated, "ana", "q3", 1, 2)
    stale = "The votes of Questions were counted before 1 newer judgment."
    assert states(rated.collection)["q3"] == "undecided"
    assert stale in page(rated, "mia").content.decode()
    assert question_figures(rated.collection)["notes"] == [stale]
    for kind in ("litsearch", "question-qrels", "question-statistics", "question-latex"):
        with pytest.raises(Refused, match=stale):
            open_export(make_options(rated.collection, kind))
    make_run(rated.collection, "bm25", {"q1": ["12", "11"]})
    for words in ("targets;questions=kept", "targets"):
        with pytest.raises(CommandError, match=stale):
            call_command("evaluate", "signs", gold=words, run=["bm25"], by=["specificity"], verbosity=0)
    with pytest.raises(Refused, match=stale):
        sheet_lines(rated.collection, questions=1, results=1, seed=1)
    count(rated.campaign, min_votes=1)
    assert states(rated.collection)["q3"] == "kept"
    assert "counted before" not in page(rated, "mia").content.decode()
    assert "notes" not in question_figures(rated.collection)
    call_command("evaluate", "signs", gold="targets", run=["bm25"], by=["specificity"], verbosity=0)


def test_votes_never_counted_are_said(rated):
    VoteRun.objects.all().delete()
    with pytest.raises(
        Refused, match="The votes of Questions have not been counted, so its ratings have no effect yet"
    ):
        open_export(make_options(rated.collection, "litsearch"))


def test_the_newest_campaign_that_rated_a_question_counts_unless_one_is_chosen(rated):
    again = build_again(rated)
    assert states(rated.collection) == {"q1": "kept", "q2": "discarded", "q3": "undecided"}  # a draft undoes nothing
    add_members(campaign=again, users=[rated.people["ana"]], by=rated.people["mia"], at=AT)
    assign_items(campaign=again, by=rated.people["mia"], at=AT)
    second = replace(rated, campaign=open_campaign(campaign=again, by=rated.people["mia"], at=AT))
    given = rating(Assignment.objects.get(item__campaign=again, item__topic__number="q2"), 1, 1)
    assert not isinstance(send(second, "ana", given).results[0], Exception)
    count(again, min_votes=1)
    assert states(rated.collection) == {"q1": "kept", "q2": "kept", "q3": "undecided"}
    assert states(rated.collection, rated.campaign.slug)["q2"] == "discarded"
    assert states(rated.collection, again.slug)["q1"] == "undecided"
    with pytest.raises(Refused, match="no rubric campaign"):
        fetch_question_set(rated.collection, "nowhere")


def build_again(rated: Rubric):
    again = copy_campaign(campaign=rated.campaign, by=rated.people["mia"], at=AT, name="Again")
    build_items(campaign=again, by=rated.people["mia"], at=AT)
    return again


def test_a_campaign_never_counted_is_no_obstacle_where_others_have_decided_what_it_rated(rated) -> None:
    """An abandoned round, whether it is newer or older than the one that decides."""
    make_run(rated.collection, "bm25", {"q1": ["12", "11"]})
    abandoned = build_again(rated)
    add_members(campaign=abandoned, users=[rated.people["ana"]], by=rated.people["mia"], at=AT)
    assign_items(campaign=abandoned, by=rated.people["mia"], at=AT)
    second = replace(rated, campaign=open_campaign(campaign=abandoned, by=rated.people["mia"], at=AT))
    q1, q3 = (Assignment.objects.get(item__campaign=abandoned, item__topic__number=each) for each in ("q1", "q3"))
    send(second, "ana", rating(q1, 0, 0))
    assert states(rated.collection) == {"q1": "kept", "q2": "discarded", "q3": "undecided"}
    assert "The votes of Again have not been counted" in page(rated, "ada").content.decode()
    call_command("evaluate", "signs", preset="litsearch-3", run=["bm25"], verbosity=0)
    open_export(make_options(rated.collection, "question-qrels"))
    VoteRun.objects.all().delete()
    count(abandoned, min_votes=1)
    assert states(rated.collection)["q1"] == "discarded"
    with pytest.raises(Refused, match="The votes of Questions have not been counted"):
        sheet_lines(rated.collection, questions=1, results=1, seed=1)  # it alone has rated q2
    count(rated.campaign, min_votes=1)
    Campaign.objects.filter(pk=abandoned.pk).update(state="open")
    send(second, "ana", rating(q3, 1, 2))
    ask = {"preset": "litsearch-3", "runs": ["bm25"], "seed": 1}
    client = Client()
    client.force_login(rated.people["ada"])
    refused = client.post(reverse("evaluation_create", args=["signs"]), ask)
    shown = refused.content.decode()
    assert (refused.status_code, "The votes of Again were counted before 1 newer" in shown) == (422, True), shown
    assert f'<a href="{reverse("adjudication_screen", args=["signs", abandoned.slug])}">Count the votes</a>' in shown
    assert Evaluation.objects.count() == 1


def test_the_set_is_read_in_a_handful_of_queries(rated, django_assert_max_num_queries):
    with django_assert_max_num_queries(10):
        question_statistics(fetch_question_set(rated.collection))


# --- LitSearch's counts -----------------------------------------------------------------------------------------------


# --- files ------------------------------------------------------------------------------------------------------------


def test_rated_questions_are_written_in_every_format(rated):
    (row,) = map(json.loads, content(rated.collection, "litsearch").splitlines())
    assert row == {
        "query_set": "inline_nonacl",
        "query": rated.topics["q1"].text,
        "specificity": 1,
        "quality": 2,
        "corpusids": [12, 13],
        "number": "q1",
    }
    assert content(rated.collection, "question-qrels") == b"q1 0 12 1\nq1 0 13 1\n"
    assert b"<num> Number: q1" in content(rated.collection, "question-topics")
    archive = zipfile.ZipFile(io.BytesIO(content(rated.collection, "question-beir")))
    assert archive.read("qrels/test.tsv").decode().splitlines()[1:] == ["q1\t12\t1", "q1\t13\t1"]
    assert len(archive.read("corpus.jsonl").splitlines()) == 4
    rows = list(csv.DictReader(io.StringIO(content(rated.collection, "question-statistics").decode())))
    subset = next(row for row in rows if row["row"] == "inline-nonacl" and row["group"] == "all")
    assert (subset["questions"], subset["examined"], subset["kept"], subset["kept_percent"]) == ("1", "1", "1", "100.0")
    assert (subset["targets"], subset["targets_with_abstract"]) == ("2", "2")
    assert subset["overlap_definition"] == "litsearch-code"
    discarded = next(row for row in rows if row["row"] == "author" and row["group"] == "all")
    assert (discarded["questions"], discarded["examined"], discarded["kept"]) == ("0", "1", "0")
    latex = content(rated.collection, "question-latex").decode()
    assert "Overlap compares words split at whitespace, with case and punctuation (as LitSearch's code)" in latex
    assert "(as LitSearch's code). 2 of 2 targets have an abstract. Kept of those examined: " in latex
    assert "\\begin{tabular}" in latex
    assert "inline-nonacl 1 of 1 (100%)" in latex.replace("\\%", "%")
    _, _, by_quality = latex.partition("\\end{table}")
    for row in ("Quality & Broad & Specific & All", "2 Good & 0 & 1 & 1", "\\quad inline-nonacl & 0 & 1 & 1"):
        assert row in by_quality
    assert "n = 2 questions with a quality, kept or not. Not counted: 1 without a quality." in by_quality


def test_tables_count_overlap_as_their_campaigns_do_and_say_over_how_many_abstracts(rated):
    Document.objects.filter(docno="13").update(abstract="")
    named = question_statistics(fetch_question_set(rated.collection))
    assert named.about_overlap.endswith("(as LitSearch's code). 1 of 2 targets have an abstract.")
    rated.campaign.options |= {"overlap_definition": "words"}
    rated.campaign.save()
    found = fetch_question_set(rated.collection)
    own = question_statistics(found)
    assert (
        own.about_overlap
        == "Overlap compares words without case, accents and punctuation. 1 of 2 targets have an abstract."
    )
    texts = [text for target in found.kept[0].targets for text in (target.title, target.abstract)]
    assert own.whole.overlap == word_overlap(found.kept[0].text, texts, WORDS) > (named.whole.overlap or 0)


def test_nothing_kept_is_refused_and_undecided_ones_warn(rated):
    export = open_export(make_options(rated.collection, "litsearch"))
    assert [finding.code for finding in export.warnings] == ["undecided"]
    empty = Collection.objects.create(slug="empty", title="Empty", created_at=AT)
    with pytest.raises(Refused, match="No question has been rated yet"):
        open_export(make_options(empty, "litsearch"))


def test_the_command_writes_it(rated, tmp_path):
    out = tmp_path / "set.jsonl"
    call_command("export", "signs", "--format", "litsearch", "--out", str(out))
    assert json.loads(out.read_text())["number"] == "q1"


def test_questions_are_counted_by_quality_and_level_whether_they_are_kept_or_not(rated):
    """q1 is good and specific, q2 to be discarded and broad, q3 not judged; page, file and API say the same."""
    shown = " ".join(re.sub("<[^>]+>", " ", page(rated, "mia").content.decode()).split())
    assert "Quality, kept or not Broad Specific All 2 Good 0 1 1 inline-nonacl 0 1 1" in shown
    assert "n = 2 questions with a quality. 1 without a quality is not counted." in shown
    client = Client()
    client.force_login(rated.people["mia"])
    path = reverse("api_question_set", args=["signs"])
    assert client.get(path).json() == json.loads(json.dumps(question_figures(rated.collection)))
    found = client.get(path, {"campaign": rated.campaign.slug}).json()["quality"]
    good = {group: cell["questions"] for group, cell in found["levels"]["2 Good"].items()}
    assert (found["judged"], found["not_judged"], good) == (2, 1, {"Broad": 0, "Specific": 1, "all": 1})
    assert client.get(path, {"campaign": "nowhere"}).status_code == 422
    rows = list(csv.DictReader(io.StringIO(content(rated.collection, "question-statistics").decode())))
    [row] = [row for row in rows if (row["row"], row["group"]) == ("0 Discard", "all")]
    assert (row["counted"], row["questions"]) == ("all with a quality", "1")
    assert {row["counted"] for row in rows if row["level_of_table"] in ("family", "subset")} == {"kept questions"}
    crossed = [row for row in rows if row["level_of_table"] == "subset by quality"]
    assert [(row["row"], row["group"], row["counted"]) for row in crossed if row["questions"] == "1"] == [
        ("inline-nonacl", "Specific", "quality 2 Good"),
        ("inline-nonacl", "all", "quality 2 Good"),
        ("author", "Broad", "quality 0 Discard"),
        ("author", "all", "quality 0 Discard"),
    ]


def test_without_any_quality_there_are_no_counts_of_it(rated):
    VoteRun.objects.all().delete()
    Verdict.objects.all().delete()
    assert "Quality, kept or not" not in page(rated, "mia").content.decode()
    assert "quality" not in question_figures(rated.collection)


def test_exported_ratings_can_be_imported_again(rated, tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_bytes(content(rated.collection, "judgments", campaign=rated.campaign.slug))
    again = build_again(rated)
    arguments = ["import_judgments", "signs", again.slug, str(file), "--json"]
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    assert json.loads(out.getvalue())["errors"] == []
    count(again, min_votes=1)
    assert states(rated.collection, again.slug) == {"q1": "kept", "q2": "discarded", "q3": "undecided"}
    file.write_text("annotator,topic,docno,criterion,value\nZoe,q3,11,quality,1\n")
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command(*arguments, stdout=out)
    assert "rates questions without documents" in json.loads(out.getvalue())["errors"][0]["reason"]
