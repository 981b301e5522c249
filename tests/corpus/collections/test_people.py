"""Members: roles, removal, and that there is always a manager."""

from functools import partial

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from accounts.slots import groups_for
from corpus.collections.people import add_member, change_role, remove_member
from corpus.models import Membership, Role
from tests.databases import at_once
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory, UserFactory, one_member_each

pytestmark = pytest.mark.django_db


@pytest.fixture
def members() -> dict[Role, Membership]:
    return one_member_each(CollectionFactory(slug="tea", title="Tea"))


def role_of(membership: Membership) -> str:
    return Membership.objects.get(pk=membership.pk).role


def test_adding(members: dict[Role, Membership]) -> None:
    manager, user = members[Role.MANAGER], UserFactory()
    add_member(by=manager.user, at=AT, collection=manager.collection, user=user, role=Role.VIEWER, membership=manager)
    assert Membership.objects.get(user=user).role == Role.VIEWER
    event = AuditEvent.objects.get()
    assert (event.verb, event.target, event.data) == ("add_member", str(user), {"role": "viewer"})
    with pytest.raises(Conflict):
        add_member(by=None, at=AT, collection=manager.collection, user=user, role=Role.VIEWER, membership=None)


@pytest.mark.parametrize("role", [Role.ADJUDICATOR, Role.ANNOTATOR, Role.VIEWER])
def test_only_managers_add_change_and_remove(members: dict[Role, Membership], role: Role) -> None:
    actor, target = members[role], MembershipFactory(collection=members[role].collection)
    with pytest.raises(NotAllowed):
        add_member(
            by=actor.user,
            at=AT,
            collection=actor.collection,
            user=UserFactory(),
            role=Role.VIEWER,
            membership=actor,
        )
    with pytest.raises(NotAllowed):
        change_role(by=actor.user, at=AT, membership=actor, target=target, role=Role.MANAGER)
    with pytest.raises(NotAllowed):
        change_role(by=actor.user, at=AT, membership=actor, target=actor, role=Role.MANAGER)
    with pytest.raises(NotAllowed):
        remove_member(by=actor.user, at=AT, membership=actor, target=target)
    assert role_of(target) == Role.ANNOTATOR
    assert not AuditEvent.objects.exists()


def test_changing_a_role(members: dict[Role, Membership]) -> None:
    manager, target = members[Role.MANAGER], members[Role.VIEWER]
    change_role(by=manager.user, at=AT, membership=manager, target=target, role=Role.ADJUDICATOR)
    change_role(by=manager.user, at=AT, membership=manager, target=target, role=Role.ADJUDICATOR)
    assert role_of(target) == Role.ADJUDICATOR
    event = AuditEvent.objects.get()
    assert (event.verb, event.data) == ("change_role", {"before": "viewer", "after": "adjudicator"})


def test_the_last_manager_stays(members: dict[Role, Membership]) -> None:
    manager = members[Role.MANAGER]
    with pytest.raises(Refused, match="Make someone else a manager first"):
        change_role(by=manager.user, at=AT, membership=manager, target=manager, role=Role.VIEWER)
    with pytest.raises(Refused, match="Make someone else a manager first"):
        remove_member(by=manager.user, at=AT, membership=manager, target=manager)
    second = MembershipFactory(collection=manager.collection, role=Role.MANAGER)
    remove_member(by=second.user, at=AT, membership=second, target=manager)
    assert not Membership.objects.filter(pk=manager.pk).exists()


def test_everybody_may_leave(members: dict[Role, Membership]) -> None:
    viewer = members[Role.VIEWER]
    remove_member(by=viewer.user, at=AT, membership=viewer, target=viewer)
    assert not Membership.objects.filter(pk=viewer.pk).exists()
    assert AuditEvent.objects.get().verb == "remove_member"


def test_a_member_who_is_gone_meanwhile(members: dict[Role, Membership]) -> None:
    manager, target = members[Role.MANAGER], members[Role.VIEWER]
    Membership.objects.filter(pk=target.pk).delete()
    with pytest.raises(Conflict, match="no longer in the collection"):
        change_role(by=manager.user, at=AT, membership=manager, target=target, role=Role.MANAGER)


@pytest.mark.django_db(transaction=True)
def test_two_last_managers_cannot_leave_at_once() -> None:
    collection = CollectionFactory()
    managers = [MembershipFactory(collection=collection, role=Role.MANAGER) for _ in range(2)]
    leaving = (partial(remove_member, by=one.user, at=AT, membership=one, target=one) for one in managers)
    assert sorted(isinstance(each, Refused) for each in at_once(*leaving)) == [False, True]
    assert Membership.objects.filter(collection=collection, role=Role.MANAGER).count() == 1


def test_the_page_for_a_manager(client: Client, members: dict[Role, Membership]) -> None:
    client.force_login(members[Role.MANAGER].user)
    text = client.get(reverse("member_list", args=["tea"])).text
    assert "4 people<" in text
    for member in members.values():
        assert member.user.email in text
    assert text.count('aria-disabled="true"') == text.count("is the only manager") == 1  # the reason, once
    assert text.count(reverse("member_update", args=["tea", members[Role.VIEWER].pk])) == 1


def test_the_page_for_those_who_may_only_look(client: Client, members: dict[Role, Membership]) -> None:
    client.force_login(members[Role.VIEWER].user)
    text = client.get(reverse("member_list", args=["tea"])).text
    assert "Invite people" not in text
    assert "/role/" not in text
    assert text.count("/removal/") == 1  # they may leave


