"""The languages of the interface: what is translated is translated whole, and each page is in one language."""

import importlib.util
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.actions import vouch_for_address
from accounts.languages import script_catalogue
from accounts.models import User
from config.languages import TRANSLATED
from corpus.collections.invitation_links import token_for
from corpus.collections.invitations import create_invitation, mail_invitation
from corpus.models import Role
from tests.access_walk import ADDRESSES
from tests.factories.accounts import MembershipFactory, UserFactory
from tests.processes import CHECKOUT

_spec = importlib.util.spec_from_file_location("languages_update", CHECKOUT / "languages" / "update.py")
assert _spec is not None
assert _spec.loader is not None
update: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(update)

CATALOGUES = sorted((CHECKOUT / "languages").glob("*/LC_MESSAGES/*.po"))
PLACE = re.compile(r"%\(\w+\)s|\{\w+\}|<[^>]+>|^[#(]|…$")


def forms(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return text if isinstance(text, tuple) else (text,)


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_catalogue_has_all_texts_of_the_sources_translated_and_is_compiled(path: Path) -> None:
    stored, wanted = update.catalogue(path), update.template(path.stem)
    key = lambda each: (each.context, each.id)  # noqa: E731
    assert {key(each) for each in stored} == {key(each) for each in wanted} | {(None, "")}, "run: make languages"
    for each in stored:
        assert not each.fuzzy, each.id
        for text in forms(each.string):
            assert text, f"no translation: {each.id}"
            if not isinstance(each.id, tuple) and each.id:
                assert sorted(PLACE.findall(text)) == sorted(PLACE.findall(each.id)), each.id
            elif each.id:
                assert set(PLACE.findall(text)) <= set(PLACE.findall(each.id[1])), each.id
    compiled = BytesIO()
    update.write_mo(compiled, stored)
    assert path.with_suffix(".mo").read_bytes() == compiled.getvalue(), "run: make languages"


def test_names_of_translated_pages_are_names_of_addresses() -> None:
    assert set(ADDRESSES) >= TRANSLATED


def test_scripts_have_their_words_by_english_ones() -> None:
    assert script_catalogue("en") == {}
    german = script_catalogue("de")
    assert german["Saving…"] == "Speichert …"
    assert german["{count} paper fits so far"] == ["{count} Arbeit passt bisher", "{count} Arbeiten passen bisher"]


SENTENCE = re.compile(r'"([A-Z][a-z]+[ .…][^"\n]*)"|`([A-Z][a-z]+[ .…][^`\n]*)`')
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", re.S)


def test_scripts_of_translated_pages_hold_no_sentence_that_is_not_translated() -> None:
    scripts = CHECKOUT / "static" / "js"
    for path in (*scripts.glob("*.js"), *(scripts / "annotation").rglob("*.js")):
        code = path.read_text("utf-8")
        found = update.extract("javascript", BytesIO(code.encode()), keywords=update.SCRIPTS)
        said = {text for _, message, *_ in found for text in forms(message)}
        written = {one or other for one, other in SENTENCE.findall(COMMENT.sub("", code))}
        assert written <= said, path.name


@pytest.mark.django_db
def test_a_page_is_in_the_language_of_the_person_before_that_of_the_browser(client: Client) -> None:
    client.force_login(UserFactory(preferences={"language": "de"}))
    german = client.get(reverse("label_session"), headers={"Accept-Language": "en"})
    assert german["Content-Language"] == "de"
    assert '<html lang="de"' in client.get(reverse("account_profile"), headers={"Accept-Language": "en"}).text
    english = client.get(reverse("collection_list"))
    assert '<html lang="en"' in english.text
    assert english["Content-Language"] == "en"


@pytest.mark.django_db
def test_an_invitation_is_written_and_opens_in_its_language_until_the_guest_chooses_another(client: Client) -> None:
    manager = MembershipFactory(role=Role.MANAGER)
    made = {
        "by": manager.user,
        "at": timezone.now(),
        "membership": manager,
        "role": Role.ANNOTATOR,
        "mail_language": "de",
    }
    invited = create_invitation(email="neu@example.org", **made)
    mail_invitation(invited)
    assert mail.outbox[0].subject.startswith("Litmus: Sie sind eingeladen zu ")
    assert "lädt Sie in die Sammlung" in mail.outbox[0].body
    page = reverse("invitation_accept", args=[token_for(invited.invitation, mailed=True)])
    assert '<html lang="de"' in client.get(page).text
    client.post(reverse("language_update"), {"language": "en"})
    assert '<html lang="en"' in client.get(page).text
    client.post(reverse("language_update"), {"language": "de"})
    client.post(page, {"name": "Neu", "password": "ganz-geheim-17", "repeated": "ganz-geheim-17"})
    assert User.objects.get(email="neu@example.org").preferences["language"] == "de"


@pytest.mark.django_db
def test_a_mail_about_the_account_is_in_the_language_of_its_receiver(client: Client) -> None:
    user = UserFactory(preferences={"language": "de"})
    vouch_for_address(user)
    client.post(reverse("account_reset_password"), {"email": user.email}, headers={"Accept-Language": "en"})
    assert mail.outbox[0].subject == "Litmus: Neues Passwort wählen"
    assert "öffnen Sie diesen Link" in mail.outbox[0].body
