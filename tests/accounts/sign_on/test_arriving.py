"""Who comes in through an identity provider: a real one that runs in a thread, asked over HTTP."""

import dataclasses
import re
from collections.abc import Iterator
from time import time
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.base.provider import ProviderException
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, User
from accounts.sign_on.adapter import CONNECTED_WITHIN, CONNECTING
from accounts.sign_on.claims import read_claims
from accounts.sign_on.providers import GroupRole, Provider
from corpus.collections.invitation_links import token_for
from corpus.collections.invitations import create_invitation
from corpus.models import Membership, Role
from tests.accounts.sign_on.identity_provider import identity_provider
from tests.factories.accounts import PASSWORD, MembershipFactory, UserFactory, make_token

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("somebody")]


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[str]:
    with identity_provider(tmp_path_factory.mktemp("provider") / "log") as address:
        yield address


@pytest.fixture
def provider(server, settings) -> Provider:
    return use(settings, Provider("university", "University", server, "litmus", "a secret", trust_email=True))


def use(settings, provider: Provider) -> Provider:
    settings.SIGN_ON = {provider.key: provider}
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [provider.for_allauth]}}
    return provider


def change(settings, provider: Provider, **facts: Any) -> Provider:
    return use(settings, dataclasses.replace(provider, **facts))


def arrive(client: Client, provider: Provider, subject: str, leaving: str = "", **claims: Any):
    """Sign in at the provider as this subject, with these claims; our answer to what it says."""
    claims = {"email": f"{subject}@example.org", "email_verified": True, "name": "Ada Lovelace"} | claims
    requests.put(f"{provider.address}/users/{subject}", json=claims, timeout=10).raise_for_status()
    leave = client.get(leaving or reverse("openid_connect_login", args=[provider.key]))
    there = requests.post(leave["Location"], data={"sub": subject}, allow_redirects=False, timeout=10)
    return client.get(there.headers["Location"].removeprefix("http://testserver"))


def who(client: Client) -> User | None:
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key) if key else None


def test_a_stranger_is_refused_and_no_account_is_made(client, provider):
    answer = arrive(client, provider, "eve")
    assert answer.status_code == 403
    assert "eve@example.org has no account and no invitation here." in answer.text
    assert "Signing in did not work" in answer.text

    assert "Go to my work" not in answer.text
    assert User.objects.count() == 1


def test_who_comes_without_an_address_learns_the_ways_in(client, provider):
    answer = arrive(client, provider, "orla", email=None)
    assert answer.status_code == 422
    assert "Signing in did not work" in answer.text
    assert "connect University on your profile page" in answer.text
    assert "the manager of your collection can invite you" in answer.text


@pytest.mark.parametrize(
    ("facts", "claims", "is_in"),
    [
        ({"domains": ["EXAMPLE.org"]}, {}, True),
        ({"domains": ["example.com"]}, {}, False),
        ({"domains": ["example.org"]}, {"email": "ada@sub.example.org"}, False),
        ({"domains": ["example.org"]}, {"email_verified": False}, False),
        ({"domains": ["example.org"]}, {"email_verified": "true"}, False),
        ({"anyone": True}, {"email": "ada@anywhere.example"}, True),
        ({"anyone": True}, {"email_verified": False}, False),
        ({"anyone": True, "trust_email": False}, {}, False),
        ({"anyone": True}, {"email": "not an address"}, False),
        ({"anyone": True}, {"email": ""}, False),
    ],
)
def test_an_account_is_made_for_a_believed_address_of_the_domains_or_for_anyone(
    client, provider, settings, facts, claims, is_in
):
    answer = arrive(client, change(settings, provider, **facts), "ada", **claims)
    assert (answer.status_code == 302) is is_in
    assert User.objects.count() == 1 + is_in
    if is_in:
        user = who(client)
        assert (user.name, user.has_usable_password(), user.is_staff) == ("Ada Lovelace", False, False)
        assert not user.memberships.exists()
        verbs = set(AuditEvent.objects.filter(actor=user.email).values_list("verb", flat=True))
        assert verbs == {"connect_sign_on", "sign_in"}


