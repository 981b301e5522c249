"""A manager, and somebody whom they have invited."""

import pytest

from corpus.models import InvitedRole, Membership, Role
from tests.corpus.collections.inviting import invite
from tests.factories.accounts import CollectionFactory, MembershipFactory, UserFactory


@pytest.fixture
def manager(db: None) -> Membership:
    collection = CollectionFactory(slug="tea", title="Tea")
    return MembershipFactory(collection=collection, role=Role.MANAGER, user=UserFactory(name="Mara"))


@pytest.fixture
def invited(manager: Membership) -> InvitedRole:
    return invite(manager)
