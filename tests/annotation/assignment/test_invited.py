"""People who are invited can be chosen as annotators: what is assigned to them is theirs once they join."""

import json
import re

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, Invitation
from accounts.refusals import Refused
from annotation.assignment.annotators import add_invited, add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Annotator, Assignment, Campaign
from corpus.collections.invitation_links import token_for
from corpus.collections.invitations import VALID_FOR, accept_as_new_user, create_invitation, revoke_invitation
from corpus.models import InvitedRole, Membership, Role
from tests.factories.accounts import AT, PASSWORD
from tests.factories.annotation import Material, make_campaign, make_material

pytestmark = pytest.mark.django_db
EMAIL = "eva@example.org"


@pytest.fixture
def made() -> Material:
    return make_material(topics=1, aspects=1, documents=4, annotators=("ana",))


def invite(made: Material, email: str = EMAIL, role: Role = Role.ANNOTATOR) -> InvitedRole:
    membership = Membership.objects.select_related("collection", "user").get(user=made.manager)
    return create_invitation(by=made.manager, at=AT, membership=membership, email=email, role=role)


def join(invited: InvitedRole) -> Membership:
    token = token_for(invited.invitation)
    return accept_as_new_user(at=AT, token=token, name="Eva", password=PASSWORD).membership


@pytest.fixture
def no_mail(settings) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"


@pytest.mark.usefixtures("no_mail")
def test_they_get_their_share_of_a_plan_when_they_join(made: Material) -> None:
    campaign, invited = make_campaign(made, strategy="planned", overlap=2), invite(made)
    add_invited(campaign=campaign, invited=[invited], by=made.manager, at=AT)
    assert not add_invited(campaign=campaign, invited=[invited], by=made.manager, at=AT)
    summary = assign_items(campaign=campaign, by=made.manager, at=AT)
    assert summary.annotators == {"Ana": 4, EMAIL: 4}
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    membership = join(invited)
    annotator = campaign.annotators.get(user=membership.user)
    assert (annotator.name, annotator.invited, annotator.assignments.filter(state="pending").count()) == (
        "Eva",
        None,
        4,
    )
    assert AuditEvent.objects.filter(verb="join_campaign", actor=EMAIL).exists()
    client = Client()
    client.force_login(membership.user)
    assert client.get(reverse("labelling_screen", args=[made.collection.slug, campaign.slug])).status_code == 200


@pytest.mark.usefixtures("no_mail")
def test_a_revoked_invitation_gives_its_items_back(made: Material) -> None:
    campaign, invited = make_campaign(made, strategy="planned", overlap=2), invite(made)
    add_invited(campaign=campaign, invited=[invited], by=made.manager, at=AT)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    membership = Membership.objects.select_related("collection").get(user=made.manager)
    revoke_invitation(by=made.manager, at=AT, membership=membership, invited=invited)
    assert list(campaign.annotators.values_list("name", flat=True)) == ["Ana"]
    assert Assignment.objects.count() == 4
    with pytest.raises(Refused, match="no longer open"):
        add_invited(campaign=campaign, invited=[invited], by=made.manager, at=AT)


@pytest.mark.usefixtures("no_mail")
def test_who_judges_there_already_keeps_the_one_place(made: Material) -> None:
    """A member under another role, or added meanwhile: nobody is in a campaign twice."""
    campaign, invited = make_campaign(made, strategy="queue"), invite(made)
    add_invited(campaign=campaign, invited=[invited], by=made.manager, at=AT)
    second = make_campaign(made, name="Second", strategy="queue")
    add_invited(campaign=second, invited=[invited], by=made.manager, at=AT)
    membership = join(invited)
    assert Annotator.objects.filter(user=membership.user).count() == 2
    add_members(campaign=second, users=[membership.user], by=made.manager, at=AT)
    assert second.annotators.count() == 2


def test_viewers_cannot_be_chosen(made: Material) -> None:
    campaign, invited = make_campaign(made), invite(made, role=Role.VIEWER)
    with pytest.raises(Refused, match="viewer"):
        add_invited(campaign=campaign, invited=[invited], by=made.manager, at=AT)


def test_by_page_rest_and_command(made: Material, client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    invited = [invite(made, f"{name}@example.org") for name in ("eva", "fay", "gus")]
    campaign = make_campaign(made, strategy="queue")
    client.force_login(made.manager)
    page = reverse("annotator_list", args=[made.collection.slug, campaign.slug])
    assert "Invited people" in client.get(page).text
    add = reverse("annotator_create", args=[made.collection.slug, campaign.slug])
    assert "Choose at least one person." in client.post(add, {}).text
    shown = client.post(add, {"invited": [invited[0].pk]}, follow=True).text
    assert "Added eva@example.org." in shown
    assert '<span class="badge info">invited</span>' in shown
    address = reverse("api_annotators", args=[made.collection.slug, campaign.slug])
    added = client.post(address, {"emails": ["FAY@example.org"]}, content_type="application/json")
    assert [each["name"] for each in added.json()] == ["fay@example.org"]
    call_command("add_annotators", made.collection.slug, campaign.slug, "gus@example.org", as_json=True)
    assert json.loads(capsys.readouterr().out)["annotators"] == ["gus@example.org"]
    assert campaign.annotators.filter(invited__isnull=False).count() == 3


def test_a_new_campaign_is_made_with_them(made: Material, client: Client) -> None:
    invited = invite(made)
    client.force_login(made.manager)
    page = reverse("campaign_create", args=[made.collection.slug])
    assert EMAIL in client.get(page).text
    sent = {"template": "graded", "name": "Round", "invited": [invited.pk], "overlap": 1}
    assert client.post(page, sent).status_code == 302
    assert Campaign.objects.get().annotators.get().invited == invited
    people = client.get(reverse("member_list", args=[made.collection.slug])).text
    assert "Copy all links" not in people
    invite(made, "fay@example.org")
    Invitation.objects.update(expires_at=timezone.now() + VALID_FOR)
    people = client.get(reverse("member_list", args=[made.collection.slug])).text
    assert "Copy all links" in people
    assert re.search(r">eva@example\.org\thttp\S+\nfay@example\.org\thttp\S+<", people)