def test_queries_do_not_grow_with_the_people(
    client: Client, members: dict[Role, Membership], django_assert_max_num_queries
) -> None:
    MembershipFactory.create_batch(12, collection=members[Role.MANAGER].collection)
    client.force_login(members[Role.MANAGER].user)
    with django_assert_max_num_queries(8):  # session, user, membership, three counts, members, invitations
        client.get(reverse("member_list", args=["tea"]))


def test_changing_on_the_page(client: Client, members: dict[Role, Membership]) -> None:
    client.force_login(members[Role.MANAGER].user)
    address = reverse("member_update", args=["tea", members[Role.VIEWER].pk])
    assert "Viewer is now adjudicator." in client.post(address, {"role": "adjudicator"}, follow=True).text
    assert role_of(members[Role.VIEWER]) == "adjudicator"
    assert "Choose one of the roles." in client.post(address, {"role": "king"}, follow=True).text
    own = reverse("member_update", args=["tea", members[Role.MANAGER].pk])
    assert "only manager" in client.post(own, {"role": "viewer"}, follow=True).text
    assert role_of(members[Role.MANAGER]) == "manager"


def test_leaving_on_the_page(client: Client, members: dict[Role, Membership]) -> None:
    client.force_login(members[Role.VIEWER].user)
    answer = client.post(reverse("member_remove", args=["tea", members[Role.VIEWER].pk]))
    assert answer["Location"] == "/"
    assert client.get(reverse("member_list", args=["tea"])).status_code == 404


def test_a_manager_who_becomes_annotator_goes_home(client: Client, members: dict[Role, Membership]) -> None:
    MembershipFactory(collection=members[Role.MANAGER].collection, role=Role.MANAGER)
    client.force_login(members[Role.MANAGER].user)
    answer = client.post(reverse("member_update", args=["tea", members[Role.MANAGER].pk]), {"role": "annotator"})
    assert answer["Location"] == "/"


def test_members_of_another_collection_do_not_exist_here(client: Client, members: dict[Role, Membership]) -> None:
    stranger = MembershipFactory()
    client.force_login(members[Role.MANAGER].user)
    for name in ("member_update", "member_remove"):
        assert client.post(reverse(name, args=["tea", stranger.pk]), {"role": "viewer"}).status_code == 404
    assert role_of(stranger) == Role.ANNOTATOR


OVERSEEN = {
    "Material": ["documents", "statistics", "papers", "topics", "runs", "pools"],
    "Questions": ["mentions", "generation", "questions", "sub-queries"],
    "Campaigns": ["campaigns", "anno-gpt"],
    "Results": ["evaluation", "splits", "set", "contexts", "exports", "releases"],
    "Settings": ["people"],
}
MANAGED = OVERSEEN | {
    "Material": [*OVERSEEN["Material"], "imports"],
    "Questions": [*OVERSEEN["Questions"][:3], "authors", *OVERSEEN["Questions"][3:]],
    "Settings": ["people", "consent", "settings", "webhooks", "audit"],
}
GROUPS = {
    Role.ANNOTATOR: {
        "Material": ["documents", "statistics", "topics"],
        "Campaigns": ["campaigns"],
    },
    Role.VIEWER: OVERSEEN,
    Role.ADJUDICATOR: OVERSEEN,
    Role.MANAGER: MANAGED,
}


@pytest.mark.parametrize("role", Role)
def test_each_role_has_its_groups_of_tabs(role: Role) -> None:
    assert {group.label: [tab.key for tab in group.tabs] for group in groups_for("collection", role)} == GROUPS[role]


def test_the_menus_show_where_one_is(client: Client, members: dict[Role, Membership]) -> None:
    """An annotator's group of campaigns has one page, so it is a link; a page below a tab names it on the way."""
    client.force_login(members[Role.MANAGER].user)
    page = client.get("/c/tea/topics/new/").content.decode()
    assert '<summary aria-current="true">Material</summary>' in page
    assert page.count('aria-current="true"') == 2  # the group and, because the page is below it, the tab
    assert '<a href="/c/tea/topics/" lang="en">Topics</a>' in page[: page.index("</ol>")]
    assert 'aria-current="page">Topics' in client.get("/c/tea/topics/").content.decode()
    client.force_login(members[Role.ANNOTATOR].user)
    assert '<a href="/c/tea/campaigns/" aria-current="true">Campaigns</a>' in client.get("/c/tea/campaigns/").text


def test_several_people_get_a_role_or_go_but_never_oneself(client: Client, members: dict[Role, Membership]) -> None:
    client.force_login(members[Role.MANAGER].user)
    address = reverse("member_list", args=["tea"])
    text = client.post(address, {"step": "viewer", "all": "1"}, follow=True).text
    assert "People who are now viewer: 3." in text
    assert "Change your own role and membership in your own row." in text
    assert role_of(members[Role.MANAGER]) == "manager"
    assert role_of(members[Role.ANNOTATOR]) == "viewer"
    client.post(f"{address}?role=viewer", {"step": "remove", "all": "1"})
    assert list(Membership.objects.filter(collection__slug="tea")) == [members[Role.MANAGER]]


def test_people_are_found_sorted_and_downloaded(client: Client, members: dict[Role, Membership]) -> None:
    client.force_login(members[Role.VIEWER].user)
    address = reverse("member_list", args=["tea"])
    lines = client.get(address, {"as": "csv"}).getvalue().decode().splitlines()
    assert lines[0] == "person,email,role,since"
    assert [line.split(",")[2] for line in lines[1:]] == ["manager", "adjudicator", "annotator", "viewer"]
    lines = client.get(address, {"as": "csv", "sort": "-role", "role": ""}).getvalue().decode().splitlines()
    assert [line.split(",")[2] for line in lines[1:]] == ["viewer", "annotator", "adjudicator", "manager"]
    assert "Nobody matches" in client.get(address, {"q": "zzz"}).text
