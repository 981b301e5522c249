"""A person's data: taken out, and erased."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from annotation.actions.assignments import assign_items
from annotation.actions.campaigns import open_campaign
from annotation.models import Judgment, Submission
from tests.factories.accounts import AT
from tests.factories.annotation import Material, annotator, give_labels, make_campaign, make_material

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Material:
    """Ana has judged two items."""
    made = make_material(topics=2, documents=2)
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    give_labels(annotator(campaign, "ana"), [1, 2])
    return made


def everything() -> str:
    """All rows of all tables as text."""
    with connection.cursor() as cursor:
        return "".join(
            str(cursor.execute(f'SELECT t::text FROM "{table}" t').fetchall())
            for table in connection.introspection.table_names()
            if table.startswith(("accounts", "account_", "corpus", "annotation", "adjudication", "mfa"))
        )


@pytest.mark.parametrize(("labels", "left"), [("keep", 2), ("exclude", 0)])
def test_name_and_address_are_nowhere_afterwards(made: Material, labels: str, left: int) -> None:
    ana = made.people["ana"]
    User.objects.filter(pk=ana.pk).update(name="Anastasia Unmistakable")
    made.collection.campaigns.get().annotators.filter(user=ana).update(name="Anastasia Unmistakable")
    assert ana.email in everything()
    call_command("erase_person", ana.email, "--labels", labels, "--confirm", ana.email)
    assert ana.email not in everything()
    assert "Anastasia" not in everything()
    assert Judgment.objects.count() == left
    assert Submission.objects.filter(kind="answer").count() == 2
    event = AuditEvent.objects.get(verb="erase_person")
    assert (event.target, event.data["labels"]) == (f"Person {ana.pk}", "kept" if labels == "keep" else "excluded")
    assert not User.objects.get(pk=ana.pk).is_active


def test_refusals(made: Material) -> None:
    manager = made.manager.email
    with pytest.raises(CommandError, match="is the only manager of"):
        call_command("erase_person", manager, "--labels", "keep", "--confirm", manager)
    with pytest.raises(CommandError, match="Nothing was erased"):
        call_command("erase_person", manager, "--labels", "keep", "--confirm", "x@example.org")


def test_own_data(made: Material, client: Client) -> None:
    ana = made.people["ana"]
    client.force_login(ana)
    told = json.loads(client.get(reverse("own_data")).content)
    assert [each["answers"] for each in told["answers"]] == [{"relevance": 1}, {"relevance": 2}]
    assert told["account"]["email"] == ana.email
