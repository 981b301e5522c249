"""The labelling screen's requests: what they answer, to whom, at what cost, and what they never reveal."""

import json
import uuid

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation.models import Annotator, Assignment, Guideline, Level, Order, Strategy, Submission
from corpus.models import Topic
from tests.annotation.labelling.sending import address, page_data, post, submission
from tests.factories.accounts import make_token
from tests.factories.adjudication import AT
from tests.factories.labelling import assignment_of, build_work, given, kinds_of, send_one, values_of

pytestmark = pytest.mark.django_db


def test_the_answer_to_a_submission_fills_the_hand_up(signed_in):
    built = build_work(items=9)
    client = signed_in(built)
    data = page_data(client.get(address(built)))
    assert [unit["document"]["docno"] for unit in data["hand"]] == [f"doc{n:05d}" for n in range(6)]
    have = [[unit["cells"][0]["assignment"]] for unit in data["hand"][1:]]
    answer = post(client, built, submission(assignment_of(built, "ana"), 2), have=have)
    assert answer.status_code == 200
    body = answer.json()
    assert [(result["outcome"], result["state"]) for result in body["results"]] == [("counted", "done")]
    assert [unit["document"]["docno"] for unit in body["units"]] == [f"doc{n:05d}" for n in range(6, 9)]
    assert body["guideline"] == 1
    assert len(answer.content) < 10_000


def test_a_unit_says_what_is_asked_and_where_it_stands(signed_in):
    built = build_work(triples=[("7", "It is about brewing 𝛼 teas.", "d1")])
    Topic.objects.update(
        sentences=["I want a work.", "It should be about brewing tea."],
        text="I want a work. It should be about brewing tea.",
    )
    item = built.items[0]
    item.document.title = "𝛼 brewed"
    item.document.abstract = "Brewing 𝛼-teas <b>well</b>; nothing else."
    item.document.save()
    client = signed_in(built)
    response = client.get(address(built))
    (unit,) = page_data(response)["hand"]
    (cell,) = unit["cells"]
    assert unit["topic"]["sentences"] == ["I want a work.", "It should be about brewing tea."]
    assert cell["guessed"] is True
    assert (cell["aspect"], cell["lit"], cell["parents"]) == ("It is about brewing 𝛼 teas.", [1], [])
    assert cell["marks"]["abstract"] == [0, 7, 11, 15], "positions as browsers count them: 𝛼 is two units"
    assert "<mark>Brewing</mark> 𝛼-<mark>teas</mark> &lt;b&gt;well&lt;/b&gt;" in response.content.decode()


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"answers": {"relevance": 9}}, 422, "invalid"),
        ({"answers": {}}, 422, "invalid"),
        ({"answers": {"relevance": "2"}}, 400, "malformed"),
        ({"uuid": "no"}, 400, "malformed"),
        ({"assignment": "7"}, 400, "malformed"),
        ({"assignment": 10**30}, 400, "malformed"),
        ({"assignment": 999_999}, 422, "refused"),
        ({"kind": "import"}, 400, "malformed"),
        ({"note": "x" * 10_001}, 400, "malformed"),
        ({"note": "a\x00b"}, 400, "malformed"),
        ({"note": "\ud800"}, 400, "malformed"),
        ({"base": str(uuid.uuid4())}, 409, "changed-elsewhere"),
        ({"kind": "skip"}, 422, "invalid"),
    ],
)
def test_what_cannot_be_stored_is_a_problem_with_its_reason(signed_in, change, status, code):
    built = build_work()
    client = signed_in(built)
    answer = post(client, built, {**submission(assignment_of(built, "ana")), **change}, have=[])
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == code
    assert answer.json()["detail"]
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    "body", ["[]", "{}", '{"submissions": []}', '{"submissions": [1]}', '{"submissions": 3}', "\xff"]
)
def test_a_body_without_submissions_is_a_problem(signed_in, body):
    built = build_work()
    client = signed_in(built)
    answer = client.post(address(built, "submission_create"), body, content_type="application/json")
    assert answer.status_code == 400


@pytest.mark.parametrize("have", ["x", [1], [[]], [["a"]], [[1]] * 51])
def test_a_bad_hand_is_a_problem(signed_in, have):
    built = build_work()
    client = signed_in(built)
    answer = post(client, built, submission(assignment_of(built, "ana")), have=have)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")


