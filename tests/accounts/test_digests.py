"""The daily mail: what it reports, to whom, once a day, and what can be switched off."""

import re
from copy import deepcopy
from datetime import datetime, timedelta

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import digests
from accounts.digests import Notice, send_due
from accounts.models import Digest, JobState, User
from accounts.tasks import send_digests
from adjudication.verdicts.extra_judges import recall_item, send_back_item
from annotation.gold.known import set_known_answer
from annotation.models import Annotator, Assignment, Campaign, Inquiry
from corpus.models import Membership, Role
from tests.adjudication.verdicts.test_verdicts import verdict_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.accounts import UserFactory
from tests.factories.adjudication import AT, Built, build_campaign
from tests.factories.corpus import ImportRunFactory
from tests.factories.inquiries import answer, ask
from tests.factories.webhooks import WebhookFactory
from tests.literals import Literals, german_is_marked
from tests.stubs.smtp import SmtpStub

pytestmark = pytest.mark.django_db

NOON = timezone.make_aware(datetime(2026, 11, 23, 12))  # noqa: DTZ001 - the zone of the settings
TOMORROW = NOON + timedelta(days=1)


@pytest.fixture(scope="module")
def shared(module_db: None) -> Built:
    found = build_campaign([[0, 1, 0], [0, 1, None]], overlap=2)
    Campaign.objects.update(deadline=(NOON + timedelta(days=3)).date())
    vote(found)
    return found


@pytest.fixture
def built(db: None, shared: Built, settings) -> Built:
    """A copy for each test, which may change it."""
    settings.SITE_URL = "https://litmus.example.org"
    return deepcopy(shared)


def person(built: Built, name: str) -> User:
    return built.people[name]


def send_back(built: Built, at: datetime) -> None:
    send_back_item(verdict=verdict_of(built, 1), by=person(built, "adjudicator"), at=at)


def mail_to(user: User) -> str:
    """The text of the only mail that went to the person."""
    (found,) = [each for each in mail.outbox if each.to == [user.email]]
    return str(found.body)


def reported(user: User, at: datetime = NOON) -> set[Notice]:
    return {line.notice for line in digests.lines_for(user, at - timedelta(days=1), at)}


# --- what is reported ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_judge_reads_of_work_a_deadline_and_an_added_item_but_not_why(built: Built) -> None:
    send_back(built, NOON - timedelta(hours=1))
    send_due(NOON)
    text = mail_to(person(built, "cai"))
    page = "https://litmus.example.org" + reverse(built.campaign.kind_object.screen, args=["tea", "main"])
    assert f"To do\n\n- Main round (Collection tea): 1 item to judge\n  {page}\n" in text
    assert "Judge until 26 Nov 2026 (3 days left), 1 item left" in text
    assert "Added to your work\n\n- Main round (Collection tea): 1 item was added" in text
    assert "https://litmus.example.org" + reverse("account_profile") in text
    others = [str(user) for user in built.people.values() if user != person(built, "cai")]
    for hidden in (*others, "doc0", "It brews tea", "sent back", "adjudicat", "disagree", "decide"):
        assert hidden not in text


def test_nothing_is_reported_in_words_that_are_not_translated(built: Built) -> None:
    User.objects.update(preferences={"language": "de"})
    with german_is_marked():
        send_due(NOON)
        send_back(built, TOMORROW - timedelta(hours=1))
        send_due(TOMORROW)
    known = {"Main round", "Collection tea", *User.objects.values_list("name", flat=True)}
    assert len(mail.outbox) > 1
    for each in mail.outbox:
        assert not Literals(re.sub(r"https?://\S+", "", f"{each.subject}\n{each.body}"), known).found


@pytest.mark.slow
def test_an_adjudicator_reads_of_items_to_decide(built: Built) -> None:
    send_due(NOON)
    assert "Main round (Collection tea): 1 to decide" in mail_to(person(built, "adjudicator"))


