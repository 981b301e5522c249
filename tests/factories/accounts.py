"""People and collections with members."""

from datetime import UTC, datetime, timedelta

import factory
from django.utils import timezone

from accounts.actions.tokens import create_token
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


def one_member_each(collection: Collection) -> dict[Role, Membership]:
    """A member of every role, by role; their addresses begin with the role's name."""
    return {
        role: MembershipFactory(
            collection=collection,
            role=role,
            user=UserFactory(email=f"{role.value}@example.org", name=role.label.title()),
        )
        for role in Role
    }
