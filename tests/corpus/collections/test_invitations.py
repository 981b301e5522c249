"""Invitations: by e-mail into a role, by a signed link that is good once and for a while."""

import re
from datetime import timedelta
from functools import partial

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, Invitation, User
from accounts.refusals import Conflict, NotAllowed, Refused
from corpus.collections.invitation_links import invitation_number, link_for, proves_address, token_for
from corpus.collections.invitations import (
    VALID_FOR,
    BadInvitation,
    accept_as_new_user,
    accept_invitation,
    create_invitation,
    find_invitation,
    mail_invitation,
    resend_invitation,
    revoke_invitation,
)
from corpus.models import InvitedRole, Membership, Role
from tests.corpus.collections.inviting import EMAIL, address_of, invite
from tests.databases import at_once
from tests.factories.accounts import AT, PASSWORD, CollectionFactory, MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db


# --- inviting --------------------------------------------------------------------------------------------------------


def test_inviting_is_audited_and_runs_out(manager: Membership) -> None:
    invited = create_invitation(by=manager.user, at=AT, membership=manager, email="New@Example.org", role=Role.VIEWER)
    assert (invited.invitation.email, invited.role) == (EMAIL, Role.VIEWER)
    assert invited.invitation.expires_at == AT + VALID_FOR
    event = AuditEvent.objects.get()
    assert (event.verb, event.scope, event.target) == ("create_invitation", "tea", EMAIL)


@pytest.mark.parametrize("role", [Role.ADJUDICATOR, Role.ANNOTATOR, Role.VIEWER])
def test_only_managers_invite(manager: Membership, invited: InvitedRole, role: Role) -> None:
    member = MembershipFactory(collection=manager.collection, role=role)
    for act in (
        lambda: invite(member, "other@example.org"),
        lambda: resend_invitation(by=member.user, at=AT, membership=member, invited=invited),
        lambda: revoke_invitation(by=member.user, at=AT, membership=member, invited=invited),
    ):
        with pytest.raises(NotAllowed):
            act()
    assert Invitation.objects.count() == 1


def test_nobody_is_invited_twice_or_as_a_member(manager: Membership, invited: InvitedRole) -> None:
    with pytest.raises(Conflict, match="has been invited already"):
        invite(manager, "NEW@example.org")
    member = MembershipFactory(collection=manager.collection)
    with pytest.raises(Conflict, match="is in this collection already"):
        invite(manager, member.user.email)


def test_after_revoking_one_can_invite_again(manager: Membership, invited: InvitedRole) -> None:
    revoke_invitation(by=manager.user, at=AT, membership=manager, invited=invited)
    assert invite(manager).pk != invited.pk
    with pytest.raises(Conflict, match="revoked already"):
        resend_invitation(by=manager.user, at=AT, membership=manager, invited=invited)


def test_the_mail_says_who_what_and_where(invited: InvitedRole) -> None:
    assert mail_invitation(invited) is True
    (message,) = mail.outbox
    assert message.to == [EMAIL]
    assert message.subject == "Litmus: you are invited to Tea"
    assert "Mara invites you to the collection “Tea” as adjudicator" in message.body
    assert link_for(invited.invitation, mailed=True) in message.body


def test_a_title_with_a_line_break_makes_no_header(manager: Membership) -> None:
    manager.collection.title = "Tea\nBcc: everybody@example.org"
    manager.collection.save()
    mail_invitation(invite(manager))
    assert mail.outbox[0].subject == "Litmus: you are invited to Tea Bcc: everybody@example.org"


# --- the link --------------------------------------------------------------------------------------------------------


def test_links_cannot_be_guessed_or_forged(invited: InvitedRole) -> None:
    shown, token = token_for(invited.invitation), token_for(invited.invitation, mailed=True)
    assert [invitation_number(each) for each in (shown, token)] == [invited.invitation.pk] * 2
    assert [proves_address(each) for each in (shown, token, "", "1.x")] == [False, True, False, False]
    number, signature = token.split(".")
    for forged in (number, f"{int(number) + 1}.{signature}", token[:-1], f"{token}x", "", "…", "." * 30):
        assert invitation_number(forged) is None
        with pytest.raises(BadInvitation, match="incomplete"):
            find_invitation(token=forged, at=timezone.now())


def test_a_link_runs_out_and_can_be_made_good_again(manager: Membership, invited: InvitedRole) -> None:
    token, late = token_for(invited.invitation), timezone.now() + VALID_FOR + timedelta(seconds=1)
    with pytest.raises(BadInvitation, match=r"was valid until .* Ask Mara for a new one"):
        find_invitation(token=token, at=late)
    resend_invitation(by=manager.user, at=late, membership=manager, invited=invited)
    assert find_invitation(token=token, at=late).pk == invited.pk