@pytest.mark.slow
def test_own_jobs_that_ended_are_reported_once_and_not_to_those_who_may_no_longer_see_them(built: Built) -> None:
    manager, hour = person(built, "manager"), timedelta(hours=1)
    fields = {"collection": built.collection, "requested_by": manager, "requested_at": NOON - 2 * hour}
    ImportRunFactory(**fields, state=JobState.DONE, finished_at=NOON - hour)
    ImportRunFactory(**fields, state=JobState.FAILED, finished_at=NOON - hour)
    ImportRunFactory(**fields, state=JobState.CANCELLED, finished_at=NOON - hour)
    ImportRunFactory(**fields, state=JobState.DONE, finished_at=NOON - 30 * hour)  # before the first mail's day
    send_due(NOON)
    text = mail_to(manager)
    assert (text.count("(done)"), text.count("(failed)"), text.count("cancelled")) == (1, 1, 0)
    mail.outbox.clear()
    send_due(TOMORROW)
    assert "Import" not in mail_to(manager)  # what waits is reported again, what happened is not
    assert Notice.JOB in reported(manager)
    Membership.objects.filter(user=manager).delete()
    assert Notice.JOB not in reported(manager)


@pytest.mark.parametrize("days", [-1, 4])
def test_a_deadline_is_reported_while_it_is_near(built: Built, days: int) -> None:
    send_back(built, NOON)
    assert Notice.DEADLINE in reported(person(built, "cai"))
    Campaign.objects.update(deadline=(NOON + timedelta(days=days)).date())
    assert reported(person(built, "cai")) == {Notice.WORK, Notice.ADDED}


def test_an_item_that_was_taken_back_is_not_reported(built: Built) -> None:
    send_back(built, NOON)
    recall_item(verdict=verdict_of(built, 1), by=person(built, "adjudicator"), at=NOON)
    assert reported(person(built, "cai")) == set()


@pytest.mark.slow
@pytest.mark.parametrize("change", ["paused", "removed", "closed", "no member"])
def test_nothing_of_a_campaign_that_the_person_cannot_judge_in(built: Built, change: str) -> None:
    send_back(built, NOON)
    cai = person(built, "cai")
    if change == "closed":
        Campaign.objects.update(state="closed")
    elif change == "no member":
        Membership.objects.filter(user=cai).delete()
    else:
        Annotator.objects.filter(user=cai).update(state=change)
    assert reported(cai) == set()


@pytest.mark.slow
def test_names_stay_on_one_line_and_long_lists_are_cut(built: Built) -> None:
    manager = person(built, "manager")
    Campaign.objects.update(name="Main\nTo do\nround")
    for _ in range(12):
        ImportRunFactory(
            collection=built.collection, requested_by=manager, requested_at=NOON, state="done", finished_at=NOON
        )
    send_due(NOON)
    text = mail_to(manager)
    assert "- Main To do round (Collection tea): 1 to decide" in text
    assert (text.count("(done)"), text.count("- and more: https://litmus.example.org/\n")) == (10, 1)


# --- to whom, and how often ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_nobody_is_mailed_without_something_to_report_or_an_account_in_use(built: Built) -> None:
    UserFactory()
    User.objects.filter(pk=person(built, "adjudicator").pk).update(is_active=False)
    send_due(NOON)
    assert [each.to for each in mail.outbox] == [[person(built, "manager").email]]


def test_nothing_is_sent_before_the_hour_or_without_a_mail_server(client: Client, built: Built, settings) -> None:
    assert send_due(NOON - timedelta(hours=6)) == 0  # 6 o'clock
    client.force_login(person(built, "cai"))
    without = "Nothing is sent now: no mail server is set up."
    assert without not in client.get(reverse("account_profile")).text
    settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"
    assert without in client.get(reverse("account_profile")).text
    assert send_due(NOON) == 0
    assert not Digest.objects.exists()
    assert mail.outbox == []


def test_beat_asks_for_it_each_minute(settings) -> None:
    User.objects.update(is_active=False)
    assert settings.CELERY_BEAT_SCHEDULE["send daily mails"] == {"task": send_digests.name, "schedule": 60.0}
    assert send_digests() == 0


@pytest.mark.slow
def test_one_mail_a_person_and_day(built: Built) -> None:
    first = send_due(NOON)
    assert first == len(mail.outbox) > 0
    assert send_due(NOON + timedelta(hours=3)) == 0
    assert send_due(TOMORROW) == first


