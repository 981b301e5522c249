"""Mails, data exports, releases, removals: what else knows of questions to managers."""

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from accounts.digests import Notice, lines_for
from adjudication.releases.sources import fingerprints
from annotation.campaigns.items import remove_unjudged_items
from annotation.campaigns.lifecycle import close_campaign, delete_campaign
from annotation.inquiries.inquiries import new_answers
from annotation.models import Annotator, Assignment, Inquiry, Item
from corpus.collections.collections import pseudonym_of
from corpus.collections.persons import data_of
from corpus.models import Role
from tests.factories.accounts import MembershipFactory
from tests.factories.adjudication import AT, Built
from tests.factories.inquiries import ANSWERED, ASKED, CAMPAIGN, SOON, answer, ask, client_of
from tests.factories.labelling import build_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def built() -> Built:
    return build_work()


def reported(built: Built, person: str) -> dict[str, str]:
    found = lines_for(built.people[person], AT, SOON)
    return {line.notice: line.text for line in found if line.notice in (Notice.QUESTION, Notice.ANSWER)}


@pytest.mark.slow
def test_the_daily_mail_counts_questions_and_answers_and_each_can_be_switched_off(built: Built) -> None:
    asked = ask(built)
    assert reported(built, "ana") == {}
    (text,) = reported(built, "manager").values()
    assert "1 question of annotators waits for an answer" in text
    answer(built, asked)
    assert reported(built, "manager") == {}
    (text,) = reported(built, "ana").values()
    assert "1 question of yours was answered" in text
    assert ASKED not in text
    assert reported(built, "ben") == {}
    built.people["ana"].preferences = {"mail_off": ["answer"]}
    built.people["ana"].save()
    assert reported(built, "ana") == {}


def test_the_first_page_leads_to_new_answers(built: Built) -> None:
    answer(built, ask(built))
    assert "1 of your questions about" in client_of(built, "ana").get("/").content.decode()
    client_of(built, "ana").post(reverse("label_answers_seen", args=CAMPAIGN))
    assert new_answers(built.people["ana"]) == []


def test_a_persons_data_hold_what_they_asked_and_answered(built: Built) -> None:
    answer(built, ask(built))
    (asked,) = data_of(built.people["ana"])["questions_to_managers"]
    assert (asked["campaign"], asked["text"], asked["answer"]) == ("main", ASKED, ANSWERED)
    (answered,) = data_of(built.people["manager"])["answers_to_annotators"]
    assert answered["answer"] == ANSWERED


@pytest.mark.slow
@pytest.mark.parametrize("labels", ["keep", "exclude"])
def test_an_erased_person_has_asked_and_answered_under_a_pseudonym(built: Built, labels: str) -> None:
    ana, manager = built.people["ana"], built.people["manager"]
    for person, name in ((ana, "Ana Quince"), (manager, "Mia Medlar")):
        person.name = name
        person.save()
    Annotator.objects.filter(user=ana).update(name="Ana Quince")
    answer(built, ask(built, text=f"Write to {ana.email}: is this on topic?"), text=f"Ask {manager.email}.")
    reader = MembershipFactory(collection=built.collection, role=Role.MANAGER).user
    client = Client()
    client.force_login(reader)
    pages = [
        reverse("inquiry_list", args=CAMPAIGN),
        reverse("inquiry_detail", args=[*CAMPAIGN, Inquiry.objects.get().pk]),
    ]
    pages.append(reverse("api_inquiries", args=CAMPAIGN))
    assert all("Ana Quince" in client.get(page).text for page in pages)
    for person in (ana, manager):
        call_command("erase_person", person.email, "--labels", labels, "--confirm", person.email)
    for page in pages:
        text = client.get(page).text
        assert "is this on topic?" in text
        assert pseudonym_of(ana)[0] in text
        for gone in ("Ana Quince", "Mia Medlar", "ana@", "manager@"):
            assert gone not in text, page
    assert pseudonym_of(manager)[0] in client.get(pages[1]).text
    inquiry = Inquiry.objects.get()
    assert inquiry.text == f"Write to {pseudonym_of(ana)[1]}: is this on topic?"
    assert inquiry.answer == f"Ask {pseudonym_of(manager)[1]}."


def test_releases_do_not_depend_on_questions(built: Built) -> None:
    before = fingerprints(built.collection.pk)
    asked = ask(built)
    answer(built, asked)
    assert fingerprints(built.collection.pk) == before


def test_an_item_that_was_asked_about_stays_in_its_campaign(built: Built) -> None:
    asked = ask(built)
    removed = remove_unjudged_items(campaign=built.campaign, by=None, at=AT)
    assert removed == 3
    assert Inquiry.objects.get() == asked
    Assignment.objects.all().delete()
    close_campaign(campaign=built.campaign, by=None, at=AT)
    delete_campaign(campaign=built.campaign, by=None, at=AT)
    assert not Inquiry.objects.exists()


def test_the_database_holds_item_and_annotator_of_one_campaign(built: Built) -> None:
    asked = ask(built)
    other = make_campaign_item()
    broken = [
        "UPDATE annotation_inquiry SET text = ''",
        "UPDATE annotation_inquiry SET answer = 'Yes.'",
        "UPDATE annotation_inquiry SET seen_at = now()",
        f"UPDATE annotation_inquiry SET item_id = {other.pk}",
        "UPDATE annotation_inquiry SET audience = 'all'",
    ]
    for statement in broken:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            with pytest.raises(IntegrityError), transaction.atomic():
                cursor.execute(statement)
    asked.refresh_from_db()
    assert asked.text == ASKED


def make_campaign_item() -> Item:
    return build_work(slug="coffee").items[0]
