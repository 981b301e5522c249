"""The screen where ties are decided: what it shows and hides, decisions, acceptance in bulk, what was reopened."""

from datetime import timedelta
from uuid import uuid4

import lxml.html
import pytest

from accounts.models import AuditEvent
from adjudication.models import Method, Verdict, VoteRun
from annotation.models import AssignmentState, Criterion, Judgment, Submission
from corpus.models import Collection
from tests.adjudication.verdicts.test_pages import address, client_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db


LABELS = [[0, 0, 0], [1, 1, 2], [0, 1, 2], [2, 0, None]]


@pytest.mark.usefixtures("_free_address")
def test_screen_without_votes_offers_to_count_them() -> None:
    built = build_campaign(LABELS, overlap=2)
    client = client_of(built, "adjudicator")
    assert "No votes have been counted yet" in client.get(address("adjudication_screen")).content.decode()
    client.post(address("vote_create"), {"ties": "median"})
    assert VoteRun.objects.get(campaign=built.campaign).ties == "median"


@pytest.mark.usefixtures("_free_address")
def test_a_count_that_found_no_vote_says_so_and_offers_no_export() -> None:
    built = build_campaign([[None, None, None]], overlap=2)
    VoteRun.objects.create(campaign=built.campaign, requested_at=AT, finished_at=AT, state="done")
    client = client_of(built, "adjudicator")
    empty = lxml.html.fromstring(client.get(address("adjudication_screen")).text).xpath("//*[@aria-label='Empty']")[0]
    assert "No item had a vote when the votes were counted." in empty.text_content()
    assert "Export" not in [each.text_content().strip() for each in empty.xpath(".//a")]


def test_screen_shows_letters_not_names(built: Built) -> None:
    page = client_of(built, "adjudicator").get(address("adjudication_screen")).content.decode()
    assert ">A</span>" in page
    for name in ("ana", "ben", "cai", "Ana", "Ben"):
        assert f">{name}<" not in page
    assert "guideline 1" in page


@pytest.mark.slow
@pytest.mark.parametrize(("place", "word"), [(1, "by majority"), (2, None), (3, "by an adjudicator")])
def test_loading_chooses_no_value_and_says_which_one_stands(built: Built, place: int, word: str | None) -> None:
    client, verdict = client_of(built, "adjudicator"), Verdict.objects.get(item=built.items[place])
    if place == 3:
        said = {"value": "2", "cause": "guideline", "comment": "Warm is hot.", "seen": ""}
        client.post(address("verdict_decide", verdict.pk), said)
    page = lxml.html.fromstring(client.get(address("adjudication_screen"), {"verdict": verdict.pk}).text)
    values = page.xpath("//input[@name='value']")
    assert len(values) == 3
    assert not [each for each in values if each.checked]
    assert page.xpath("//input[@name='cause'][@checked]/@value") == [""]
    assert page.xpath("//textarea[@name='comment']")[0].value == ""
    assert ("guideline gap" in page.xpath("string(//div[@class='alert ok'])")) == (place == 3)
    assert ("“Warm is hot.”" in page.text_content()) == (place == 3)
    assert page.xpath("//label[@data-grade]//*[@class='badge']/text()") == ([word] if word else [])