@pytest.mark.slow
def test_a_mail_lost_in_a_crash_is_not_sent_again_but_what_it_reported_is(built: Built) -> None:
    cai = person(built, "cai")
    send_back(built, NOON - timedelta(hours=1))
    assert digests._claim(cai, NOON)  # and here the worker dies
    send_due(NOON)
    assert [each for each in mail.outbox if each.to == [cai.email]] == []
    send_due(TOMORROW)
    assert "1 item was added" in mail_to(cai)


def test_mails_wait_while_the_mail_server_is_away(built: Built, settings, caplog: pytest.LogCaptureFixture) -> None:
    used = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 2
    assert send_due(NOON) == 0
    assert "the mail server cannot be reached" in caplog.text
    assert not Digest.objects.exists()
    settings.EMAIL_BACKEND = used
    assert send_due(NOON) > 0


@pytest.mark.slow
def test_a_mail_that_the_server_refuses_does_not_keep_others_from_theirs(
    built: Built, settings, caplog: pytest.LogCaptureFixture
) -> None:
    cai = person(built, "cai")
    send_back(built, NOON - timedelta(hours=1))
    people = {user.email for user in built.people.values() if reported(user)}
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = "django.core.mail.backends.smtp.EmailBackend", "127.0.0.1"
    with SmtpStub(refuse={cai.email}) as server:
        settings.EMAIL_PORT = server.port
        assert send_due(NOON) == len(people) - 1
        assert send_due(NOON) == 0  # not again today
        assert {to for to, _ in server.mails} == people - {cai.email}
    assert f"The daily mail to person {cai.pk} could not be sent" in caplog.text
    with SmtpStub(refuse=set()) as server:
        settings.EMAIL_PORT = server.port
        send_due(TOMORROW)
    assert "1 item was added" in dict(server.mails)[cai.email]


@pytest.mark.slow
def test_no_more_a_minute_than_the_mail_rate(built: Built, settings) -> None:
    settings.MAIL_RATE = 1
    people = {user.email for user in built.people.values() if reported(user)}
    assert len(people) > 1
    for _ in people:
        assert send_due(NOON) == 1
    assert {each.to[0] for each in mail.outbox} == people
    assert send_due(NOON) == 0


# --- switching off ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def fail_somebody(manager: User) -> None:
    """In another collection that the person manages somebody has failed a qualification."""
    other = build_campaign([[0, 2]], people=("dan", "eli"), slug="coffee")
    Membership.objects.create(collection=other.collection, user=manager, role=Role.MANAGER, created_at=AT)
    where = {"topic": "1", "aspect": "It brews tea.", "docno": "doc00000"}
    set_known_answer(campaign=other.campaign, **where, value=2, by=None, at=AT)
    Campaign.objects.filter(pk=other.campaign.pk).update(purpose="qualification", pass_mark=80)
    Assignment.objects.filter(item__campaign=other.campaign).update(finished_at=NOON)


def test_each_notice_can_be_switched_off_on_the_profile_page(client: Client, built: Built) -> None:
    cai = person(built, "cai")
    Membership.objects.filter(user=cai).update(role=Role.MANAGER)
    send_back(built, NOON)
    ImportRunFactory(collection=built.collection, requested_by=cai, requested_at=AT, state="done", finished_at=NOON)
    ask(built, "ana")
    answer(built, ask(built, "cai"))
    Inquiry.objects.filter(answered_at=None).update(asked_at=NOON)
    Inquiry.objects.exclude(answered_at=None).update(answered_at=NOON)
    fail_somebody(cai)
    WebhookFactory(collection=built.collection, off_at=NOON, off_reason="No message has arrived for 5 days.")
    assert reported(cai) == set(Notice)
    client.force_login(cai)
    page = reverse("account_profile")
    assert client.get(page).text.count("checked") >= len(Notice)
    for notice in Notice:
        rest = [each.value for each in Notice if each != notice]
        client.post(page, {"name": "Cai", "language": "en", "theme": "system", "notices": rest})
        cai.refresh_from_db()
        assert reported(cai) == set(Notice) - {notice}
    client.post(page, {"name": "Cai", "language": "en", "theme": "system"})
    send_due(NOON)
    assert cai.email not in {each.to[0] for each in mail.outbox}


def test_a_digest_takes_few_queries(built: Built, django_assert_max_num_queries) -> None:
    send_back(built, NOON)
    with django_assert_max_num_queries(30):
        digests.lines_for(person(built, "cai"), NOON - timedelta(days=1), NOON)
