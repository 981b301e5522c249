"""Somebody who comes in through an identity provider and an account that is there: when both are one person."""

import re
from time import time
from urllib.parse import urlencode

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.sign_on.adapter import CONNECTED_WITHIN, CONNECTING
from accounts.sign_on.providers import GroupRole
from corpus.collections.invitation_links import token_for
from corpus.collections.invitations import create_invitation
from corpus.models import Membership, Role
from tests.accounts.sign_on.arriving import arrive, change, who
from tests.factories.accounts import PASSWORD, MembershipFactory, UserFactory, make_token

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("somebody")]


def test_the_subject_is_the_person_whatever_its_address_becomes(client, provider, settings):
    change(settings, provider, anyone=True)
    arrive(client, provider, "ada")
    first = who(client)
    client.logout()
    arrive(client, provider, "ada", email="ada@elsewhere.example", email_verified=False)
    assert who(client) == first
    assert first.email == "ada@example.org"
    client.logout()
    assert arrive(client, provider, "other", email="ada@example.org", email_verified=False).status_code == 422


def test_an_account_is_joined_by_a_believed_address_and_its_password_opens_nothing_any_longer(client, provider):
    ada = UserFactory(email="ada@example.org")
    _, token = make_token(ada)
    before = Client()
    before.force_login(ada)
    assert arrive(client, provider, "ada").status_code == 302
    assert who(client) == ada
    ada.refresh_from_db()
    assert not ada.has_usable_password()
    assert before.get(reverse("account_profile")).status_code == 302
    headers = {"Authorization": f"Bearer {token}"}
    assert Client().get(reverse("api_collections"), headers=headers).status_code == 401


def test_who_made_an_account_in_the_name_of_another_is_locked_out_when_that_person_comes(client, provider):
    ada = UserFactory(email="ada@example.org")
    SocialAccount.objects.create(user=ada, provider="university", uid="eve")
    Authenticator.objects.create(user=ada, type=Authenticator.Type.TOTP, data={"secret": "of-eve"})
    EmailAddress.objects.create(user=ada, email="eve@evil.example")  # the link to confirm it may be followed later
    arrive(client, provider, "ada")
    assert who(client) == ada
    assert [each.uid for each in ada.socialaccount_set.all()] == ["ada"]
    assert not EmailAddress.objects.filter(email="eve@evil.example").exists()
    assert not Authenticator.objects.exists()


@pytest.mark.parametrize("similar", ["\u212aay@example.org", "kay@\u212aent.example"])
def test_an_address_with_letters_that_look_like_others_leads_to_no_account(client, provider, similar):
    """The Kelvin sign, whose small letter is a k."""
    UserFactory(email=similar.lower())
    assert arrive(client, provider, "eve", email=similar).status_code == 422
    assert who(client) is None


def test_who_is_switched_off_comes_in_no_more_and_gets_no_role(client, provider, settings):
    MembershipFactory(role=Role.MANAGER, collection__slug="trec")
    change(settings, provider, groups_claim="groups", roles=[GroupRole("leads", "trec", "manager")])
    ada = UserFactory(email="ada@example.org", is_active=False)
    assert arrive(client, provider, "ada", groups=["leads"])["Location"] == reverse("account_inactive")
    SocialAccount.objects.create(user=ada, provider="university", uid="ada")
    arrive(client, provider, "ada", groups=["leads"])
    assert who(client) is None
    assert not ada.memberships.exists()


def test_staff_keep_the_password_that_the_operator_gave_them(client, provider):
    ada = UserFactory(email="ada@example.org", is_staff=True)
    arrive(client, provider, "ada")
    ada.refresh_from_db()
    assert ada.has_usable_password()


def test_an_address_that_was_given_to_somebody_else_leads_to_nobodys_account(client, provider, settings):
    change(settings, provider, anyone=True)
    arrive(client, provider, "ada")
    ada = who(client)
    client.logout()
    answer = arrive(client, provider, "successor", email=ada.email)
    assert answer.status_code == 422
    assert "is connected with somebody else at University" in answer.text
    assert who(client) is None
    assert [each.uid for each in ada.socialaccount_set.all()] == ["ada"]


@pytest.mark.parametrize("facts", [{"trust_email": False}, {}])
def test_an_address_that_is_not_believed_joins_no_account(client, provider, settings, facts):
    ada = UserFactory(email="ada@example.org")
    answer = arrive(client, change(settings, provider, **facts), "ada", email_verified=bool(facts))
    assert answer.status_code == 422
    assert "Sign in with its password, then connect University on your profile page." in answer.text
    assert who(client) is None
    assert not ada.socialaccount_set.exists()


def test_it_is_connected_after_signing_in_and_the_password_stays(client, provider, settings):
    change(settings, provider, trust_email=False)
    ada = UserFactory(email="ada@example.org")
    client.post(reverse("account_login"), {"login": ada.email, "password": PASSWORD})
    page = client.post(reverse("sign_on_connect", args=["university"])).text
    onward = re.search(r'href="(/accounts/oidc/university/login/[^"]+)"', page)[1]
    assert arrive(client, provider, "lovelace", onward)["Location"] == reverse("account_reauthenticate")
    connected = client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert connected["Location"] == reverse("socialaccount_connections")
    assert "Connect with University" not in client.get(reverse("socialaccount_connections")).text
    client.logout()
    arrive(client, provider, "lovelace")
    assert who(client) == ada
    assert AuditEvent.objects.filter(verb="connect_sign_on", actor=ada.email).count() == 1
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    client.post(reverse("socialaccount_connections"), {"account": ada.socialaccount_set.get().pk})
    assert not ada.socialaccount_set.exists()
    assert AuditEvent.objects.filter(verb="disconnect_sign_on", actor=ada.email).count() == 1


def test_a_page_of_a_stranger_connects_nothing(client, provider):
    """Their link starts to connect without the person having asked for it, at a provider where they are signed in."""
    ada = UserFactory()
    client.force_login(ada)
    forged = f"{reverse('openid_connect_login', args=['university'])}?{urlencode({'process': 'connect'})}"
    assert arrive(client, provider, "eve", forged).status_code == 403
    session = client.session
    session[CONNECTING] = ["university", time() - CONNECTED_WITHIN - 1]  # begun by the person, and given up there
    session.save()
    assert arrive(client, provider, "eve", forged).status_code == 403
    assert not ada.socialaccount_set.exists()


def test_an_invited_person_comes_in_by_the_link_and_joins(client, provider):
    manager = MembershipFactory(role=Role.MANAGER)
    invited = create_invitation(
        by=manager.user, at=timezone.now(), membership=manager, email="ada@example.org", role=Role.ANNOTATOR
    )
    link = reverse("invitation_accept", args=[token_for(invited.invitation)])
    page = client.get(link).text
    onward = re.search(r'href="(/accounts/oidc/university/login/[^"]+)"', page)[1]
    assert arrive(client, provider, "ada", onward)["Location"] == link
    assert "Join" in client.get(link).text
    client.post(link)
    assert Membership.objects.get(user=who(client)).role == Role.ANNOTATOR
