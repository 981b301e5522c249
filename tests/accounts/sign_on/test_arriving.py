"""Who comes in through an identity provider, and who does not: a real one, asked over HTTP."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.base.provider import ProviderException
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.urls import reverse

from accounts.models import AuditEvent, User
from accounts.sign_on.claims import read_claims
from accounts.sign_on.providers import GroupRole
from corpus.models import Membership, Role
from tests.accounts.sign_on.arriving import arrive, change, who
from tests.factories.accounts import PASSWORD, MembershipFactory, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("somebody")]


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
