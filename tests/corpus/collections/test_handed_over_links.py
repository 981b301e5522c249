"""The link that a manager hands over: it proves no address, and tells nobody whether there is an account."""

import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from accounts.refusals import NotAllowed
from corpus.collections.invitation_links import link_for, token_for
from corpus.collections.invitations import (
    accept_as_new_user,
)
from corpus.models import InvitedRole, Membership, Role
from tests.corpus.collections.inviting import ACCOUNT, EMAIL, address_of, invite
from tests.factories.accounts import AT, PASSWORD, UserFactory

pytestmark = pytest.mark.django_db


def test_who_invites_cannot_become_whom_they_invite(client: Client, invited: InvitedRole) -> None:
    """The link that managers see makes no account; it has the other one mailed to the address, which does."""
    shown = address_of(invited, mailed=False)
    page = client.get(shown).text
    assert f"Send a link to {EMAIL}" in page
    assert 'type="password"' not in page
    answer = client.post(shown, ACCOUNT)
    assert f"Mail sent to <strong>{EMAIL}</strong>" in answer.text
    assert not User.objects.filter(email=EMAIL).exists()
    with pytest.raises(NotAllowed, match="Open the link in the mail"):
        accept_as_new_user(at=AT, token=token_for(invited.invitation), name="Neo", password=PASSWORD)
    (message,) = mail.outbox
    assert (message.to, shown in message.body) == ([EMAIL], False)
    link = re.search(r"/invitations/\S+", message.body)
    assert link is not None
    assert client.post(link[0], ACCOUNT)["Location"] == "/c/tea/"
    assert AuditEvent.objects.get(verb="accept_invitation").data["proof"] == "mail"


def test_the_link_that_managers_see_does_not_tell_whether_there_is_an_account(client: Client, manager) -> None:
    """Page, mail and answer are the same for both."""
    UserFactory(email="known@example.org")
    seen = []
    for email in ("known@example.org", "other@example.org"):
        shown = address_of(invite(manager, email), mailed=False)
        pages = [client.get(shown), client.post(shown)]
        seen.append([(each.status_code, plain(each.text.replace(email, "…"), shown)) for each in pages])
    assert seen[0] == seen[1]
    bodies = [re.sub(r"/invitations/\S+", "", message.body) for message in mail.outbox]
    assert bodies[0] == bodies[1]


def plain(page: str, address: str) -> str:
    """The page without its own address and what differs with each answer."""
    return re.sub(r'(csrfmiddlewaretoken" value=|x-csrftoken": )"[^"]*"', "", page.replace(address, "…"))


def test_mails_that_the_link_asks_for_are_limited(client: Client, invited: InvitedRole) -> None:
    shown = address_of(invited, mailed=False)
    assert [client.post(shown).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert len(mail.outbox) == 3


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "litmus.example.org", "10.1.2.3"])
def test_links_that_open_on_this_computer_alone_are_said_to(
    client: Client, manager: Membership, settings, host: str
) -> None:
    """Once, where the links are, and only to those who hand them over."""
    settings.SITE_URL = f"http://{host}:8000"
    people = reverse("member_list", args=["tea"])
    warning = "open only on the computer where Litmus runs"
    is_local = host not in ("litmus.example.org", "10.1.2.3")
    client.force_login(manager.user)
    assert client.get(people).text.count(warning) == is_local
    link = link_for(invite(manager).invitation)
    page = client.get(people).text
    assert page.count(warning) == is_local
    if is_local:
        assert page.index(warning) < page.index(link)
        assert 'href="/docs/operations/#addresses"' in page
    viewer = UserFactory()
    Membership.objects.create(collection=manager.collection, user=viewer, role=Role.VIEWER, created_at=AT)
    client.force_login(viewer)
    assert warning not in client.get(people).text


def test_a_mail_that_cannot_be_sent_is_said(client: Client, invited: InvitedRole, settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 2
    answer = client.post(address_of(invited, mailed=False))
    assert (answer.status_code, "could not be sent" in answer.text) == (503, True)


def test_somebody_with_an_account_joins_by_the_link_that_was_handed_over(client: Client, invited: InvitedRole) -> None:
    client.force_login(UserFactory(email=EMAIL))
    assert client.post(address_of(invited, mailed=False))["Location"] == "/c/tea/"
    assert AuditEvent.objects.get(verb="accept_invitation").data["proof"] == "account"


def test_without_a_mail_server_the_link_alone_makes_an_account(client: Client, manager: Membership, settings) -> None:
    """Nothing else can be asked for. The page does not say whether there is an account; the audit says how it began."""
    settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"
    UserFactory(email="known@example.org")
    known, new = (address_of(invite(manager, email), mailed=False) for email in ("known@example.org", EMAIL))
    assert plain(client.get(known).text.replace("known@example.org", EMAIL), known) == plain(client.get(new).text, new)
    answer = client.post(known, ACCOUNT)
    assert (answer.status_code, "has an account already. Sign in with it" in answer.text) == (422, True)
    assert client.post(new, ACCOUNT)["Location"] == "/c/tea/"
    assert AuditEvent.objects.get(verb="accept_invitation").data["proof"] == "link"
