"""Judgments from files: matched to items and people, slots kept, nothing counted twice."""

import json
import re
from collections import Counter
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, JobState
from annotation.assignment.annotators import add_name
from annotation.assignment.assignments import assign_items
from annotation.campaigns.criteria import replace_criteria
from annotation.campaigns.lifecycle import close_campaign, open_campaign
from annotation.imports import import_sql as sql
from annotation.imports import importing as imports
from annotation.kinds.relevance.kind import DEFAULTS
from annotation.models import Annotator, Assignment, Judgment, Submission, UnparsedAnswer
from corpus.loading import background_reading
from corpus.models import ImportRun
from engines.definitions.drafts import CriterionDraft, LevelDraft
from tests.annotation.imports.judgment_rows import HEADER, counts, reasons, row
from tests.factories.annotation import AT, add_topic, make_campaign
from tests.factories.corpus import ImportRunFactory
from tests.processes import wait_for

pytestmark = pytest.mark.django_db


def values(campaign):
    rows = Judgment.objects.filter(assignment__item__campaign=campaign)
    return {
        (who, topic, aspect, docno): value
        for who, topic, aspect, docno, value in rows.values_list(
            "assignment__annotator__name",
            "assignment__item__topic__number",
            "assignment__item__aspect__text",
            "assignment__item__document__docno",
            "value",
        )
    }


# --- what comes in ---------------------------------------------------------------------------------------------------


def test_judgments_come_in_with_everything_that_hangs_on_them(campaign, load):
    result = load(row("Ana", 1, 1, 0, 2), row("ben@example.org", 1, 1, 0, 0), row("Somebody", 1, 2, 3, 1))
    assert counts(result) == (3, 0, 0, 0)
    assert values(campaign) == {
        ("Ana", "1", "Does thing 1.1.", "d0000"): 2,
        ("Ben", "1", "Does thing 1.1.", "d0000"): 0,
        ("Somebody", "1", "Does thing 1.2.", "d0003"): 1,
    }
    assignments = Assignment.objects.filter(item__campaign=campaign)
    assert Counter(assignments.values_list("state", "slot")) == {("done", 1): 2, ("done", 2): 1}
    submission = Submission.objects.get(assignment__annotator__name="Ana")
    assert (submission.kind, submission.device, submission.answers) == ("import", "import", {"relevance": 2})
    stranger = Annotator.objects.get(name="Somebody")
    assert (stranger.user, stranger.kind) == (None, "human")
    assert AuditEvent.objects.get(verb="import_judgments").data["created"] == 3


@pytest.mark.slow
def test_importing_again_changes_nothing(campaign, load):
    lines = [row("Ana", 1, 1, d, 1) for d in range(4)] + [row("New", 2, 1, 0, 2)]
    assert counts(load(*lines)) == (5, 0, 0, 0)
    before = list(Submission.objects.order_by("id").values_list("uuid", flat=True))
    assert counts(load(*lines)) == (0, 0, 5, 0)
    assert list(Submission.objects.order_by("id").values_list("uuid", flat=True)) == before
    assert Annotator.objects.filter(name="New").count() == 1


@pytest.mark.slow
def test_a_corrected_file_updates_and_keeps_what_was_before(campaign, load):
    load(row("Ana", 1, 1, 0, 1), row("Ana", 1, 1, 1, 1))
    assert counts(load(row("Ana", 1, 1, 0, 2), row("Ana", 1, 1, 1, 1))) == (0, 1, 1, 0)
    assert counts(load(row("Ana", 1, 1, 0, 1))) == (0, 1, 0, 0)  # back again: another submission nevertheless
    assert list(Submission.objects.order_by("id").values_list("answers__relevance", flat=True)) == [1, 1, 2, 1]
    assert Judgment.objects.filter(value=1).count() == 2