def test_the_answer_brings_the_next_item_to_the_page_that_asks_for_it(built: Built) -> None:
    """One request, where a form without a script takes two; the address is that of the item shown."""
    client = client_of(built, "adjudicator")
    first, second = Verdict.objects.filter(method=Method.UNRESOLVED).order_by("agreement", "pk")
    sent = {"value": "2", "seen": "", "filter": "open"}
    answer = client.post(address("verdict_decide", first.pk), sent, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert f"verdict={second.pk}" in answer["HX-Push-Url"]
    assert address("verdict_decide", second.pk) in answer.text
    refused = client.post(address("verdict_decide", second.pk), {"seen": ""}, headers={"HX-Request": "true"})
    assert (refused.status_code, refused["HX-Push-Url"]) == (422, "false")
    last = client.post(address("verdict_decide", second.pk), sent, headers={"HX-Request": "true"})
    assert "Nothing needs a decision" in last.text


def test_where_nothing_is_open_the_screen_leads_on_to_the_next_criterion_that_has_something(built: Built) -> None:
    other = Criterion.objects.create(campaign=built.campaign, key="clear", label="Clear", position=1)
    client = client_of(built, "adjudicator")
    page = lxml.html.fromstring(client.get(f"{address('adjudication_screen')}?criterion=clear").text)
    [link] = page.xpath("//*[@aria-label='Empty']//a[contains(@class, 'primary')]")
    assert "Go on to Relevance" in " ".join(link.text_content().split())
    assert "criterion=relevance" in link.get("href")
    Verdict.objects.filter(method=Method.UNRESOLVED).update(value=1, method=Method.MAJORITY)
    nothing = client.get(f"{address('adjudication_screen')}?criterion={other.key}").text
    assert "Go on to" not in nothing


def test_deciding_goes_on_to_the_next_item(built: Built) -> None:
    client = client_of(built, "adjudicator")
    first, second = Verdict.objects.filter(method=Method.UNRESOLVED).order_by("agreement", "pk")
    answer = client.post(
        address("verdict_decide", first.pk), {"value": "2", "cause": "edge", "seen": "", "filter": "open"}
    )
    assert answer.status_code == 302
    assert f"verdict={second.pk}" in answer["Location"]
    first.refresh_from_db()
    assert (first.value, first.method, first.cause) == (2, Method.BY_HAND, "edge")
    page = client.get(answer["Location"]).content.decode()
    assert "Undo" in page
    client.post(address("verdict_withdraw", first.pk), {"filter": "open"})
    first.refresh_from_db()
    assert first.method == Method.UNRESOLVED


def test_a_refused_decision_keeps_what_was_entered(built: Built) -> None:
    verdict = Verdict.objects.get(item=built.items[3])
    answer = client_of(built, "adjudicator").post(
        address("verdict_decide", verdict.pk), {"value": "1", "cause": "guideline", "comment": " ", "seen": ""}
    )
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Nobody voted for this value" in page
    assert 'value="guideline" checked' in page
    assert 'value="1" checked' in page


@pytest.mark.slow
def test_deciding_again_needs_what_was_seen(built: Built) -> None:
    verdict = Verdict.objects.get(item=built.items[2])
    client = client_of(built, "adjudicator")
    client.post(address("verdict_decide", verdict.pk), {"value": "2", "seen": ""})
    assert client.post(address("verdict_decide", verdict.pk), {"value": "1", "seen": ""}).status_code == 422
    page = client.get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    seen = page.split('name="seen"')[1].split('value="')[1].split('"')[0]
    assert client.post(address("verdict_decide", verdict.pk), {"value": "1", "seen": seen}).status_code == 302
    verdict.refresh_from_db()
    assert verdict.value == 1


@pytest.mark.slow
def test_own_items_show_no_votes_and_a_manager_may_override(built: Built) -> None:
    built.collection.memberships.filter(user=built.people["ana"]).update(role="adjudicator")
    verdict = Verdict.objects.get(item=built.items[2])
    page = client_of(built, "ana").get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    assert "You judged this item yourself" in page
    assert "ballot" not in page
    assert "Show the votes anyway" not in page
    built.collection.memberships.filter(user=built.people["ana"]).update(role="manager")
    client = client_of(built, "ana")
    assert (
        "Show the votes anyway" in client.get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    )
    shown = client.post(address("verdict_decide", verdict.pk), {"override": "1"}).content.decode()
    assert "ballot-letter" in shown
    event = AuditEvent.objects.get(verb="open_own_item")
    assert (event.actor, event.scope, event.data["item"]) == ("ana@example.org", "tea", verdict.item_id)
    client.post(address("verdict_decide", verdict.pk), {"override": "1", "value": "2", "seen": ""})
    assert AuditEvent.objects.get(verb="decide_verdict").data["override"] is True


@pytest.mark.slow
def test_an_archived_collection_offers_neither_override_nor_undo(built: Built) -> None:
    own, decided = Verdict.objects.get(item=built.items[2]), Verdict.objects.get(item=built.items[3])
    built.collection.memberships.filter(user=built.people["ana"]).update(role="manager")
    client = client_of(built, "ana")
    client.post(address("verdict_decide", decided.pk), {"override": "1", "value": "2", "seen": ""})
    at, offered = (
        address("adjudication_screen"),
        ("Show the votes anyway", "Undo <kbd>", "You judged this item yourself"),
    )
    for archived_at, seen in ((None, [True, True, True]), (AT, [False, False, True])):
        Collection.objects.update(archived_at=archived_at)
        page = client.get(at, {"verdict": own.pk, "last": decided.pk}).text
        assert [each in page for each in offered] == seen


@pytest.mark.slow
def test_sending_back_from_the_screen(built: Built) -> None:
    verdict = Verdict.objects.get(item=built.items[3])
    page = client_of(built, "adjudicator").post(address("verdict_send_back", verdict.pk), follow=True)
    assert "Sent back to one more annotator" in page.content.decode()
    assert built.items[3].assignments.filter(state=AssignmentState.PENDING, slot=3).count() == 1
    client = client_of(built, "adjudicator")
    page = client.get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    assert 'data-go="back"' not in page
    assert "Cancel the request" in page
    page = client.post(address("verdict_recall", verdict.pk), follow=True).content.decode()
    assert "no further judge is asked" in page
    assert 'data-go="back"' in page
    assert "Nobody is asked" in client.post(address("verdict_recall", verdict.pk), follow=True).content.decode()


@pytest.mark.slow
def test_accepting_in_bulk_with_preview_and_undo(built: Built) -> None:
    client = client_of(built, "adjudicator")
    preview = client.get(address("acceptance"), {"which": "all"}).content.decode()
    assert "Accept 2" in preview
    assert not Verdict.objects.filter(decided_at__isnull=False).exists()
    done = client.post(address("acceptance"), {"methods": ["unanimous", "majority"], "expected": "2"}, follow=True)
    assert "Accepted 2 votes" in done.content.decode()
    accepted_at = done.content.decode().split('name="accepted_at" value="')[1].split('"')[0]
    undone = client.post(address("acceptance_undo"), {"accepted_at": accepted_at}, follow=True)
    assert "2 votes are no longer accepted" in undone.content.decode()
    assert client.post(address("acceptance"), {"methods": ["unanimous"], "expected": "9"}).status_code == 422


def test_what_is_filtered_is_listed_and_accepted(built: Built) -> None:
    client, where = client_of(built, "adjudicator"), address("acceptance")
    whole = client.get(where, {"which": "all"}).context
    listed = list(whole["page"])
    assert len(listed) == whole["page"].paginator.count == 2
    value = listed[0].value
    assert value is not None
    narrow = client.get(where, {"which": "all"} | {"value": value}).context["page"]
    assert {row.value for row in narrow} == {value}
    assert list(client.get(where, {"which": "all"} | {"topic": "no such number"}).context["page"]) == []
    count = narrow.paginator.count
    sent = {"methods": ["unanimous", "majority"], "expected": count, "value": value}
    assert client.post(f"{where}?which=all&value={value}", sent).status_code == 302
    accepted = Verdict.objects.filter(decided_by=built.people["adjudicator"])
    assert set(accepted.values_list("value", flat=True)) == {value}
    assert accepted.count() == count


@pytest.mark.parametrize("odd", ["99999", "x", "-1", "9" * 30])
def test_odd_values_are_no_error(built: Built, odd: str) -> None:
    assert (
        client_of(built, "adjudicator").get(address("acceptance"), {"which": "all"} | {"value": odd}).status_code == 200
    )


@pytest.mark.slow
def test_acceptance_says_what_newer_answers_leave_out(built: Built) -> None:
    built.label(built.items[3], "cai", 2)  # a tie: nothing that could be accepted
    Judgment.objects.filter(assignment__item=built.items[0], assignment__annotator__name="ana").update(value=2)
    submission = Submission.objects.filter(assignment__item=built.items[0], assignment__annotator__name="ana").get()
    Submission.objects.create(
        uuid=uuid4(), assignment=submission.assignment, kind="answer", answers={}, received_at=AT + timedelta(days=1)
    )
    client = client_of(built, "adjudicator")
    page = client.get(address("acceptance"), {"which": "all"}).content.decode()
    assert "Accept 1<" in page
    assert "1 vote is left out" in " ".join(page.split())
    page = client.get(address("acceptance"), {"which": "unanimous"}).content.decode()
    assert "What is left has newer answers" in page
    assert client.post(address("acceptance"), {"methods": ["unanimous"], "expected": "1"}).status_code == 422


@pytest.mark.slow
def test_the_screen_shows_what_reopened_an_acceptance(built: Built) -> None:
    client = client_of(built, "adjudicator")
    client.post(address("acceptance"), {"methods": ["unanimous"], "expected": "1"})
    verdict = Verdict.objects.get(item=built.items[0])
    item = built.items[0]
    judgment = Judgment.objects.get(assignment__item=item, assignment__annotator__name="ana")
    Judgment.objects.filter(pk=judgment.pk).update(value=2)
    Submission.objects.create(
        uuid=uuid4(), assignment=judgment.assignment, kind="answer", answers={}, received_at=AT + timedelta(days=1)
    )
    page = client.get(address("adjudication_screen"), {"filter": "reopened"}).content.decode()
    assert "Reopened by newer votes" in page
    assert " · reopened" in page
    vote(built)
    page = client.get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    assert "<bdi>Adjudicator</bdi> had accepted <strong>0</strong> (unanimous, 3 votes)." in page


@pytest.mark.slow
def test_deciding_on_votes_that_changed_shows_the_new_ones(built: Built) -> None:
    client, verdict = client_of(built, "adjudicator"), Verdict.objects.get(item=built.items[3])
    page = client.get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    basis = page.split('name="basis" value="')[1].split('"')[0]
    built.label(built.items[3], "cai", 1)
    values = {"value": "2", "seen": "", "basis": basis, "comment": "Clear."}
    answer = client.post(address("verdict_decide", verdict.pk), values)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "The votes changed while you were looking" in page
    assert "Clear." in page
    values["basis"] = page.split('name="basis" value="')[1].split('"')[0]
    assert client.post(address("verdict_decide", verdict.pk), values).status_code == 302


@pytest.mark.slow
def test_taking_back_what_somebody_else_decided_since_is_refused(built: Built) -> None:
    mine, theirs = client_of(built, "adjudicator"), client_of(built, "manager")
    verdict = Verdict.objects.get(item=built.items[2])
    mine.post(address("verdict_decide", verdict.pk), {"value": "1", "seen": ""})
    verdict.refresh_from_db()
    seen = verdict.decided_at.isoformat() if verdict.decided_at else ""
    theirs.post(address("verdict_decide", verdict.pk), {"value": "2", "seen": seen})
    page = mine.post(address("verdict_withdraw", verdict.pk), {"seen": seen}, follow=True).content.decode()
    assert "Another decision has been made since" in page
    verdict.refresh_from_db()
    assert verdict.value == 2
    for nonsense in ("2024-13-45T99:00", "yesterday"):
        assert mine.post(address("acceptance_undo"), {"accepted_at": nonsense}).status_code == 302
        values = {"value": "1", "seen": nonsense}
        assert mine.post(address("verdict_decide", verdict.pk), values).status_code == 422


@pytest.mark.slow
@pytest.mark.usefixtures("_free_address")
def test_screen_asks_a_bounded_number_of_questions(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    built = build_campaign([[0, 1, 2]] * 60)
    vote(built)
    client = client_of(built, "adjudicator")
    with django_assert_max_num_queries(
        32
    ):  # one tells whether filters hold the same, one whether a committee has answered
        client.get(address("adjudication_screen"))