@pytest.mark.parametrize(
    "claims",
    [
        {"name": ["Ada"]},
        {"name": 5},
        {"name": "A\x00da"},
        {"picture": "\x00"},
        {"given_name": ["Ada"], "preferred_username": {"ada": 1}},
        {"family_name": "x" * 500},
    ],
)
def test_claims_of_another_type_count_as_not_said_and_what_is_not_read_is_not_kept(client, provider, settings, claims):
    change(settings, provider, anyone=True)
    assert arrive(client, provider, "ada", **claims).status_code == 302
    kept = SocialAccount.objects.get().extra_data
    assert kept["userinfo"].keys() <= {"sub", "email", "email_verified", "name"}
    assert kept["id_token"].keys() <= {"sub", "email", "email_verified", "name"}


@pytest.mark.parametrize("email", [5, True, {"a": 1}, ["ada@example.org"], "ada\x00@example.org"])
def test_an_address_of_another_type_is_none(client, provider, settings, email):
    change(settings, provider, anyone=True)
    assert arrive(client, provider, "ada", email=email).status_code == 422
    assert User.objects.count() == 1


@pytest.mark.parametrize("subject", ["x" * 200, "a\x00da"])
def test_a_subject_that_cannot_be_stored_is_said_to_be_unusable(client, provider, settings, subject):
    change(settings, provider, anyone=True)
    assert "its answer could not be used" in arrive(client, provider, subject, email="ada@example.org").text


@pytest.mark.parametrize("claims", [{}, {"sub": None}, {"sub": 5}, {"sub": ""}, [], "ada"])
def test_an_answer_that_names_nobody_is_unusable(provider, claims):
    with pytest.raises(ProviderException):
        read_claims(claims, provider.key)


def test_a_token_of_another_person_is_unusable(client, provider, settings, monkeypatch):
    change(settings, provider, anyone=True)
    asked = OpenIDConnectOAuth2Adapter._fetch_user_info
    monkeypatch.setattr(
        OpenIDConnectOAuth2Adapter, "_fetch_user_info", lambda *given: asked(*given) | {"sub": "somebody else"}
    )
    assert "its answer could not be used" in arrive(client, provider, "ada").text
    assert User.objects.count() == 1


def test_an_address_is_verified_by_who_gave_it(client, provider, settings, monkeypatch):
    """Not by the token, which speaks of another address."""
    change(settings, provider, anyone=True)
    asked = OpenIDConnectOAuth2Adapter._decode_id_token
    said = {"email": "eve@example.org", "email_verified": True}
    monkeypatch.setattr(OpenIDConnectOAuth2Adapter, "_decode_id_token", lambda *given: asked(*given) | said)
    assert arrive(client, provider, "eve", email="ada@example.org", email_verified=None).status_code == 403
    assert User.objects.count() == 1


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


def test_roles_follow_the_groups_at_each_sign_in(client, provider, settings):
    collection = MembershipFactory(role=Role.MANAGER, collection__slug="trec").collection
    other = MembershipFactory(role=Role.MANAGER).collection
    roles = [GroupRole("leads", "trec", "manager"), GroupRole("judges", "trec", "annotator")]
    facts = {"anyone": True, "groups_claim": "groups", "roles": roles}
    provider = change(settings, provider, **facts)

    def role_with(*groups: str) -> str | None:
        arrive(client, provider, "ada", groups=list(groups))
        user = who(client)
        client.logout()
        assert not Membership.objects.filter(collection=other, user=user).exists()
        row = Membership.objects.filter(collection=collection, user=user).first()
        return row and row.role

    assert role_with("judges", "others") == "annotator"
    assert role_with("judges", "leads") == "manager"
    assert role_with() is None
    assert role_with("judges") == "annotator"
    verbs = AuditEvent.objects.filter(scope_id=collection.pk).values_list("verb", flat=True)
    assert list(verbs.order_by("pk"))[-4:] == ["add_member", "change_role", "remove_member", "add_member"]


def test_the_only_manager_stays_whatever_the_groups_say(client, provider, settings):
    member = MembershipFactory(role=Role.MANAGER, collection__slug="trec", user__email="ada@example.org")
    roles = [GroupRole("leads", "trec", "manager")]
    arrive(client, change(settings, provider, groups_claim="groups", roles=roles), "ada", groups=[])
    member.refresh_from_db()
    assert member.role == Role.MANAGER


def test_signing_out_goes_on_to_the_provider(client, provider, settings):
    change(settings, provider, anyone=True)
    arrive(client, provider, "ada")
    arrive(client, provider, "ada")  # once more, which begins another session
    page = client.post(reverse("account_logout"))
    address = re.search(r'href="(http://[^"]+end_session[^"]+)"', page.text)[1]
    assert urlsplit(address).netloc == urlsplit(provider.address).netloc
    assert who(client) is None
    assert page["Clear-Site-Data"] == '"cache"'


