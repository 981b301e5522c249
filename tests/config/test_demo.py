"""The demo is removed with one button or command: all that it made, and only that."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from annotation.gold.results import gold_results
from config.demo.people import EVERYBODY, MANAGER
from corpus.collections.collections import create_collection, rename_collection
from corpus.models import Collection, CollectionAddress, CollectionRemoval, Membership, Role
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def loaded(module_db: None) -> None:
    call_command("load_demo", verbosity=0)


@pytest.fixture
def demo(loaded: None, db: None) -> Collection:
    return Collection.objects.get(slug="demo")


def test_known_answers_have_results(demo: Collection) -> None:
    for slug, least in (("trial-round", 20), ("main-round", 4)):
        results = gold_results(demo.campaigns.get(slug=slug))
        assert [one.share.n >= least for one in results.people if one.annotator.kind == "human"] == [True] * 3
        assert any(0 < one.share.hits < one.share.n for one in results.people)


def test_by_the_button_of_staff(demo: Collection, client: Client) -> None:
    staff = UserFactory(is_staff=True)
    mine = MembershipFactory(user=staff, role=Role.MANAGER, collection=CollectionFactory(slug="tea"))
    elsewhere = User.objects.get(email="ada@litmus.example")
    MembershipFactory(user=elsewhere, collection=mine.collection, role=Role.ANNOTATOR)
    client.force_login(User.objects.get(email=MANAGER.email))
    client.post(reverse("demo_remove"))
    assert Collection.objects.filter(pk=demo.pk).exists()  # its manager is not staff
    client.force_login(staff)
    assert "Remove the demo" in client.get(reverse("state")).text
    answer = client.post(reverse("demo_remove"), follow=True)
    assert "Demo removed: its collection with" in answer.text
    assert "ada@litmus.example also worked in other collections" in answer.text
    assert "The demo is loaded" not in answer.text
    left = User.objects.filter(email__in=[person.email for person in EVERYBODY])
    assert [(each.email, each.is_active, each.has_usable_password()) for each in left] == [
        ("ada@litmus.example", False, False)
    ]
    assert list(Collection.objects.values_list("slug", flat=True)) == ["tea"]
    assert Membership.objects.count() == 2
    events = AuditEvent.objects.filter(actor=staff.email).values_list("verb", flat=True)
    assert set(events) == {"remove_demo", "delete_collection", "remove_demo_account"}
    assert AuditEvent.objects.filter(scope="demo", verb="create_campaign").exists()  # the log stays
    again = client.post(reverse("demo_remove"), follow=True)
    assert "nothing to remove" in again.text


def test_by_the_command_also_when_it_was_renamed(demo: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    rename_collection(by=None, at=AT, collection=demo, slug="tried")
    call_command("remove_demo", as_json=True)
    result = json.loads(capsys.readouterr().out)
    assert (len(result["people"]), result["kept"], result["rows"] > 1000) == (6, [], True)
    assert not User.objects.exists()
    assert not CollectionAddress.objects.exists()
    assert CollectionRemoval.objects.get().state == "done"
    # The name is free again: for the demo, or for a collection of one's own, which is not it.
    create_collection(by=None, at=AT, slug="demo", title="Demonstrations", manager=UserFactory())
    with pytest.raises(CommandError, match="nothing to remove"):
        call_command("remove_demo")