def test_changed_elsewhere_shows_the_other_version_to_the_script_and_to_programs(signed_in):
    built = build_work()
    mine = assignment_of(built, "ana")
    first = given(mine, 0, note="there")
    send_one(built, "ana", first)
    sent = submission(mine, 2)
    answer = post(signed_in(built), built, sent)
    (result,) = answer.json()["results"]
    program = Client(headers={"Authorization": f"Bearer {make_token(built.people['ana'])[1]}"})
    path = reverse("api_submissions", args=[built.collection.slug, built.campaign.slug])
    assert program.post(path, {"submissions": [sent]}, "application/json").json()["results"] == [result]
    assert (answer.status_code, result["code"]) == (409, "changed-elsewhere")
    assert (result["current"]["uuid"], result["current"]["note"]) == (str(first.uuid), "there")


def test_too_late_is_a_conflict_that_says_the_answer_is_kept(signed_in):
    built = build_work(strategy=Strategy.QUEUE, items=1, overlap=1)
    client = signed_in(built)
    unit = page_data(client.get(address(built)))["hand"][0]
    mine = assignment_of(built, "ana")
    assert mine.pk == unit["cells"][0]["assignment"]
    built.annotators["ana"].assignments.update(lease_expires_at=AT)
    other = Client()
    other.force_login(built.people["ben"])
    assert len(other.get(address(built, "label_next")).json()["units"]) == 1
    answer = post(client, built, submission(mine, 2), have=[])
    assert (answer.status_code, answer.json()["results"][0]["code"]) == (409, "not-counted")
    assert kinds_of(mine) == [("answer", "not-counted")]


def test_one_bad_of_several_leaves_the_others_stored(signed_in):
    built = build_work()
    good, bad = assignment_of(built, "ana", 0), assignment_of(built, "ana", 1)
    answer = post(signed_in(built), built, submission(good, 2), submission(bad, 9))
    assert answer.status_code == 422
    assert [result["outcome"] for result in answer.json()["results"]] == ["counted", "refused"]
    assert (values_of(good), values_of(bad)) == ([2], [])


def test_the_guideline_is_sanitised_and_seen_once(signed_in):
    built = build_work()
    Guideline.objects.create(
        campaign=built.campaign,
        version=2,
        body="# New\n\n<script>alert(1)</script> [x](javascript:alert(1)) **bold**",
        created_at=AT,
        created_by=built.people["manager"],
    )
    Annotator.objects.filter(pk=built.annotators["ana"].pk).update(guideline_seen=1)
    client = signed_in(built)
    data = client.get(address(built, "label_guideline")).json()
    assert data["version"] == 2
    assert "<strong>bold</strong>" in data["html"]
    assert "<script" not in data["html"] + data["changes"]
    assert "<ins># New</ins>" in data["changes"]
    assert 'href="javascript' not in data["html"]
    assert client.get(address(built)).context["guideline_changed"] is True
    assert client.post(address(built, "label_guideline"), {"version": "2"}).json() == {"seen": 2}
    assert client.post(address(built, "label_guideline"), {"version": "99"}).json() == {"seen": 2}
    assert client.post(address(built, "label_guideline"), {"version": "9" * 5000}).json() == {"seen": 2}
    assert client.get(address(built)).context["guideline_changed"] is False


def test_a_folded_guideline_stays_folded_until_it_changes(signed_in):
    built = build_work()
    client = signed_in(built)

    def is_open() -> bool:
        return client.get(address(built)).context["guideline_open"]

    def send(**data: str) -> None:
        assert client.post(address(built, "label_guideline"), data).status_code == 200

    assert is_open()
    send(version="1", folded="yes")
    assert not is_open()
    assert signed_in(built, "ben").get(address(built)).context["guideline_open"], "each person for themselves"
    client = signed_in(built)
    Guideline.objects.create(
        campaign=built.campaign, version=2, body="Judge boldly.", created_at=AT, created_by=built.people["manager"]
    )
    assert is_open(), "it has changed"
    send(version="9", folded="yes")
    assert is_open(), "there is no such version"
    send(version="2")
    assert not is_open(), "it was read"
    send(version="1", folded="yes")
    assert not is_open(), "a page of before the change folds no other version"
    send(version="2", folded="no")
    assert is_open()


