"""Rating questions: what raters see and send, what is kept of it, and what they never see."""

import json
import uuid
from copy import deepcopy

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from accounts.refusals import Conflict
from annotation.assignment.participation import fetch_participation
from annotation.campaigns.lifecycle import copy_campaign
from annotation.labelling.answers import Invalid
from annotation.labelling.screen import fetch_history
from annotation.labelling.units import fetch_units
from annotation.models import FoundTarget, Judgment, Rewrite, Submission
from corpus.models import Document, Target
from tests.factories.accounts import AT
from tests.factories.labelling import assignment_of, build_work
from tests.factories.labelling import given as relevance
from tests.factories.labelling import send as send_relevance
from tests.factories.mentions import make_mention, make_question
from tests.factories.rubrics import Rubric, build_rubric, rate, rating, send

pytestmark = pytest.mark.django_db

WORDING = "Has anybody shown that mouths carry meaning that hands lose?"


@pytest.fixture(scope="module")
def shared_rubric(module_db: None) -> Rubric:
    return build_rubric()


@pytest.fixture
def rubric(db: None, shared_rubric: Rubric) -> Rubric:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_rubric)


def unit_of(rubric: Rubric, number: str, person: str = "ana") -> dict:
    participation = fetch_participation(collection="signs", campaign=rubric.campaign.slug, user=rubric.people[person])
    (unit,) = fetch_units(participation, [[rubric.assignment(person, number).pk]])
    return unit


def client_of(rubric: Rubric, person: str = "ana") -> Client:
    client = Client()
    client.force_login(rubric.people[person])
    return client


def address(name: str, rubric: Rubric) -> str:
    return reverse(name, args=[rubric.collection.slug, rubric.campaign.slug])


# --- what is sent ----------------------------------------------------------------------------------------------------


def test_ratings_with_a_rewrite_and_a_found_target_are_one_submission(rubric):
    rate(rubric, "ana", "q1", rewrite=f"  {WORDING} ", found=("13", "12"))
    values = dict(Judgment.objects.values_list("criterion__key", "value"))
    assert values == {"specificity": 1, "quality": 2}
    rewrite = Rewrite.objects.get()
    assert (rewrite.text, rewrite.original) == (WORDING, rubric.topics["q1"].text)
    assert [found.document.docno for found in FoundTarget.objects.all()] == ["13"]  # 12 is a target already
    rubric.topics["q1"].refresh_from_db()
    assert rubric.topics["q1"].text == rewrite.original
    assert Target.objects.filter(topic=rubric.topics["q1"]).count() == 1


def test_a_wording_that_changes_nothing_is_no_rewrite(rubric):
    rate(rubric, "ana", "q1", rewrite=rubric.topics["q1"].text)
    assert not Rewrite.objects.exists()


def test_sending_again_stores_nothing_and_other_content_under_the_same_uuid_is_refused(rubric):
    given = rating(rubric.assignment("ana", "q1"), rewrite=WORDING, found=("13",))
    assert send(rubric, "ana", given).results == send(rubric, "ana", given).results
    assert (Submission.objects.count(), Rewrite.objects.count(), FoundTarget.objects.count()) == (1, 1, 1)
    (refused,) = send(rubric, "ana", rating(rubric.assignment("ana", "q1"), uuid=given.uuid, found=("13",))).results
    assert isinstance(refused, Conflict)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"quality": None}, "quality"),
        ({"quality": 0, "reasons": {}}, "quality"),
        ({"quality": 0, "reasons": {"quality": "I do not like it"}}, "quality"),
        ({"quality": 7}, "quality"),
        ({"found": ("13", "nowhere")}, "found"),
        ({"rewrite": "Which work <i>translates</i> signing?"}, "rewrite"),
    ],
)
def test_what_makes_no_sense_is_refused_at_its_field_and_nothing_is_stored(rubric, more, field):
    (refused,) = send(rubric, "ana", rating(rubric.assignment("ana", "q1"), **{"rewrite": WORDING, **more})).results
    assert isinstance(refused, Invalid)
    assert refused.field == field
    assert not Submission.objects.exists()
    assert not Rewrite.objects.exists()


def test_a_program_that_names_a_document_twice_has_found_it_once(rubric):
    client = client_of(rubric)
    sent = {
        "uuid": str(uuid.uuid4()),
        "assignment": rubric.assignment("ana", "q1").pk,
        "answers": {"specificity": 1, "quality": 2},
        "found": ["13", "13"],
    }
    path = address("api_submissions", rubric)
    answer = client.post(path, {"submissions": [sent, sent]}, "application/json")
    assert answer.status_code == 200, answer.content
    assert [each.document.docno for each in FoundTarget.objects.all()] == ["13"]
    assert Submission.objects.count() == 1