def test_a_revoked_link_says_so(manager: Membership, invited: InvitedRole) -> None:
    revoke_invitation(by=manager.user, at=AT, membership=manager, invited=invited)
    with pytest.raises(BadInvitation, match="revoked"):
        find_invitation(token=token_for(invited.invitation), at=timezone.now())


# --- accepting -------------------------------------------------------------------------------------------------------


def test_accepting_once(invited: InvitedRole) -> None:
    user, token = UserFactory(email=EMAIL), token_for(invited.invitation)
    accepted = accept_invitation(by=user, at=AT, token=token)
    assert accepted.joined
    assert (accepted.membership.user, accepted.membership.role) == (user, Role.ADJUDICATOR)
    with pytest.raises(BadInvitation, match="already been accepted"):
        accept_invitation(by=user, at=AT, token=token)


def test_somebody_elses_invitation(invited: InvitedRole) -> None:
    with pytest.raises(Refused, match=f"is for {EMAIL}"):
        accept_invitation(by=UserFactory(), at=AT, token=token_for(invited.invitation))
    assert Membership.objects.count() == 1


def test_accepting_as_a_member_changes_no_role(manager: Membership, invited: InvitedRole) -> None:
    user = UserFactory(email=EMAIL)
    MembershipFactory(collection=manager.collection, user=user, role=Role.VIEWER)
    accepted = accept_invitation(by=user, at=AT, token=token_for(invited.invitation))
    assert not accepted.joined
    assert Membership.objects.get(user=user).role == Role.VIEWER


def test_a_new_account_has_the_invited_address(invited: InvitedRole) -> None:
    accepted = accept_as_new_user(
        at=AT, token=token_for(invited.invitation, mailed=True), name="Neo", password=PASSWORD
    )
    user = User.objects.get(email=EMAIL)
    assert accepted.membership.user == user
    assert user.check_password(PASSWORD)
    verbs = AuditEvent.objects.order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["create_invitation", "create_user", "accept_invitation"]


def test_an_address_with_an_account_gets_no_second(invited: InvitedRole) -> None:
    UserFactory(email=EMAIL)
    with pytest.raises(Conflict, match="has an account already"):
        accept_as_new_user(at=AT, token=token_for(invited.invitation, mailed=True), name="Neo", password=PASSWORD)
    invited.invitation.refresh_from_db()
    assert invited.invitation.accepted_at is None


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_once_make_one_account(invited: InvitedRole) -> None:
    accept = partial(accept_as_new_user, at=AT, token=token_for(invited.invitation, mailed=True), password=PASSWORD)
    said = at_once(partial(accept, name="One"), partial(accept, name="Two"))
    [refusal] = [each for each in said if isinstance(each, Refused)]
    assert "already been accepted" in refusal.reason
    assert User.objects.filter(email=EMAIL).count() == 1
    assert Membership.objects.filter(user__email=EMAIL).count() == 1


# --- pages -----------------------------------------------------------------------------------------------------------


def test_inviting_on_the_page(client: Client, manager: Membership) -> None:
    client.force_login(manager.user)
    answer = client.post(reverse("invitation_create", args=["tea"]), {"email": EMAIL, "role": "viewer"}, follow=True)
    assert f"The invitation was sent to {EMAIL}" in answer.text
    assert link_for(Invitation.objects.get()) in answer.text
    assert len(mail.outbox) == 1
    again = client.post(reverse("invitation_create", args=["tea"]), {"email": EMAIL, "role": "viewer"})
    assert again.status_code == 422
    assert "has been invited already" in again.text


