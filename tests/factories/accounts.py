"""People and collections with members."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import factory
from django.contrib.auth.hashers import make_password
from django.utils import timezone

from accounts.actions import create_token
from accounts.models import ApiToken, TokenScope, User
from corpus.models import Collection, Membership, Role

AT = datetime(2024, 5, 1, 12, tzinfo=UTC)
PASSWORD = "a long enough secret"


class UserFactory(factory.django.DjangoModelFactory):
    """A person whose password is PASSWORD."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    email = factory.Sequence("person{}@example.org".format)
    name = factory.Sequence("Person {}".format)
    password = factory.django.Password(PASSWORD)


def make_token(user: User, scope: TokenScope = TokenScope.MANAGE) -> tuple[ApiToken, str]:
    """A token of the person's, good for a day, and its key."""
    now = timezone.now()
    return create_token(by=user, at=now, label="lab", scope=scope, expires_at=now + timedelta(days=1))


class CollectionFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Collection

    slug = factory.Sequence("collection-{}".format)
    title = factory.Sequence("Collection number {}".format)
    created_at = AT


class MembershipFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Membership

    collection = factory.SubFactory(CollectionFactory)
    user = factory.SubFactory(UserFactory)
    role = Role.ANNOTATOR
    created_at = AT


def make_members(collection: Collection, roles: Mapping[str, Role], password: str = PASSWORD) -> dict[str, User]:
    """Members with these roles by name, in two statements: new people, or those of another collection by that name.

    The addresses begin with the name.
    """
    emails = {name: f"{name}@example.org".lower() for name in roles}
    known = {user.email: user for user in User.objects.filter(email__in=emails.values())}
    new = [
        User(email=email, name=name.title(), password=make_password(password))
        for name, email in emails.items()
        if email not in known
    ]
    known |= {user.email: user for user in User.objects.bulk_create(new)}
    Membership.objects.bulk_create(
        [
            Membership(collection=collection, user=known[emails[name]], role=role, created_at=AT)
            for name, role in roles.items()
        ]
    )
    return {name: known[email] for name, email in emails.items()}


def one_member_each(collection: Collection) -> dict[Role, Membership]:
    """A member of every role, by role; their addresses begin with the role's name."""
    people = make_members(collection, {role.value: role for role in Role})
    rows = collection.memberships.filter(user__in=people.values()).select_related("user")
    found = {Role(row.role): row for row in rows}
    for row in found.values():
        row.collection = collection
    return {role: found[role] for role in Role}