def test_who_answered_elsewhere_before_reads_what_has_changed_since(signed_in):
    """On their first visit nothing has changed for others."""
    built = build_work()
    client = signed_in(built, "ana")
    assert post(client, built, submission(assignment_of(built, "ana", 0), 2, guideline=1)).status_code == 200
    Guideline.objects.create(
        campaign=built.campaign, version=2, body="Judge boldly.", created_at=AT, created_by=built.people["manager"]
    )
    page = client.get(address(built))
    assert page.context["guideline_changed"] is True
    assert "<ins>" in page.text
    assert Annotator.objects.get(pk=built.annotators["ana"].pk).guideline_seen == 1
    assert signed_in(built, "ben").get(address(built)).context["guideline_changed"] is False


@pytest.mark.parametrize("digits", ["9" * 19, "9" * 30, "9" * 5000])
def test_endless_digits_name_nothing(signed_in, digits):
    built = build_work()
    client = signed_in(built, "ana")
    assert client.get(address(built), {"item": digits}).status_code == 200
    history = address(built, "label_history")
    assert client.get(history, {"before": digits}).status_code == 200
    assert client.get(history, {"before": digits}, headers={"Accept": "application/json"}).status_code == 200


def test_preferences_are_kept_and_clashes_refused(signed_in):
    built = build_work()
    client = signed_in(built)

    def save(**data: object):
        return client.post(reverse("label_preferences"), json.dumps(data), content_type="application/json")

    assert save(shortcuts=False, highlights=False, delay=None, keys={"flag": "m"}).status_code == 200
    stored = page_data(client.get(address(built)))["preferences"]
    assert (stored["shortcuts"], stored["highlights"], stored["delay"], stored["keys"]["flag"]) == (
        False,
        False,
        None,
        "m",
    )
    for bad in (
        {"keys": {"flag": "u"}},
        {"keys": {"flag": "2"}},
        {"keys": {"fly": "m"}},
        {"delay": 7},
        {"keys": {"flag": ""}},
    ):
        assert save(**bad).status_code == 422, bad
    for malformed in ({"keys": [1]}, {"keys": {"flag": 1}}, {"delay": "x"}):
        assert save(**malformed).status_code == 400, malformed


def form(mine: object, **more: str) -> dict[str, str]:
    data = {"cells": str(mine.pk), f"{mine.pk}-uuid": str(uuid.uuid4()), f"{mine.pk}-base": "", "guideline": "1"}
    return {
        **data,
        "kind": "answer",
        **{name.replace("cell_", f"{mine.pk}-").replace("_", "-"): value for name, value in more.items()},
    }


def test_a_plain_form_is_stored_and_leads_to_the_next_unit(signed_in):
    built = build_work()
    mine = assignment_of(built, "ana")
    client = signed_in(built)
    sent = form(mine, cell_answer_relevance="2", cell_note="plain", cell_flagged="on")
    answer = client.post(address(built, "submission_create"), sent)
    assert (answer.status_code, answer["Location"]) == (302, address(built))
    assert values_of(mine) == [2]
    stored = Submission.objects.get()
    assert (stored.note, stored.flagged, stored.guideline.version) == ("plain", True, 1)
    client.post(address(built, "submission_create"), sent)
    assert Submission.objects.count() == 1, "the button pressed twice sends one uuid"


def test_a_refused_plain_form_is_shown_again_as_it_was(signed_in):
    built = build_work()
    Level.objects.filter(criterion=built.criterion, value=0).update(reasons=["too broad"])
    mine = assignment_of(built, "ana")
    client = signed_in(built)
    answer = client.post(
        address(built, "submission_create"), form(mine, cell_answer_relevance="0", cell_note="keep me")
    )
    assert answer.status_code == 422
    text = answer.content.decode()
    assert "Relevance 0 needs a reason: too broad." in text
    assert "keep me" in text
    assert not Submission.objects.exists()


def test_a_plain_grid_stores_what_has_an_answer(signed_in):
    triples = [("1", f"Aspect {a}.", "doc") for a in range(3)]
    built = build_work(order=Order.BY_DOCUMENT, triples=triples)
    cells = [assignment_of(built, "ana", number) for number in range(3)]
    sent: dict[str, str] = {"cells": ",".join(str(cell.pk) for cell in cells), "kind": "answer"}
    for cell in cells:
        sent[f"{cell.pk}-uuid"] = str(uuid.uuid4())
    sent[f"{cells[0].pk}-answer-relevance"] = "2"
    sent[f"{cells[2].pk}-answer-relevance"] = "1"
    assert signed_in(built).post(address(built, "submission_create"), sent).status_code == 302
    assert [values_of(cell) for cell in cells] == [[2], [], [1]]