def test_a_provider_that_is_away_is_said_to_be_and_signs_out_here(client, provider, settings):
    change(settings, provider, anyone=True)
    arrive(client, provider, "ada")
    change(settings, provider, address="http://127.0.0.1:9")
    assert client.post(reverse("account_logout"))["Location"] == reverse("account_login")
    answer = client.get(reverse("openid_connect_login", args=["university"]))
    assert "Signing in did not work" in answer.text


def test_who_declines_there_is_signed_in_nowhere(client, provider):
    leave = client.get(reverse("openid_connect_login", args=["university"]))["Location"]
    state = parse_qs(urlsplit(leave).query)["state"][0]
    answer = client.get(
        reverse("openid_connect_callback", args=["university"]), {"error": "access_denied", "state": state}, follow=True
    )
    assert "Signing in was cancelled" in answer.text
    assert who(client) is None


@pytest.mark.parametrize("forged", [{}, {"state": "made up"}])
def test_an_answer_that_nobody_asked_for_signs_nobody_in(client, provider, settings, forged):
    """A link to our callback with somebody else's code, which would sign its reader in as that person."""
    change(settings, provider, anyone=True)
    answer = client.get(reverse("openid_connect_callback", args=["university"]), {"code": "of-eve"} | forged)
    assert "Signing in did not work" in answer.text
    assert who(client) is None


def test_an_unknown_provider_is_not_found(client, provider):
    assert client.get(reverse("openid_connect_login", args=["nobody"])).status_code == 404
    client.force_login(UserFactory())
    assert client.post(reverse("sign_on_connect", args=["nobody"])).status_code == 404


def test_a_provider_that_was_taken_out_of_the_file_is_forgotten_and_the_last_way_in_stays(client, provider, settings):
    settings.PASSWORDS_ONLY_FOR = "op@example.org"
    arrive(client, change(settings, provider, anyone=True), "ada")
    user, page = who(client), reverse("socialaccount_connections")
    user.set_password(PASSWORD)  # of the time before passwords were switched off
    user.save()
    SocialAccount.objects.create(user=user, provider="before", uid="ada")
    arrive(client, provider, "ada")
    shown = client.get(page).text
    assert shown.count("Disconnect") == 1
    last = user.socialaccount_set.get(provider="university")
    assert "You could not sign in any more" in client.post(page, {"account": last.pk}).text
    assert user.socialaccount_set.count() == 2
    settings.SIGN_ON, settings.SOCIALACCOUNT_PROVIDERS = {}, {"openid_connect": {"APPS": []}}
    assert "This Litmus is not set up for it: you sign in with your e-mail address" in client.get(page).text
    assert client.post(page, {"account": last.pk}).status_code == 200
    assert client.get(reverse("openid_connect_callback", args=["university"])).status_code == 404
    assert client.post(reverse("account_logout"))["Location"] == reverse("account_login")


def test_passwords_may_be_switched_off_but_for_one_account(client, provider, settings):
    settings.PASSWORDS_ONLY_FOR = "op@example.org"
    UserFactory(email="op@example.org", is_staff=True)
    ada = UserFactory(email="ada@example.org")
    refused = "Passwords are switched off here. Sign in through University."
    for address, field in [("account_login", "login"), ("account_reset_password", "email")]:
        answer = client.post(reverse(address), {field: ada.email, "password": PASSWORD})
        assert refused in answer.text
    assert who(client) is None
    client.force_login(ada)
    change_it = {"oldpassword": PASSWORD, "password1": "quite another one", "password2": "quite another one"}
    assert refused in client.post(reverse("account_change_password"), change_it).text
    client.logout()
    client.post(reverse("account_login"), {"login": "OP@example.org", "password": PASSWORD})
    assert who(client).email == "op@example.org"


@pytest.mark.parametrize(
    ("only_for", "words"),
    [("", "Or with a password:"), ("op@example.org", "Only one account of staff has a password here:")],
)
def test_the_page_says_for_whom_its_password_is(client, provider, settings, only_for, words):
    settings.PASSWORDS_ONLY_FOR = only_for
    assert words in client.get(reverse("account_login")).text
