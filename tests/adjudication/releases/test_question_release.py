"""A release of questions that a model and an author wrote says what was asked, filtered and kept, and by which runs."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts import jobs
from adjudication.models import Release
from adjudication.releases.explaining import explain
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Assignment
from corpus.models import AuthorAnswer, AuthorInvitation, AuthorQuestion, QuestionCall
from corpus.questions.forms.authors import end_of
from corpus.questions.generation import request_questions
from corpus.questions.mentions import MentionFilter
from tests.adjudication.releases.releasing import (
    check_croissant,
    check_explained,
    check_files,
    files_of,
    folder_of,
    head_of,
)
from tests.factories.accounts import AT
from tests.factories.adjudication import store_answers
from tests.factories.mentions import make_mention
from tests.factories.rubrics import Rubric, build_rubric, rate
from tests.stubs.chat import Call, ChatStub

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

COPIED = "Subtitles as Teachers: Weakly Supervised Sign Language Translation"


def answer(call: Call) -> str:
    """An order for the reranker; else a separate question, and the title of what is cited."""
    if "cite_001" not in call.prompt:
        return "[2] > [1]"
    own = f"Which paper shows what lips say in case {call.number}?"
    return f"QUESTION: {own}\nANSWER: cite_001\nQUESTION: {COPIED}\nANSWER: cite_001"


@pytest.fixture
def released(settings: Any, tmp_path: Path) -> tuple[Rubric, Path]:
    """Questions that came without a word of who wrote them, two of a model and one of an author; all of them rated."""
    settings.MEDIA_ROOT, settings.INDEX_DIR = tmp_path / "media", tmp_path / "indexes"
    settings.TIME_ZONE = "America/Los_Angeles"  # the last day of a call is one there: the next has begun in UTC
    settings.LLM_ATTEMPTS, settings.LLM_CONCURRENCY, settings.LLM_RATE, settings.LLM_MODEL = 1, 1, 0, "stub-model"
    rubric = build_rubric(opened=False)
    manager = rubric.people["mia"]
    for key in ("id:1", "id:2", "id:3"):
        make_mention({"b0": rubric.documents["11"]}, collection=rubric.collection, source_key=key)
    with ChatStub(answer) as stub:
        settings.LLM_BASE_URL = stub.url
        run = request_questions(
            by=manager, at=AT, collection=rubric.collection, criteria=MentionFilter(sample=2, seed=3), send=False
        )
        jobs.carry_out(run)
        call_command("make_run", rubric.collection.slug, "bm25", "--recipe", "bm25")
        call_command(
            "make_run", rubric.collection.slug, "reranked", "--recipe", "rerank", "--run", "bm25", "--top", "2"
        )
    ask_author(rubric)
    build_items(campaign=rubric.campaign, by=manager, at=AT)
    assign_items(campaign=rubric.campaign, by=manager, at=AT)
    rubric.campaign = open_campaign(campaign=rubric.campaign, by=manager, at=AT)
    for assignment in Assignment.objects.filter(item__campaign=rubric.campaign).select_related("item__topic"):
        rate(rubric, "ana", assignment.item.topic.number)
    call_command("adjudicate", rubric.collection.slug, rubric.campaign.slug, "--policy", "majority", "--min-votes", "1")
    (tmp_path / "outside.qrels").write_text("q1 0 12 1\n")
    call_command("import_qrels", rubric.collection.slug, str(tmp_path / "outside.qrels"))
    call_command("evaluate", rubric.collection.slug, "--gold", "qrels:outside", "--run", "bm25", "--measure", "AP")
    rubric.collection.licence = "CC BY 4.0"
    rubric.collection.save()
    call_command("release", rubric.collection.slug, "v1", out=tmp_path / "out")
    return rubric, tmp_path / "out"


def ask_author(rubric: Rubric) -> None:
    """A call to two authors, of whom one wrote the question q2."""
    texts = {"guideline": "Ask as a stranger would.", "mail_subject": "A question", "mail_body": "{link} {opt_out}"}
    call = QuestionCall.objects.create(
        collection=rubric.collection,
        name="Authors",
        source="author",
        deadline_at=end_of(date(2024, 4, 30)),
        created_at=AT,
        **texts,
    )
    for docno in ("11", "12"):
        named = {"email": f"{docno}@example.org", "document": rubric.documents[docno]}
        invitation = AuthorInvitation.objects.create(call=call, created_at=AT, **named)
    given = {"text": rubric.topics["q2"].text, "consent": True, "credit_name": "Ada Lovelace", "submitted_at": AT}
    written = AuthorAnswer.objects.create(invitation=invitation, revision=1, **given)
    AuthorQuestion.objects.create(topic=rubric.topics["q2"], answer=written)


def test_what_models_and_authors_were_asked_is_said(released: tuple[Rubric, Path]) -> None:
    rubric, out = released
    manifest = json.loads((out / "manifest.json").read_text())
    (run,) = manifest["question_runs"]
    prompt = rubric.collection.question_runs.get().template
    assert run["prompt"] == {
        "name": prompt.name, "version": 1, "sha256": prompt.sha256, "body": prompt.body,
    }  # fmt: skip
    assert (run["model"], run["sample"], run["seed"], run["asked"]) == ("stub-model", 2, 3, 2)
    assert (run["overlap_definition"], run["cutoff_inside"], run["cutoff_outside"]) == ("litsearch-code", 0.3, 0.1)
    # The title was filtered once and is a repeat then, which no cut-off decided about.
    (source,) = run["sources"].values()
    assert (source["questions"], source["could_be_kept"], source["filtered"]) == (4, 3, 1)
    (call,) = manifest["author_calls"]
    assert (call["listed"], call["answered"], call["topics"], call["guideline"]) == (
        2,
        1,
        1,
        "Ask as a stranger would.",
    )
    _, reranked = manifest["runs"]
    assert (reranked["recipe"], reranked["settings"]["model"]) == ("rerank", "stub-model")
    rerank = rubric.collection.prompt_templates.get(purpose="reranking")
    assert reranked["prompt"] == {
        "name": rerank.name, "version": 1, "sha256": rerank.sha256, "body": rerank.body,
    }  # fmt: skip
    for name in ("README.md", "DATASHEET.md", "REVIEWERS.md"):
        text = (out / name).read_text()
        asked = "was asked about 2 citation mentions (endpoint default), a sample drawn with seed 3"
        assert f"the language model “stub-model” {asked}" in text
        assert f"version 1 (sha256 {prompt.sha256[:12]}…; in full in manifest.json)" in text
        assert "of the 3 that could be kept, 2 became topics and 1 (33%) did not because of their overlap" in text
        assert rubric.collection.question_runs.get().overlap_rule in text
        assert "Call “Authors”: 2 authors listed to write a question about a paper of theirs, until 2024-04-30." in text
        assert "Litmus sent letters to 0 of them." in text
        assert "with the recipe rerank: run bm25, top 2," in text
        assert f"The model was asked by the prompt “{rerank.name}”, version 1 (sha256 {rerank.sha256[:12]}…" in text
    for name in ("README.md", "DATASHEET.md", "croissant.json"):
        rule = "inline-outside 0.1. The cut-offs do not apply to questions that were imported."
        assert rule in (out / name).read_text()
    appendix = (out / "REVIEWERS.md").read_text()
    for line in ("Ask as a stranger would.", *prompt.body.splitlines(), *rerank.body.splitlines()):
        assert f"\n> {line}".rstrip() in appendix
    for name in ("DATASHEET.md", "REVIEWERS.md"):
        text = (out / name).read_text()
        assert "Language models wrote 2 topics: see the question runs." in text
        assert "Run “reranked” was ordered by a language model." in text
        assert "Query sets: questions (5 queries, 6 relevant pairs)." in text  # nobody judged these
    assert "Litmus did not note that it was shown." in appendix
    (measured,) = [one["about"] for one in manifest["files"] if one["path"] == "evaluations.json"]
    assert measured.endswith(" Golds that are not in this release: qrels outside.")
    thanks = "Authors who wrote questions and want to be named: Ada Lovelace."
    release = Release.objects.get()
    assert thanks in (folder_of(release, anonymous=False) / "README.md").read_text()
    for path, content in files_of(folder_of(release, anonymous=True)).items():
        assert b"Lovelace" not in content, path
    croissant = json.loads((out / "croissant.json").read_text())
    assert croissant["rai:hasSyntheticData"] is True
    assert croissant["rai:dataCollectionType"] == ["Manual Human Curator"]  # a word of RAI's list
    assert "stub-model" in croissant["rai:machineAnnotationTools"][0]
    assert "language_creators" not in head_of(out)  # who wrote the others is not known
    assert "annotations_creators" not in head_of(out)  # nor who ana is


def test_its_files_and_lines(released: tuple[Rubric, Path]) -> None:
    rubric, out = released
    check_files(out)
    settings = json.loads((out / "campaigns/questions/campaign.json").read_text())
    assert (settings["overlap"], settings["assignment"], "order" in settings) == (1, "planned", False)  # no aspects
    assert check_croissant(out) == 4
    assert check_explained(out) == 6
    lines = [json.loads(line) for line in (out / "lines.jsonl").read_text().splitlines()]
    explained = {line["topic"]: line for line in lines if line.get("set") == "questions"}
    assert {line.get("question_run") for number, line in explained.items() if number.startswith("gen")} == {1}
    assert explained["q2"]["target"] == "author"
    (found,) = explain(rubric.collection, "q2", "11")["sets"]
    assert found["id"] == explained["q2"]["id"]
    sentence = "Relevant, as it is a target (author) of the question, which is kept by campaign questions."
    assert found["sentence"] == sentence
    assert explained["q2"]["kept"] == {"campaign": "questions", "quality": 2, "group": 1}
    rater = rubric.campaign.annotators.create(name="late", created_at=AT)
    item = rubric.campaign.items.get(topic__number="q2")
    late = item.assignments.create(annotator=rater, state="done", finished_at=AT)
    store_answers(rubric.campaign.criteria.get(key="quality"), [(late, 0)])
    (found,) = explain(rubric.collection, "q2", "11")["sets"]
    assert found["sentence"].endswith(f"{sentence} The votes of Questions were counted before 1 newer judgment.")