@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.django_db(transaction=True)
def test_a_judgment_is_one_request_of_nine_statements(signed_in, django_assert_max_num_queries, strategy):
    built = build_work(items=30, strategy=strategy)
    client = signed_in(built)
    client.get(address(built))
    more = client.get(address(built, "label_next")).json()  # as the page does a second after it is there
    hand = [[unit["cells"][0]["assignment"]] for unit in more["units"]]
    assignments = built.annotators["ana"].assignments
    for number in range(5):
        unit = hand.pop(0)
        # session, person, BEGIN, participation, assignment, judgment, what comes next, COMMIT, its content
        with django_assert_max_num_queries(9):
            answer = post(client, built, submission(Assignment(pk=unit[0])), have=hand)
        assert answer.status_code == 200, (number, answer.content)
        hand += [[unit["cells"][0]["assignment"]] for unit in answer.json()["units"]]
    assert assignments.filter(state="done").count() == 5


@pytest.mark.parametrize(("by_token", "most"), [(True, 8), (False, 9)])
@pytest.mark.django_db(transaction=True)
def test_a_judgment_by_the_api_takes_no_more_statements(signed_in, django_assert_max_num_queries, by_token, most):
    built = build_work(items=30)
    token = Client(headers={"Authorization": f"Bearer {make_token(built.people['ana'])[1]}"})
    caller = token if by_token else signed_in(built)
    args = [built.collection.slug, built.campaign.slug]
    hand = [[unit["cells"][0]["assignment"]] for unit in caller.get(reverse("api_next", args=args)).json()["units"]]
    (first,) = hand.pop(0)
    body = {"submissions": [submission(Assignment(pk=first))], "have": hand}
    with django_assert_max_num_queries(most):  # token with its person, or session and person; then as above
        answer = caller.post(reverse("api_submissions", args=args), body, "application/json")
    assert answer.status_code == 200, answer.content
    assert len(answer.json()["units"]) == 1


def test_the_api_checks_a_submission_as_the_screen_does():
    built = build_work()
    caller = Client(headers={"Authorization": f"Bearer {make_token(built.people['ana'])[1]}"})
    path = reverse("api_submissions", args=[built.collection.slug, built.campaign.slug])
    good = submission(Assignment.objects.filter(annotator__name="ana").first())
    for field, value in (("uuid", "x"), ("note", "x" * 10_001), ("answers", {"relevance": "2"}), ("guideline", -1)):
        answer = caller.post(path, {"submissions": [good | {field: value}]}, "application/json")
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [field]), answer.content
    assert caller.post(path, [], "application/json").status_code == 400
    assert caller.post(path, {"submissions": [good]}, "application/json").status_code == 200
    assert Submission.objects.get().device == "api"


def test_the_page_costs_the_same_for_few_and_many_items(signed_in, django_assert_max_num_queries):
    few, many = build_work(items=3), build_work(items=300, slug="coffee")
    for built in (few, many):
        client = signed_in(built)
        client.get(address(built))
        with django_assert_max_num_queries(25):
            assert client.get(address(built)).status_code == 200


def test_the_session_answer_carries_a_token_that_works():
    built = build_work()
    client = Client(enforce_csrf_checks=True)
    client.force_login(built.people["ana"])
    session = client.get(reverse("label_session")).json()
    assert session["user"] == built.people["ana"].pk
    body = json.dumps({"submissions": [submission(assignment_of(built, "ana"))]})
    answer = client.post(
        address(built, "submission_create"),
        body,
        content_type="application/json",
        headers={"X-CSRFToken": session["csrf"]},
    )
    assert answer.status_code == 200
    assert settings.CSRF_COOKIE_NAME in client.cookies


def test_numbers_too_large_for_an_id_are_the_id_of_nothing(signed_in):
    built = build_work(items=2)
    client = signed_in(built)
    number = {"item": "9" * 20, "before": "9" * 20}
    assert page_data(client.get(address(built), number))["opened"] is None
    history = address(built, "label_history")
    assert client.get(history, number).status_code == 200
    assert client.get(history, number, headers={"accept": "application/json"}).json()["units"] == []


def test_json_nested_without_end_is_malformed(signed_in):
    built = build_work(items=1)
    client = signed_in(built)
    for path in (address(built, "submission_create"), reverse("label_preferences")):
        answer = client.post(path, "[" * 200_000, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
