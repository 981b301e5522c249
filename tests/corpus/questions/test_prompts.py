"""Prompt templates in versions, and the endpoint that the settings name."""

import hashlib
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from accounts.models import AuditEvent
from accounts.refusals import NotAllowed, Refused
from config.env import BadEnvironment, Environment
from corpus.models import PromptPurpose, PromptTemplate, Role
from corpus.questions.prompts import LONGEST_BODY, write_prompt
from tests.factories.accounts import AT, MembershipFactory


@pytest.fixture
def manager(db):
    return MembershipFactory(role=Role.MANAGER)


def write(manager, body="Judge it.", name="plain", purpose=PromptPurpose.RELEVANCE):
    return write_prompt(by=manager.user, at=AT, collection=manager.collection, purpose=purpose, name=name, body=body)


def test_every_change_is_a_version_and_no_change_is_none(manager):
    first = write(manager)
    assert (first.version, first.sha256) == (1, hashlib.sha256(b"Judge it.").hexdigest())
    assert write(manager, " Judge it.\r\n") == first
    second = write(manager, "Judge it\r\nwell.")
    assert (second.version, second.body) == (2, "Judge it\nwell.")
    assert write(manager).version == 3  # back again is a change too
    assert write(manager, name="other").version == 1
    assert write(manager, purpose=PromptPurpose.QUESTIONS).version == 1
    assert AuditEvent.objects.filter(verb="write_prompt", scope_id=manager.collection.pk).count() == 5
    first.refresh_from_db()
    assert first.body == "Judge it."


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [(" ", "x", "name"), ("n" * 101, "x", "name"), ("n", " \n", "characters"), ("n", "\0", "NUL"),
     ("n", "x" * (LONGEST_BODY + 1), "50,001")],
)  # fmt: skip
def test_what_cannot_be_stored_is_refused(manager, name, body, words):
    with pytest.raises(Refused, match=words):
        write(manager, body, name)
    assert not PromptTemplate.objects.exists()


def test_only_managers_write(manager):
    other = MembershipFactory(collection=manager.collection, role=Role.ADJUDICATOR)
    with pytest.raises(NotAllowed):
        write_prompt(
            by=other.user, at=AT, collection=manager.collection, purpose=PromptPurpose.QUESTIONS, name="n", body="b"
        )


def test_the_database_holds_one_of_each_version(manager):
    first = write(manager)
    with pytest.raises(IntegrityError), transaction.atomic():
        PromptTemplate.objects.create(
            collection=manager.collection,
            purpose=first.purpose,
            name=first.name,
            version=1,
            body="x",
            sha256="0" * 64,
            created_at=AT,
        )


def test_prices_are_numbers():
    assert Environment({"P": "0.15"}).decimal("P") == Decimal("0.15")
    assert Environment({}).decimal("P") is None
    for bad in ("-1", "1e3", "free", "0.1234567", "NaN"):
        with pytest.raises(BadEnvironment, match="P="):
            Environment({"P": bad}).decimal("P")