def test_a_mail_server_that_is_away_loses_nothing(
    client: Client, manager: Membership, settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 2
    client.force_login(manager.user)
    answer = client.post(reverse("invitation_create", args=["tea"]), {"email": EMAIL, "role": "viewer"}, follow=True)
    assert "could not be sent" in answer.text
    assert link_for(Invitation.objects.get()) in answer.text
    assert "could not be mailed" in caplog.text


def test_without_a_mail_server_the_link_is_to_be_copied_and_managers_see_it(
    client: Client, manager: Membership, settings
) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"
    client.force_login(manager.user)
    answer = client.post(reverse("invitation_create", args=["tea"]), {"email": EMAIL, "role": "viewer"}, follow=True)
    assert f"{EMAIL} is invited. The mail was not sent: no mail server is set up." in answer.text
    assert link_for(Invitation.objects.get()) in answer.text
    assert "on its way" not in answer.text
    assert "Send" not in answer.text
    banner = "No mail server is set up: invitations"
    assert banner not in answer.text, "the page of people says it where people are invited"
    overview = reverse("collection_dashboard", args=["tea"])
    assert banner in client.get(overview).text
    viewer = MembershipFactory(collection=manager.collection, role=Role.VIEWER)
    client.force_login(viewer.user)
    assert banner not in client.get(overview).text


def test_the_warning_of_no_mail_server_stays_closed(client: Client, manager: Membership, settings) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"
    overview, banner = reverse("collection_dashboard", args=["tea"]), "No mail server is set up: invitations"
    client.force_login(manager.user)
    assert banner in client.get(overview).text
    answer = client.post(reverse("mail_warning_close"), {"next": overview}, follow=True)
    assert answer.redirect_chain == [(overview, 302)]
    assert banner not in answer.text
    client.logout()
    client.force_login(manager.user)
    assert banner not in client.get(overview).text, "also after signing in again"
    other = MembershipFactory(collection=manager.collection, role=Role.MANAGER)
    client.force_login(other.user)
    assert banner in client.get(overview).text, "others have not closed it"


def test_sending_again_and_revoking_on_the_page(client: Client, manager: Membership, invited: InvitedRole) -> None:
    client.force_login(manager.user)
    client.post(reverse("invitation_resend", args=["tea", invited.pk]))
    assert len(mail.outbox) == 1
    answer = client.post(reverse("invitation_revoke", args=["tea", invited.pk]), follow=True)
    assert "its link no longer works" in answer.text
    assert address_of(invited, mailed=False) not in answer.text
    again = client.post(reverse("invitation_revoke", args=["tea", invited.pk]))
    assert again.status_code == 409


def test_invitations_of_another_collection_do_not_exist_here(client: Client, invited: InvitedRole) -> None:
    other = MembershipFactory(role=Role.MANAGER, collection=CollectionFactory(slug="mate"))
    client.force_login(other.user)
    for name in ("invitation_resend", "invitation_revoke"):
        assert client.post(reverse(name, args=["mate", invited.pk])).status_code == 404


def test_a_stranger_makes_an_account_and_is_in(client: Client, invited: InvitedRole) -> None:
    page = client.get(address_of(invited))
    assert "Mara" in page.text
    assert EMAIL in page.text
    assert "see all labels and decide" in page.text
    data = {"name": "Neo", "password": PASSWORD, "repeated": PASSWORD}
    answer = client.post(address_of(invited), data)
    assert answer["Location"] == "/c/tea/"
    assert client.get(reverse("member_list", args=["tea"])).status_code == 200
    again = Client().get(address_of(invited))
    assert again.status_code == 410
    assert "already been accepted" in again.text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"name": "Neo", "password": "short", "repeated": "short"}, "too short"),
        ({"name": "Neo", "password": PASSWORD, "repeated": "other"}, "Type the same one twice"),
        ({"name": "", "password": PASSWORD, "repeated": PASSWORD}, "This field is required"),
        ({"name": "Neo", "password": "newexample.org", "repeated": "newexample.org"}, "too similar"),
    ],
)
def test_a_poor_account_form(client: Client, invited: InvitedRole, data: dict[str, str], words: str) -> None:
    answer = client.post(address_of(invited), data)
    assert answer.status_code == 422
    assert words in answer.text
    assert not User.objects.filter(email=EMAIL).exists()


def test_somebody_with_an_account_signs_in_and_joins(client: Client, invited: InvitedRole) -> None:
    UserFactory(email=EMAIL)
    page = client.get(address_of(invited)).text
    assert "has an account already" in page
    assert 'type="password"' not in page
    sign_in = re.search(r'href="(/accounts/login/\?next=[^"]+)"', page)
    assert sign_in is not None
    answer = client.post(sign_in[1], {"login": EMAIL, "password": PASSWORD, "next": address_of(invited)})
    assert answer["Location"] == address_of(invited)
    assert not Membership.objects.filter(user__email=EMAIL).exists()  # looking is not joining
    assert "Join as" in client.get(address_of(invited)).text
    assert client.post(address_of(invited))["Location"] == "/c/tea/"
    assert Membership.objects.get(user__email=EMAIL).role == Role.ADJUDICATOR


def test_the_wrong_account_sees_what_to_do(client: Client, invited: InvitedRole) -> None:
    client.force_login(UserFactory(email="other@example.org"))
    for answer in (client.get(address_of(invited)), client.post(address_of(invited))):
        assert answer.status_code == 409
        assert EMAIL in answer.text
        assert "other@example.org" in answer.text
    assert Membership.objects.count() == 1


@pytest.mark.usefixtures("somebody")
@pytest.mark.parametrize("token", ["x", "1.forged"])
def test_a_broken_link_has_a_page(client: Client, token: str) -> None:
    answer = client.get(reverse("invitation_accept", args=[token]))
    assert answer.status_code == 410
    assert "This link is incomplete" in answer.text


def test_a_forged_host_does_not_get_into_the_link(client: Client, manager: Membership, settings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    client.force_login(manager.user)
    client.post(
        reverse("invitation_create", args=["tea"]),
        {"email": EMAIL, "role": "viewer"},
        headers={"Host": "evil.example"},
    )
    assert "evil.example" not in mail.outbox[0].body
    assert f"{settings.SITE_URL}/invitations/" in mail.outbox[0].body