@pytest.mark.parametrize(
    "fields", [{"cells": "9" * 5000}, {"cells": "1", "skip": "9" * 5000}, {"guideline": "9" * 5000}]
)
def test_endless_numbers_in_a_plain_form_are_refused(rubric, fields):
    own = {"cells": str(rubric.assignment("ana", "q1").pk)}
    answer = client_of(rubric).post(address("submission_create", rubric), own | fields)
    assert answer.status_code in (302, 400, 422), answer.status_code
    assert not Submission.objects.exists()


def test_documents_of_other_collections_cannot_be_found(rubric):
    other = build_work(items=1)
    (refused,) = send(rubric, "ana", rating(rubric.assignment("ana", "q1"), found=("doc00000",))).results
    assert isinstance(refused, Invalid)
    assert Document.objects.filter(collection=other.collection, docno="doc00000").exists()


def test_a_relevance_campaign_takes_no_rewrite():
    built = build_work(items=1)
    given = relevance(assignment_of(built, "ana"), 1, rewrite=WORDING)
    (refused,) = send_relevance(built, "ana", given).results
    assert isinstance(refused, Invalid)
    assert not Submission.objects.exists()


def test_undo_and_answering_again_keep_every_rewrite_but_count_the_last(rubric):
    assignment = rubric.assignment("ana", "q1")
    first = rating(assignment, rewrite=WORDING)
    undo = rating(assignment, None, None, kind="undo", base=first.uuid)
    second = rating(assignment, quality=1, base=undo.uuid)
    for given in (first, undo, second):
        send(rubric, "ana", given)
    assert Rewrite.objects.count() == 1
    assert not Rewrite.objects.filter(submission__judgments__isnull=False).exists()
    assert set(Judgment.objects.values_list("submission__uuid", flat=True)) == {second.uuid}


@pytest.mark.parametrize("table", ["annotation_rewrite", "annotation_foundtarget"])
def test_rewrites_and_found_targets_are_append_only(rubric, table):
    rate(rubric, "ana", "q1", rewrite=WORDING, found=("13",))
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"DELETE FROM {table}")


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_a_unit_has_the_question_its_targets_their_overlap_and_the_cutoff(rubric):
    unit = unit_of(rubric, "q1")
    assert unit["name"] == rubric.topics["q1"].text
    question = unit["question"]
    assert [target["docno"] for target in question["targets"]] == ["12"]
    assert question["from"] == "citation"
    assert question["cutoff"] == 0.1
    assert question["overlap"]["titles"] == 0.0
    assert question["definition"] == "litsearch-code"
    assert question["overlap"]["texts"] == 2 / 10  # that, hands; “lose?” ends with another character
    assert unit_of(rubric, "q2")["question"]["from"] == "author"
    assert unit_of(rubric, "q2")["question"]["cutoff"] is None


def test_ones_own_answer_comes_back_with_rewrite_and_found_targets(rubric):
    rate(rubric, "ana", "q1", rewrite=WORDING, found=("13",))
    answer = unit_of(rubric, "q1")["cells"][0]["answer"]
    assert answer["rewrite"] == WORDING
    assert [each["docno"] for each in answer["found"]] == ["13"]
    participation = fetch_participation(collection="signs", campaign=rubric.campaign.slug, user=rubric.people["ana"])
    assert fetch_history(participation)[0] == [[rubric.assignment("ana", "q1").pk]]


def test_a_generated_question_comes_with_its_paragraph_and_nothing_else_of_its_origin(rubric):
    mention = make_mention({"b0": None, "b1": None}, collection=rubric.collection, source_title="A secret paper")
    make_question(mention, topic=rubric.topics["q1"], keys=[mention.markers[-1]["keys"][0]])
    question = unit_of(rubric, "q1")["question"]
    cut = question["paragraph"]["text"].encode("utf-16-le")
    start, end = question["paragraph"]["marks"]
    marker = mention.text[mention.markers[-1]["start"] : mention.markers[-1]["end"]]
    assert cut[2 * start : 2 * end].decode("utf-16-le") == marker
    page = client_of(rubric).get(address("labelling_screen", rubric) + f"?item={rubric.assignment('ana', 'q1').pk}")
    assert f"<mark>{marker}</mark>" in page.content.decode()
    assert "secret" not in page.content.decode()


def test_units_take_two_statements_however_many(rubric, django_assert_max_num_queries):
    participation = fetch_participation(collection="signs", campaign=rubric.campaign.slug, user=rubric.people["ana"])
    ids = [[rubric.assignment("ana", number).pk] for number in ("q1", "q2", "q3")]
    with django_assert_max_num_queries(2):
        assert len(fetch_units(participation, ids)) == 3


