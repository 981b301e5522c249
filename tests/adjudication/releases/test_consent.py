"""What a release says of consent and background, and what withdrawal does to it and to those before it."""

from typing import Any

import pytest
from django.utils import timezone

from accounts.refusals import Refused
from adjudication.models import Release
from annotation.consent.consents import give_consent, set_consent_text, withdraw_consent
from tests.adjudication.releases.releasing import files_of, folder_of, freeze, text
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built

pytestmark = pytest.mark.django_db


def ask(built: Built, **more: Any) -> None:
    asked = {"text": "We store it.\n\nAsk us.", "after_withdrawal": "leave-out", "asks_background": True} | more
    set_consent_text(collection=built.collection, by=None, at=timezone.now(), **asked)


def agree(built: Built, person: str, **said: Any) -> None:
    give_consent(collection=built.collection, version=1, by=built.people[person], at=timezone.now(), **said)


def section(release: Release, heading: str) -> str:
    return text(release, "REVIEWERS.md").split(f"## {heading}\n\n")[1].split("\n\n## ")[0]


def test_the_appendix_has_the_text_and_how_many_agreed(built: Built) -> None:
    assert section(freeze(built), "D3 Consent").startswith("Not stated")
    ask(built)
    agree(built, "zebulon", field="Chemistry")
    agree(built, "yolanda")
    release = freeze(built, "v2")
    said = section(release, "D3 Consent")
    assert said.startswith("2 of 3 people with an account whose judgments count agreed in Litmus.")
    assert "Version 1, agreed to by 2. If somebody withdraws, their labels are left out from then on." in said
    assert "> We store it.\n>\n> Ask us." in said
    assert "We store it." in text(release, "DATASHEET.md")
    assert "no answer is reported, as none can be in a group of 5" in section(release, "D5 Background of annotators")
    assert "Chemistry" not in "".join(map(str, files_of(folder_of(release, anonymous=False)).values()))


def test_withdrawn_labels_are_left_out_of_later_releases_and_frozen_ones_stay(built: Built) -> None:
    ask(built)
    agree(built, "zebulon")
    first = freeze(built)
    before = files_of(folder_of(first, anonymous=False))
    withdraw_consent(collection=built.collection, by=built.people["zebulon"], at=timezone.now())
    assert files_of(folder_of(first, anonymous=False)) == before
    with pytest.raises(Refused):
        freeze(built, "v2")
    vote(built)
    second = freeze(built, "v2", force="The votes are of two people now.")
    files = files_of(folder_of(second, anonymous=False))
    labels = next(name for name in before if "judgments" in name and name.endswith(".jsonl"))
    assert len(before[labels].splitlines()) - len(files[labels].splitlines()) == 6
    said = section(second, "D3 Consent")
    assert said.startswith("0 of 2 people with an account whose judgments count agreed in Litmus.")
