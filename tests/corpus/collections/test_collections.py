"""Making and describing collections, on the page and on the command line."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed
from corpus.collections.collections import create_collection, update_collection
from corpus.models import Collection, Membership, Role
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory, UserFactory, one_member_each

pytestmark = pytest.mark.django_db


def run(command: str, *arguments: str) -> dict:
    out = io.StringIO()
    call_command(command, *arguments, "--json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def test_the_maker_becomes_manager_and_it_is_audited() -> None:
    staff = UserFactory(is_staff=True)
    collection = create_collection(by=staff, at=AT, slug="tea", title="Tea", licence="CC BY 4.0")
    membership = Membership.objects.get()
    assert (membership.user, membership.collection, membership.role) == (staff, collection, Role.MANAGER)
    events = AuditEvent.objects.order_by("pk").values_list("verb", "actor", "scope")
    assert list(events) == [("create_collection", staff.email, "tea"), ("add_member", staff.email, "tea")]


def test_managers_may_make_another_and_others_not() -> None:
    manager = MembershipFactory(role=Role.MANAGER).user
    create_collection(by=manager, at=AT, slug="tea", title="Tea")
    with pytest.raises(NotAllowed, match="Only staff and managers"):
        create_collection(by=MembershipFactory(role=Role.ADJUDICATOR).user, at=AT, slug="mate", title="Mate")
    assert not Collection.objects.filter(slug="mate").exists()


def test_a_short_name_is_taken_once_and_nothing_is_left_behind() -> None:
    CollectionFactory(slug="tea")
    with pytest.raises(Conflict, match="“tea” is or was"):
        create_collection(by=UserFactory(is_staff=True), at=AT, slug="tea", title="Other tea")
    assert not Membership.objects.exists()
    assert not AuditEvent.objects.exists()


def test_updating_records_what_changed_only() -> None:
    members = one_member_each(CollectionFactory(title="Old", licence="CC0"))
    manager = members[Role.MANAGER]
    collection = update_collection(
        by=manager.user, at=AT, collection=manager.collection, title="New", description="", licence="CC0"
    )
    assert collection.title == "New"
    event = AuditEvent.objects.get()
    assert event.data == {"before": {"title": "Old"}, "after": {"title": "New"}}
    update_collection(by=manager.user, at=AT, collection=manager.collection, title="New", description="", licence="CC0")
    assert AuditEvent.objects.count() == 1


def test_a_collection_is_described_by_command() -> None:
    CollectionFactory(slug="tea", title="Tea", description="All about it.")
    call_command("update_collection", "tea", "--licence", "CC BY 4.0", "--language", "he")
    call_command("update_collection", "tea", "--title", "Teas", "--description", "")
    described = Collection.objects.get()
    found = (described.title, described.description, described.licence, described.language)
    assert found == ("Teas", "", "CC BY 4.0", "he")
    with pytest.raises(CommandError, match=r"There is no language “xx”. There are en \(English\), ar"):
        call_command("update_collection", "tea", "--language", "xx")
    with pytest.raises(CommandError, match="needs a title"):
        call_command("update_collection", "tea", "--title", " ")
    with pytest.raises(CommandError, match="Nothing to change"):
        call_command("update_collection", "tea")


@pytest.mark.parametrize("role", [Role.ADJUDICATOR, Role.ANNOTATOR, Role.VIEWER])
def test_only_managers_describe(role: Role) -> None:
    member = one_member_each(CollectionFactory(title="Old"))[role]
    with pytest.raises(NotAllowed):
        update_collection(by=member.user, at=AT, collection=member.collection, title="New", description="", licence="")
    assert Collection.objects.get().title == "Old"


def test_making_one_on_the_page(client: Client) -> None:
    client.force_login(UserFactory(is_staff=True))
    answer = client.post(reverse("collection_create"), {"title": "Tea & co", "slug": "tea", "language": "ar"})
    assert (answer.status_code, answer["Location"]) == (302, "/c/tea/")
    assert (Collection.objects.get().title, Collection.objects.get().language) == ("Tea & co", "ar")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"title": "", "slug": "tea2"}, "This field is required."),
        ({"title": "Tea", "slug": "tea time"}, "Use only letters without accents, digits, hyphens and underscores."),
        ({"title": "Tea", "slug": "taken"}, "short name “taken” is or was"),
    ],
)
def test_the_page_says_what_is_wrong_at_its_field(client: Client, data: dict[str, str], words: str) -> None:
    CollectionFactory(slug="taken")
    client.force_login(UserFactory(is_staff=True))
    answer = client.post(reverse("collection_create"), {"language": "en", **data})
    assert answer.status_code == 422
    assert words in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert Collection.objects.count() == 1


def test_an_invalid_description_does_not_show_as_the_collections_name(client: Client) -> None:
    member = MembershipFactory(role=Role.MANAGER, collection=CollectionFactory(slug="tea", title="Old"))
    client.force_login(member.user)
    answer = client.post(reverse("collection_edit", args=["tea"]), {"title": "x" * 300})
    assert answer.status_code == 422
    assert "<title>Settings, Old · Litmus" in answer.text


def test_the_list_shows_mine_only_in_constant_queries(client: Client, django_assert_max_num_queries) -> None:
    user = UserFactory()
    for _ in range(7):
        MembershipFactory(user=user)
    CollectionFactory(title="Secret project")
    client.force_login(user)
    with django_assert_max_num_queries(4):  # session, user, memberships, may they create
        answer = client.get(reverse("collection_list"))
    assert answer.text.count('class="card collection-card"') == 7
    assert "Secret project" not in answer.text


@pytest.mark.parametrize("staff", [True, False])
def test_the_empty_list_says_what_to_do(client: Client, staff: bool) -> None:
    client.force_login(UserFactory(is_staff=staff))
    text = client.get(reverse("collection_list")).text
    assert "No collection yet" in text
    assert (reverse("collection_create") in text) is staff


def test_command_works_on_a_fresh_installation_without_anybody() -> None:
    result = run("create_collection", "tea", "--title", "Tea")
    assert result == {"slug": "tea", "title": "Tea", "language": "en", "manager": None}
    assert not Membership.objects.exists()
    assert AuditEvent.objects.get().actor == "system"


def test_command_with_a_manager() -> None:
    user = UserFactory(email="ada@example.org")
    run("create_collection", "tea", "--title", "Tea", "--licence", "CC0", "--manager", "Ada@example.org")
    assert Membership.objects.get(user=user).role == Role.MANAGER


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("tea time", "--title", "T"), "cannot be a short name"),
        (("taken", "--title", "T"), "is or was"),
        (("tea", "--title", "T", "--manager", "no@example.org"), "manage.py create_user no@example.org"),
    ],
)
def test_command_refuses_with_the_reason(arguments: tuple[str, ...], reason: str) -> None:
    CollectionFactory(slug="taken")
    with pytest.raises(CommandError, match=reason) as refusal:
        run("create_collection", *arguments)
    assert refusal.value.returncode == 1
    assert Collection.objects.count() == 1


def test_add_member_command() -> None:
    CollectionFactory(slug="tea")
    user = UserFactory(email="ada@example.org")
    assert run("add_member", "tea", "ada@example.org", "manager") == {
        "slug": "tea",
        "email": "ada@example.org",
        "role": "manager",
    }
    assert Membership.objects.get(user=user).role == Role.MANAGER
    with pytest.raises(CommandError, match=r"is in .* already"):
        run("add_member", "tea", "ada@example.org", "viewer")
    with pytest.raises(CommandError, match="no collection mate"):
        run("add_member", "mate", "ada@example.org", "viewer")