def test_raters_see_neither_author_nor_source_nor_what_others_said():
    rubric = build_rubric(people=("ana", "ben"), overlap=2, slug="mouths")
    topic = rubric.topics["q1"]
    topic.author, topic.source, topic.extra = "Secret Author", "inline-secretmodel", {"model": "secret-7b"}
    topic.save()
    rate(rubric, "ben", "q1", 0, 0, rewrite="A secret rewording", note="secret note")
    client = client_of(rubric)
    shown = [client.get(address(name, rubric)) for name in ("labelling_screen", "label_next", "label_history")]
    shown.append(client.get(address("label_search", rubric), {"q": "translation"}))
    shown += [client.get(address(name, rubric)) for name in ("api_next", "api_judgments", "api_assignments")]
    for response in shown:
        assert response.status_code == 200, response.request["PATH_INFO"]
        assert "ecret" not in response.content.decode() + str(response.headers)


def test_the_page_works_as_a_plain_form(rubric):
    client = client_of(rubric)
    page = client.get(address("labelling_screen", rubric)).content.decode()
    assignment = rubric.assignment("ana", "q1")
    for words in ("Specificity", "Quality", "too broad", "Your wording", "Further targets"):
        assert words in page
    fields = {
        "cells": assignment.pk,
        f"{assignment.pk}-uuid": str(uuid.uuid4()),
        f"{assignment.pk}-answer-specificity": 1,
        f"{assignment.pk}-answer-quality": 0,
        f"{assignment.pk}-rewrite": rubric.topics["q1"].text,
        f"{assignment.pk}-found": "13 11",
    }
    refused = client.post(address("submission_create", rubric), fields)
    assert refused.status_code == 422
    assert "needs a reason" in refused.content.decode()
    assert "13 11" in refused.content.decode()
    taken = client.post(
        address("submission_create", rubric), {**fields, f"{assignment.pk}-reason-quality": "too broad"}
    )
    assert taken.status_code == 302
    assert Judgment.objects.get(criterion__key="quality").reason == "too broad"
    assert FoundTarget.objects.count() == 2
    assert not Rewrite.objects.exists()


def test_html_in_a_question_is_text(rubric):
    rubric.topics["q1"].text = "Is <script>alert(1)</script> a question?"
    rubric.topics["q1"].save()
    pages = [client_of(rubric).get(address("labelling_screen", rubric) + f"?item={rubric.assignment('ana', 'q1').pk}")]
    rate(rubric, "ana", "q1", note="<img src=x>")
    pages.append(client_of(rubric).get(address("label_history", rubric)))
    for page in pages:
        assert "<script>alert" not in page.content.decode()
        assert "<img src=x>" not in page.content.decode()


# --- the search ------------------------------------------------------------------------------------------------------


def test_the_search_finds_documents_of_the_collection(rubric):
    answer = client_of(rubric).get(address("label_search", rubric), {"q": "translation"}).json()
    assert {hit["docno"] for hit in answer["hits"]} == {"11", "12"}
    assert answer["words"] == "2 documents share words with this, the most similar first."
    assert ["translation", True] in answer["hits"][0]["extract"] or ["Translation", True] in answer["hits"][0][
        "extract"
    ]


@pytest.mark.parametrize(
    ("words", "words_shown"), [("", "Type words"), ("the", "Type words"), ("zebra", "No document")]
)
def test_a_search_without_hits_says_why(rubric, words, words_shown):
    answer = client_of(rubric).get(address("label_search", rubric), {"q": words, "page": "x"}).json()
    assert answer["hits"] == []
    assert answer["words"].startswith(words_shown)


# --- the API ---------------------------------------------------------------------------------------------------------


def test_a_drafts_page_speaks_of_questions_and_the_form_begins_with_them(rubric):
    client = client_of(rubric, "mia")
    copied = copy_campaign(campaign=rubric.campaign, by=rubric.people["mia"], at=AT, name="Again")
    shown = client.get(reverse("campaign_detail", args=["signs", copied.slug])).text
    assert "the questions to rate" in shown
    assert "pooled document" not in shown
    assert "many abstracts" not in shown
    form = client.get(reverse("campaign_create", args=["signs"])).text
    assert '<option value="question" selected>' in form


def test_a_program_can_rate_with_rewrite_and_targets(rubric):
    submission = {
        "uuid": str(uuid.uuid4()),
        "assignment": rubric.assignment("ana", "q1").pk,
        "answers": {"specificity": 0, "quality": 1},
        "rewrite": WORDING,
        "found": ["13"],
    }
    answer = client_of(rubric).post(
        address("api_submissions", rubric),
        json.dumps({"submissions": [submission]}),
        content_type="application/json",
    )
    assert answer.status_code == 200, answer.content
    assert Rewrite.objects.get().text == WORDING