@pytest.mark.slow
def test_a_dry_run_counts_and_leaves_nothing(campaign, load):
    result = load(row("New", 1, 1, 0, 2), row("New", 9, 1, 0, 2), options=["--dry-run"])
    assert counts(result) == (1, 0, 0, 1)
    assert not Assignment.objects.exists()
    assert not Annotator.objects.filter(name="New").exists()
    assert counts(load(row("New", 1, 1, 0, 2))) == (1, 0, 0, 0)


def test_json_lines_and_whole_topics(made, load):
    add_topic(made, "whole", [])
    make_campaign(made)
    line = json.dumps({"annotator": "Ana", "topic": "whole", "docno": "d0001", "criterion": "relevance", "value": 2})
    assert counts(load(line, header="", name="labels.jsonl")) == (1, 0, 0, 0)
    assert Judgment.objects.get().assignment.item.aspect is None


def test_qrels_name_the_annotator_in_column_2(made, load):
    add_topic(made, "whole", [])
    make_campaign(made)
    qrels = ["whole Ana d0000 1", "whole Ben d0000 2", "whole Cai d0000 0"]
    result = load(*qrels, header="", name="all.qrels")
    assert counts(result) == (2, 0, 0, 1)
    assert "the item needs 2 judgments" in reasons(result)[0][1]
    assert reasons(result)[0][0] == 3
    assert counts(load("whole 0 d0001 1", header="", name="one.qrels", options=["--annotator", "Ben"])) == (1, 0, 0, 0)


def test_every_wrong_row_is_reported_with_its_line(campaign, load):
    result = load(
        row("Ana", 1, 1, 0, 2),
        row("Ana", 9, 1, 0, 2),
        row("Ana", 1, 7, 0, 2),
        row("Ana", 1, 1, 99, 2),
        row("Ana", 1, 1, 1, 3),
        row("Ana", 1, 1, 2, "high"),
        row("Ana", 1, 1, 3, -1),
        "Ana,1,,d0001,1",
        row("Ana", 1, 1, 0, 2),
        row("", 1, 1, 2, 2),
    )
    assert counts(result)[0] == 1
    problems = dict(reasons(result))
    assert problems[3] == "topic 9 is not in the collection"
    assert problems[4] == "topic 1 has no aspect “Does thing 1.7.”"
    assert problems[5] == "document d0099 is not in the collection"
    for line, value in ((6, "3"), (7, "high"), (8, "-1")):
        assert problems[line] == f"the value “{value}” is not on the scale of relevance (0, 1, 2)"
    assert problems[9] == "names no aspect, but topic 1 is judged aspect by aspect"
    assert "appears more than once in this file" in problems[10]
    assert problems[11] == "has no annotator"
    assert result["skipped"] == len(problems) == 9


@pytest.mark.slow
def test_what_a_machine_could_not_say_is_kept_and_counts_nowhere(made, campaign, load):
    """Scores of -1 of a machine: kept as invalid, each once, until a readable one comes; people have no such score."""
    line = row("gpt", 1, 1, 0, -1)
    rows = (f"{line},1,Perhaps?", row("gpt", 1, 1, 1, 2) + ",1,Yes.", row("Ana", 1, 1, 3, -1) + ",0,")
    first = load(*rows, header=f"{HEADER},machine,said")
    assert counts(first) == (2, 0, 0, 1)
    assert "is not on the scale" in reasons(first)[0][1]
    assert "1 machine answers could not be parsed" in " ".join(first["remarks"])
    (kept,) = UnparsedAnswer.objects.select_related("annotator")
    assert (kept.annotator.name, kept.item.document.docno) == ("gpt", "d0000")
    assert [each.value for each in Judgment.objects.all()] == [2]
    assert counts(load(f"{line},1", header=f"{HEADER},machine", options=["--dry-run"])) == (0, 0, 1, 0)
    assert counts(load(f"{line},1", header=f"{HEADER},machine")) == (0, 0, 1, 0)
    client = Client()
    client.force_login(made.manager)
    assert "1 invalid answer" in client.get("/c/teas/campaigns/main-round/machines/").content.decode()
    listed = client.get("/c/teas/campaigns/main-round/machines/unparsed/").content.decode()
    assert "Perhaps?" in listed
    assert "Yes." not in listed
    # Read by somebody after all: a label now, and an unreadable answer does not take a label away.
    assert counts(load(row("gpt", 1, 1, 0, 1) + ",1", header=f"{HEADER},machine")) == (1, 0, 0, 0)
    assert counts(load(f"{line},1", header=f"{HEADER},machine")) == (0, 0, 1, 0)
    assert not UnparsedAnswer.objects.exists()
    page = client.get("/c/teas/campaigns/main-round/machines/unparsed/").content.decode()
    assert "No invalid answers in imported labels" in page


