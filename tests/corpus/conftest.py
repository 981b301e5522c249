"""A manager and a call whose letters leave at once; a collection with a member of every role."""

import pytest

from corpus.models import Collection, Membership, QuestionCall, Role
from tests.corpus.questions.asking import new_call, new_manager
from tests.factories.accounts import CollectionFactory, one_member_each


@pytest.fixture
def manager(db: None) -> Membership:
    return new_manager()


@pytest.fixture
def call(manager: Membership, settings) -> QuestionCall:
    settings.MAIL_RATE = 0
    return new_call(manager)


@pytest.fixture
def members(db: None) -> dict[Role, Membership]:
    return one_member_each(CollectionFactory(slug="tea"))


@pytest.fixture
def collection(members: dict[Role, Membership]) -> Collection:
    return members[Role.MANAGER].collection
