"""Consent: asked for before anybody judges, given to a version, withdrawn at any moment."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from accounts.audit import record_event
from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.verdicts.jobs import VoteJob
from annotation.assignment.annotators import add_members, resume_annotator
from annotation.assignment.practice import give_practice
from annotation.consent.consents import (
    consent_rows,
    count_consents,
    give_consent,
    set_consent_text,
    standing_of,
    withdraw_consent,
)
from annotation.consent.pseudonyms import rename_in_events, renamed
from annotation.gold.results import gold_results
from annotation.labelling.answers import AnswerInput, Receipt
from annotation.labelling.submissions import submit
from annotation.models import (
    Annotator,
    Asked,
    Assignment,
    AssignmentState,
    Background,
    Campaign,
    Consent,
    Judgment,
    Strategy,
    Submission,
)
from tests.annotation.gold.known_worlds import make_practice
from tests.annotation.labelling.sending import address, post, submission
from tests.databases import in_another_connection
from tests.factories.adjudication import AT, Built
from tests.factories.annotation import annotator, make_material
from tests.factories.labelling import assignment_of, build_work, given, send, send_one

pytestmark = pytest.mark.django_db

TEXT = "We store what you judge.\n\nAsk **us**."


def ask(built: Built, text: str = TEXT, after: str = "keep", **more: bool) -> None:
    options = {"asks_background": False, **more}
    set_consent_text(collection=built.collection, text=text, after_withdrawal=after, by=None, at=AT, **options)


def agree(built: Built, person: str = "ana", version: int = 1, **said: object) -> Consent:
    return give_consent(collection=built.collection, version=version, by=built.people[person], at=AT, **said)


def withdraw(built: Built, person: str = "ana") -> object:
    return withdraw_consent(collection=built.collection, by=built.people[person], at=AT + timedelta(hours=1))


def test_nobody_judges_before_they_agree_and_then_goes_straight_to_it(client: Client) -> None:
    built = build_work()
    ask(built)
    client.force_login(built.people["ana"])
    page = reverse("consent_give", args=["tea"])
    assert client.get(address(built)).url == page
    answer = post(client, built, submission(assignment_of(built, "ana")))
    assert (answer.status_code, answer.json()["results"][0]["code"]) == (422, "consent")
    assert client.get(address(built, "label_next"), headers={"Accept": "application/json"}).json()["empty"] == "consent"
    assert not Submission.objects.exists()
    assert "<strong>us</strong>" in client.get(page).text
    assert client.post(page, {"version": 1}).url == address(built)
    assert post(client, built, submission(assignment_of(built, "ana"))).status_code == 200
    client.force_login(built.people["ben"])
    assert client.get(address(built)).url == page, "others have to agree for themselves"


def test_a_changed_text_is_asked_again_and_an_empty_one_ends_it(client: Client) -> None:
    built = build_work()
    ask(built)
    agree(built)
    ask(built)
    assert built.collection.consent_texts.count() == 1, "what is the same is no new version"
    ask(built, "We store more.")
    with pytest.raises(Conflict, match="version 2 now"):
        agree(built, version=1)
    client.force_login(built.people["ana"])
    assert client.get(address(built)).status_code == 302
    ask(built, "")
    assert client.get(address(built)).status_code == 200
    assert standing_of(built.people["ana"], built.collection).text is None
    with pytest.raises(Refused, match="asks for no consent"):
        agree(built)
    with pytest.raises(Refused, match="none that could be ended"):
        ask(built, " ")


def test_people_agree_for_themselves_alone() -> None:
    built, other = build_work(), build_work(slug="coffee", people=("eve",))
    ask(built)
    for by in (other.people["eve"], None):
        with pytest.raises(NotAllowed):
            give_consent(collection=built.collection, version=1, by=by, at=AT)
    assert agree(built).pk == agree(built).pk
    verbs = AuditEvent.objects.filter(verb="give_consent")
    assert verbs.count() == 1


@pytest.mark.parametrize(("after", "left", "state"), [("keep", 2, "done"), ("leave-out", 0, "withdrawn")])
def test_withdrawal_ends_work_at_once_and_does_to_labels_what_the_text_says(
    client: Client, after: str, left: int, state: str
) -> None:
    built = build_work()
    ask(built, after=after, asks_background=True)
    agree(built, field="Chemistry", stage="", years=None, language="")
    agree(built, "ben")
    for place in (0, 1):
        send_one(built, "ana", given(assignment_of(built, "ana", place), 2))
    send_one(built, "ben", given(assignment_of(built, "ben"), 1))
    done = withdraw(built)
    pseudonym = f"Person {built.people['ana'].pk}"
    assert (done.pseudonym, done.is_left_out) == (pseudonym, after == "leave-out")

    ana = Annotator.objects.get(user=built.people["ana"])
    assert (ana.name, ana.state, ana.identity) == (pseudonym, "removed", "withdrew their consent")
    assert Judgment.objects.filter(assignment__annotator=ana).count() == left
    states = list(ana.assignments.order_by("position").values_list("state", flat=True))
    assert states == [state] * 2 + [AssignmentState.WITHDRAWN] * 2
    assert Judgment.objects.filter(assignment__annotator__user=built.people["ben"]).count() == 1
    assert not Background.objects.exists()
    assert not AuditEvent.objects.filter(scope_id=built.collection.pk, data__icontains="ana").exists()

    client.force_login(built.people["ana"])
    answer = post(client, built, submission(assignment_of(built, "ana", 2)))
    assert answer.json()["results"][0]["code"] == "withdrew"
    assert "You have withdrawn" in client.get(address(built)).text
    with pytest.raises(Refused, match="withdrawn their consent"):
        resume_annotator(annotator=ana, by=None, at=AT)


def test_who_withdrew_can_be_added_again_and_is_asked_again(client: Client) -> None:
    built = build_work()
    ask(built)
    agree(built)
    withdraw(built)
    add_members(campaign=built.campaign, users=[built.people["ana"]], by=None, at=AT)
    ana = Annotator.objects.get(user=built.people["ana"])
    assert (ana.name, ana.withdrew_at) == (str(built.people["ana"]), None)
    client.force_login(built.people["ana"])
    assert client.get(address(built)).url == reverse("consent_give", args=["tea"])
    agree(built)
    assert client.get(address(built)).status_code == 200
    assert Consent.objects.filter(user=built.people["ana"]).count() == 2


def test_who_has_not_agreed_may_withdraw_instead_unless_nothing_was_ever_asked() -> None:
    built = build_work()
    with pytest.raises(Refused, match="never asked"):
        withdraw(built)
    ask(built, after="leave-out")
    send_one_before = Judgment.objects.count()
    assert withdraw(built).is_left_out
    assert Judgment.objects.count() == send_one_before
    assert standing_of(built.people["ana"], built.collection).withdrew_at


def test_managers_see_who_agreed_to_what_and_annotators_do_not(client: Client) -> None:
    built = build_work()
    ask(built)
    agree(built)
    agree(built, "ben")
    withdraw(built, "ben")
    ask(built, "New.")
    rows = {row.name: row for row in consent_rows(built.collection)}
    assert {name: row.version for name, row in rows.items()} == {
        built.annotators["ana"].name: 1,
        f"Person {built.people['ben'].pk}": 1,
        built.annotators["cai"].name: None,
    }
    client.force_login(built.people["manager"])
    page = client.get(reverse("consent_detail", args=["tea"])).text
    assert "not to version 2" in page
    assert ">\nNew.</textarea>" in client.get(reverse("consent_edit", args=["tea"])).text, (
        "what is saved again is what stands there"
    )
    assert built.people["ben"].email not in page
    client.force_login(built.people["ana"])
    own = client.get(reverse("consent_give", args=["tea"])).text
    assert built.people["cai"].email not in own


def test_counts_are_of_people_whose_labels_count() -> None:
    built = build_work()
    ask(built)
    for person in ("ana", "ben"):
        agree(built, person)
        send_one(built, person, given(assignment_of(built, person), 1))
    agree(built, "cai")
    withdraw(built, "ben")
    found = count_consents(built.collection, [built.campaign.pk])
    assert found.users == {built.people["ana"].pk, built.people["ben"].pk}
    assert (found.agreed, found.withdrew, found.without_account) == ({1: 2}, 1, 0)
    Assignment.objects.filter(annotator=built.annotators["cai"], item=built.items[0]).update(
        state="done", finished_at=AT, slot=None, repeat=Asked.CHECK
    )
    assert built.people["cai"].pk not in count_consents(built.collection, [built.campaign.pk]).users, "no judgment"


def test_what_is_left_out_of_an_open_queue_is_offered_to_others() -> None:
    built = build_work(strategy=Strategy.QUEUE, overlap=1)
    ask(built, after="leave-out")
    agree(built)
    agree(built, "ben")
    ((first,), *_) = send(built, "ana", have=[]).units
    send_one(built, "ana", given(first, 1))
    withdraw(built)
    free = Assignment.objects.filter(state=AssignmentState.OPEN).values_list("item", flat=True)
    assert sorted(free) == [item.pk for item in built.items]
    dealt = [assignment for unit in send(built, "ben", have=[]).units for assignment in unit]
    assert Assignment.objects.filter(pk__in=dealt, item=built.items[0]).exists()


def test_who_left_the_collection_withdraws_from_their_profile_and_so_does_anybody_from_an_archive(
    client: Client,
) -> None:
    built = build_work()
    ask(built)
    for person in ("ana", "ben"):
        agree(built, person)
    built.collection.memberships.filter(user=built.people["ana"]).delete()
    Annotator.objects.filter(user=built.people["ana"]).update(state="removed")
    built.collection.archived_at = AT
    built.collection.save()
    button = reverse("consent_withdraw", args=["tea"])
    for person in ("ana", "ben"):
        client.force_login(built.people[person])
        profile = reverse("account_profile")
        assert button in client.get(profile).text
        page = client.post(button, follow=True).text
        assert "You have withdrawn, and judge here no longer" in page
        assert button not in client.get(profile).text
        assert Annotator.objects.get(user=built.people[person]).name == f"Person {built.people[person].pk}"
    stranger = build_work(slug="coffee", people=("eve",)).people["eve"]
    client.force_login(stranger)
    assert client.post(button).status_code == 404
    assert client.delete(reverse("api_consent", args=["tea"])).status_code == 404
    client.force_login(built.people["cai"])
    assert client.delete(reverse("api_consent", args=["tea"])).json()["is_left_out"] is False


def test_training_after_a_withdrawal_counts_the_first_answer_from_then_on() -> None:
    campaign = make_practice(make_material(), "training", items=1)
    ana = annotator(campaign, "ana")
    person = ana.user
    set_consent_text(
        collection=campaign.collection, text=TEXT, after_withdrawal="leave-out", asks_background=False, by=None, at=AT
    )
    for value in (0, 2):
        give_consent(collection=campaign.collection, version=1, by=person, at=AT)
        give_practice(campaign.pk)
        assignment = ana.assignments.get()
        last = assignment.submissions.order_by("-pk").first()
        answers = {"answers": {"relevance": value}, "base": last.uuid if last else None}
        given_now = AnswerInput(uuid=uuid4(), assignment=assignment.pk, **answers)
        done = submit(collection="teas", campaign=campaign.slug, inputs=[given_now], by=person, at=AT)  # type: ignore[arg-type]
        assert isinstance(done.results[0], Receipt)
        [result] = [one for one in gold_results(campaign).people if one.annotator == ana]
        assert (result.share.hits, result.share.n) == (value // 2, 1)
        if value == 0:
            withdraw_consent(collection=campaign.collection, by=person, at=AT)
            add_members(campaign=campaign, users=[person], by=None, at=AT)  # type: ignore[list-item]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("after", ["keep", "leave-out"])
def test_withdrawal_does_not_wait_for_a_count_that_runs(after: str) -> None:
    built = build_work()
    ask(built, after=after)
    agree(built)
    send_one(built, "ana", given(assignment_of(built, "ana"), 2))
    ana = Annotator.objects.get(user=built.people["ana"])

    def while_it_counts() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '10s'")  # the pool gives the session to later tests
            withdraw(built)

    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=built.campaign.pk)  # as a count of votes
        assert in_another_connection(while_it_counts) is None
        ana.refresh_from_db()
        assert (ana.state, ana.identity) == ("removed", "withdrew their consent")
        assert Judgment.objects.filter(assignment__annotator=ana).exists(), "labels wait for the count"
    VoteJob("votes").start_due(AT)
    ana.refresh_from_db()
    assert ana.name == f"Person {built.people['ana'].pk}"
    assert Judgment.objects.filter(assignment__annotator=ana).exists() == (after == "keep")


def test_names_in_events_are_replaced_as_whole_texts_and_in_couples() -> None:
    built = build_work()
    name, other = 'Ana "Ü" \\ O|'.rstrip("|"), "Ben"
    data = {"annotators": [name, other], "pairs": {f"{name}|{other}": 3, f"{other}|{name}": 1}, "text": f"{name} said"}
    record_event(by=None, at=AT, verb="assign", target=built.campaign, scope=built.collection, **data)
    record_event(by=None, at=AT, verb="assign", target=built.campaign, scope=None, **data)
    rename_in_events([built.collection.pk], {name, "Nobody"}, "Person 1")
    here, elsewhere = AuditEvent.objects.filter(verb="assign").order_by("pk").values_list("data", flat=True)
    assert here == renamed(data, {name}, "Person 1")
    assert here["pairs"] == {"Person 1|Ben": 3, "Ben|Person 1": 1}
    assert (here["text"], elsewhere) == (data["text"], data)