def test_the_same_thing_in_two_files_counts_once(campaign, tmp_path):
    for name, value in (("a.csv", 1), ("b.csv", 2)):
        (tmp_path / name).write_text(f"{HEADER}\n{row('Ana', 1, 1, 0, value)}\n", "utf-8")
    out = StringIO()
    files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    call_command("import_judgments", "teas", "main-round", *files, "--json", stdout=out, stderr=StringIO())
    result = json.loads(out.getvalue())
    assert counts(result) == (1, 0, 0, 1)
    assert result["errors"][0] == {"file": "b.csv", "line": 2, "reason": "repeats a.csv, line 2"}
    assert Judgment.objects.get().value == 1


def test_pairs_outside_the_campaign_are_refused(made, load):
    make_campaign(made, items=False)
    with pytest.raises(CommandError, match="no items yet"):
        load(row("Ana", 1, 1, 0, 2))
    call_command("build_items", "teas", "main-round", "--sample", "1", "--seed", "1", stderr=StringIO())
    lines = [row("Ana", t, a, d, 1) for t in (1, 2, 3) for a in (1, 2) for d in range(4)]
    result = load(*lines)
    assert counts(result) == (1, 0, 0, 23)
    assert {reason for _, reason in reasons(result)} == {"this pair is no item of the campaign"}


def test_topics_numbered_otherwise_are_offered_and_matched(campaign, load):
    line = row("Ana", "001", 1, 0, "2.0").replace("001.1", "1.1")
    with pytest.raises(CommandError, match="001 matches 1 without leading zeros"):
        load(line)
    assert counts(load(line, options=("--match", "zeros"))) == (1, 0, 0, 0)


def test_nothing_usable_is_a_refusal_and_leaves_nothing(campaign, load):
    with pytest.raises(CommandError, match="topic 9 is not in the collection"):
        load(row("Stranger", 9, 1, 0, 2))
    assert not Annotator.objects.filter(name="Stranger").exists()


def test_a_closed_campaign_takes_nothing(campaign, load):
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    close_campaign(campaign=campaign, by=None, at=AT)
    with pytest.raises(CommandError, match="Reopen it first"):
        load(row("Ana", 1, 1, 0, 2))


# --- several criteria ------------------------------------------------------------------------------------------------


@pytest.fixture
def two_criteria(made):
    campaign = make_campaign(made)
    fit = CriterionDraft("fit", "Fit", (LevelDraft(0, "No"), LevelDraft(1, "Yes")))
    replace_criteria(campaign=campaign, criteria=[*DEFAULTS.criteria, fit], by=None, at=AT)
    return campaign


@pytest.mark.slow
def test_answers_on_several_criteria_are_one_submission(two_criteria, load):
    header = HEADER + ",criterion"
    lines = [row("Ana", 1, 1, 0, 2) + ",relevance", row("Ana", 1, 1, 0, 1) + ",fit"]
    assert counts(load(*lines, header=header)) == (2, 0, 0, 0)
    assert Submission.objects.get().answers == {"relevance": 2, "fit": 1}
    assert counts(load(lines[0], header=header)) == (0, 0, 1, 0)
    assert counts(load(row("Ana", 1, 1, 0, 0) + ",fit", header=header)) == (0, 1, 0, 0)


