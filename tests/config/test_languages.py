"""The languages of the interface: what is translated is translated whole, and each page is in one language."""

import ast
import importlib.util
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from allauth.core.context import request_context
from django.conf import settings
from django.core import mail
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone, translation

from accounts.actions import vouch_for_address
from accounts.adapter import NOTIFICATIONS, AccountAdapter
from accounts.languages import script_catalogue, translated
from accounts.models import User
from config.languages import TRANSLATED
from corpus.collections.invitation_links import token_for
from corpus.collections.invitations import create_invitation, mail_invitation
from corpus.models import Role
from engines.wordings import Wording
from tests.access_walk import ADDRESSES
from tests.factories.accounts import MembershipFactory, UserFactory
from tests.literals import Literals, german_is_marked, untranslated_sentences
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


@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_no_text_is_said_with_a_number_and_without(domain: str) -> None:
    """The catalogue would hold it once, by number, where Python's gettext before 3.12 does not find it without."""
    said = set[str | tuple[str, ...]]()
    for _, method, keywords, text in update.sources(domain):
        said |= {message for _, message, *_ in update.extract(method, BytesIO(text.encode()), keywords=keywords)}
    assert not {text[0] for text in said if isinstance(text, tuple)} & said


def test_names_of_translated_pages_are_names_of_addresses() -> None:
    assert set(ADDRESSES) >= TRANSLATED


def test_scripts_have_their_words_by_english_ones() -> None:
    assert script_catalogue("en") == {}
    german = script_catalogue("de")
    assert german["Saving…"] == "Speichert …"
    assert german["{count} paper fits so far"] == ["{count} Arbeit passt bisher", "{count} Arbeiten passen bisher"]


def test_what_an_engine_says_is_translated_with_what_it_is_made_of() -> None:
    said = Wording("{where}: more than {most} entries", where=Wording("context {n}", n=1_200), most=10_000)
    with translation.override("de"):
        assert translated(said) == "Kontext 1.200: mehr als 10.000 Einträge"
    assert translated(said) == str(said)


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


# Where refusals to those who have no choice of language are written, with what only managers and staff read there.
REFUSALS = {
    "accounts/*dapter.py accounts/addresses.py accounts/languages.py accounts/middleware.py accounts/passwords.py"
    " accounts/sign_in_forms.py accounts/sign_on/adapter.py accounts/sign_on/arriving.py accounts/sign_on/pages.py"
    " annotation/assignment/participation.py annotation/assignment/open_queue.py annotation/consent/backgrounds.py"
    " annotation/consent/pages.py annotation/inquiries/asking.py annotation/kinds/*/labelling.py"
    " annotation/labelling/[!r]*.py annotation/labelling/re*.py annotation/labelling/pages/*.py"
    " annotation/papers/rules.py annotation/papers/extractions.py annotation/papers/pages/extraction*.py"
    " corpus/collections/pages/persons.py corpus/questions/author_answers.py"
    " corpus/questions/pages/author_answers.py": (),
    "accounts/edge.py": ("AddressMiddleware",),  # programs alone send in chunks
    "annotation/consent/consents.py": ("set_consent_text",),
    "annotation/labelling/rules.py": ("_judge_first", "labels_hidden_in"),
    "annotation/papers/extracting.py": ("_check_doi",),
    "annotation/rubric/pages.py": ("rewrite_ask",),
    "annotation/rubric/rewrites.py": ("ask_for_reviews",),
    "corpus/collections/invitations.py": ("InvitationReport", "create_invitation", "_locked_open"),
    "corpus/collections/pages/invitations.py": ("invitation_list_create", "invitation_revoke", "_mail"),
    "corpus/collections/persons.py": ("request_person_erasure", "_check_can_leave"),
}


@pytest.mark.parametrize("paths", REFUSALS)
def test_refusals_to_those_who_have_no_choice_of_language_go_through_the_translation(paths: str) -> None:
    """Those of the forms and of JSON alike, which are more than a walk over the addresses can cause."""
    for pattern in paths.split():
        files = list(CHECKOUT.glob(pattern))
        assert files, pattern
        for path in files:
            left = list(untranslated_sentences(ast.parse(path.read_text("utf-8")), REFUSALS[paths]))
            assert not left, path.name


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
def test_what_the_palette_finds_is_in_english_and_says_so_on_a_german_page(client: Client) -> None:
    client.force_login(UserFactory(preferences={"language": "de"}))
    part = client.get(reverse("palette"), {"q": "help"}, headers={"HX-Request": "true"}).text
    assert 'lang="en"' in part.strip()[:60]


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


MAILS = (
    "account/email/email_confirmation",
    "account/email/password_changed",
    "account/email/password_reset",
    "account/email/password_reset_key",
    "socialaccount/email/account_connected",
)


@pytest.mark.django_db
@pytest.mark.parametrize("prefix", MAILS)
def test_mails_about_accounts_hold_no_text_that_is_not_translated(prefix: str, rf: RequestFactory) -> None:
    user = UserFactory(preferences={"language": "de"})
    request = rf.get("/")
    context = {"user": user, "timestamp": timezone.now(), "ip": "192.0.2.1", "provider": "Ω", "activate_url": "…"}
    with german_is_marked(), request_context(request):
        AccountAdapter(request).send_mail(prefix, user.email, {**context, "password_reset_url": "…"})
    read = mail.outbox[0].subject + "\n" + mail.outbox[0].body
    assert "⟦" in read
    assert not Literals(read, {str(user), "testserver"}).found


def test_all_mails_about_accounts_are_known_here() -> None:
    """Notifications that we let through have words of ours; those of allauth are not sent."""
    found = {f"{path.parts[-3]}/email/{path.name}" for path in CHECKOUT.glob("templates/*/email/*_subject.txt")}
    assert found == {f"{prefix}_subject.txt" for prefix in MAILS}
    assert set(NOTIFICATIONS) <= set(MAILS)


@pytest.mark.django_db
def test_an_invitation_holds_no_text_that_is_not_translated() -> None:
    manager = MembershipFactory(role=Role.MANAGER)
    invited = create_invitation(
        by=manager.user,
        at=timezone.now(),
        membership=manager,
        email="neu@example.org",
        role=Role.ANNOTATOR,
        mail_language="de",
    )
    with german_is_marked():
        mail_invitation(invited)
    link = re.compile(r"^http\S+$", re.M)
    own = {str(manager.user), manager.collection.title, settings.TIME_ZONE}
    assert not Literals(link.sub("", mail.outbox[0].subject + "\n" + mail.outbox[0].body), own).found