def test_half_an_answer_is_refused(two_criteria, load):
    header = HEADER + ",criterion"
    lines = [
        row("Ana", 1, 1, 0, 2) + ",relevance",
        row("Ana", 1, 1, 1, 2) + ",relevance",
        row("Ana", 1, 1, 1, 7) + ",fit",
        row("Ana", 1, 1, 2, 1) + ",",
        row("Ana", 1, 1, 3, 1) + ",novelty",
        row("Ben", 1, 1, 0, 2) + ",relevance",
        row("Ben", 1, 1, 0, 1) + ",fit",
    ]
    result = load(*lines, header=header)
    assert counts(result) == (2, 0, 0, 5)
    problems = dict(reasons(result))
    assert problems[2] == problems[3] == "lacks a value for another criterion of the same item"
    assert "not on the scale of fit (0, 1)" in problems[4]
    assert problems[5] == "names no criterion, and the campaign has several"
    assert problems[6].startswith("the campaign has no criterion “novelty”; it has ")


# --- hostile and odd files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "\x00\x01\x02", "nonsense without columns\n", "a,b\n1,2\n"])
def test_files_that_are_none_are_refused(campaign, load, text):
    with pytest.raises(CommandError):
        load(text, header="", name="odd.csv")
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    ("name", "lines", "reason"),
    [
        (
            "a.csv",
            ["annotator,topic,docno,label", "Ana,1,d0000,2"],
            "no column value; its columns are annotator, ",
        ),
        ("a.jsonl", ['{"annotator": "Ana", "topic": "1", "docno": "d0000", "label": 2}'], "has no value; it has label"),
        ("a.jsonl", ['{"who": "Ana", "docno": "d0000", "label": 2}'], r"no judgments \(annotator, topic, .* value\)"),
    ],
)
def test_a_file_with_other_names_of_columns_is_refused_with_what_is_missing(campaign, load, name, lines, reason):
    with pytest.raises(CommandError, match=reason):
        load(*lines, header="", name=name)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a.csv", ["topic,aspect,docno,value", "1,Does thing 1.1.,d0000,2"]),
        ("a.jsonl", ['{"topic": "1", "aspect": "Does thing 1.1.", "docno": "d0000", "value": 2}']),
    ],
)
def test_a_file_that_names_nobody_is_of_who_is_named_with_it(campaign, load, name, lines):
    assert counts(load(*lines, header="", name=name, options=["--annotator", "Ana"])) == (1, 0, 0, 0)


def test_percent_signs_quotes_and_backslashes_are_plain_text(made, load):
    add_topic(made, "odd", ['Is 100% "sure" \\ of %s.'])
    campaign = make_campaign(made)
    line = '"O\'Brien \\ 50%",odd,"Is 100% ""sure"" \\ of %s.",d0000,1'
    assert counts(load(line)) == (1, 0, 0, 0)
    assert campaign.annotators.filter(name="O'Brien \\ 50%").exists()


def test_names_that_do_not_fit_are_reported(campaign, load):
    result = load(row("x" * 180, 1, 1, 0, 1), row("Ana", 1, 1, 0, 1))
    assert counts(result) == (1, 0, 0, 1)
    assert "longer than 150" in reasons(result)[0][1]


def test_many_rows_take_few_queries(made, load, django_assert_max_num_queries, monkeypatch):
    monkeypatch.setattr(background_reading, "LOOK_EVERY", 60)  # each look at whether it was cancelled is a query
    add_name(campaign=make_campaign(made), name="Z", by=None, at=AT)
    lines = [row(who, t, a, d, 1) for who in "YZ" for t in (1, 2, 3) for a in (1, 2) for d in range(4)]
    with django_assert_max_num_queries(88):  # those of the job included, which writes its end to the outbox
        assert counts(load(*lines)) == (48, 0, 0, 0)


# --- by upload -------------------------------------------------------------------------------------------------------


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_an_upload_is_tried_and_then_imported_by_a_worker(celery_worker, made):
    campaign = make_campaign(made)
    client = Client()
    client.force_login(made.manager)
    address = reverse("judgment_import", args=["teas", campaign.slug])
    file = SimpleUploadedFile("labels.csv", f"{HEADER}\n{row('Ana', 1, 1, 0, 2)}\n{row('Ana', 9, 1, 0, 2)}\n".encode())
    answer = client.post(address, {"uploads": [file], "format": "auto", "dry_run": "on"})
    tried = ImportRun.objects.get()
    assert answer.url == reverse("import_detail", args=["teas", tried.pk])
    wait_for(lambda: ImportRun.objects.get(pk=tried.pk).is_final, what="the dry run")
    page = client.get(answer.url).content.decode()
    assert "topic 9 is not in the collection" in page
    assert not Judgment.objects.exists()
    client.post(reverse("import_follow", args=["teas", tried.pk]))
    wait_for(lambda: ImportRun.objects.latest("pk").is_final, what="the import")
    assert Judgment.objects.count() == 1
    assert "Earlier imports" in client.get(address).content.decode()


def test_an_import_leads_back_to_its_campaign(made, campaign):
    fields = {"collection": made.collection, "kind": "judgments", "parameters": {"campaign": campaign.pk}}
    client = Client()
    client.force_login(made.manager)
    for state, name in ((JobState.DONE, "annotator_list"), (JobState.FAILED, "judgment_import")):
        run = ImportRunFactory(state=state, started_at=AT, finished_at=AT, **fields)
        page = client.get(reverse("import_detail", args=["teas", run.pk])).content.decode()
        assert f'href="{reverse(name, args=["teas", campaign.slug])}"' in page


def test_the_page_refuses_what_it_cannot_take(made, campaign):
    client = Client()
    client.force_login(made.manager)
    address = reverse("judgment_import", args=["teas", campaign.slug])
    assert not client.get(address).context["form"]["machine"].value()
    assert client.get(f"{address}?machine=on").context["form"]["machine"].value(), "as the step of a cycle leads there"
    assert client.post(address, {}).status_code == 422
    answer = client.post(address, {"uploads": [SimpleUploadedFile("x.png", b"\x89PNG\x00\x00")]})
    assert answer.status_code == 422
    assert "not a text file" in answer.content.decode()


@pytest.mark.slow
def test_many_rows_are_written_by_joins_of_sets(campaign, load, monkeypatch):
    """A planner that takes the file for one row compares each row with each: minutes at a hundred thousand."""
    plans = []

    def explained(statement, named=None):
        if statement == sql.ASSIGN:
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {statement}", named)
                plans.append("\n".join(line for (line,) in cursor.fetchall()))
        return execute(statement, named)

    execute = imports.execute
    monkeypatch.setattr(imports, "execute", explained)
    everything = [(t, a, d) for t in (1, 2, 3) for a in (1, 2) for d in range(4)]
    lines = [row(who, *item, 1) + ",0" for who in "YZ" for item in everything]
    lines += [row(f"m{who}", *item, 1) + ",1" for who in range(50) for item in everything]
    assert counts(load(*lines, header=HEADER + ",machine")) == (1248, 0, 0, 0)
    (plan,) = plans
    assert int(re.search(r"CTE Scan on created .* rows=(\d+)", plan)[1]) > 1000
    assert "Nested Loop" not in plan


def test_a_dry_run_shows_only_records_that_would_be_stored(campaign, load):
    result = load(row("Ana", 9, 1, 0, 2), row("Ana", 1, 1, 0, 2), row("Ana", 1, 1, 1, 7), options=["--dry-run"])
    assert counts(result) == (1, 0, 0, 2)
    assert [sample["line"] for sample in result["samples"]] == [3]
