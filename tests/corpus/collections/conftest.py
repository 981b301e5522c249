"""A manager, and somebody whom they have invited; a collection with one of everything, open and archived."""

from uuid import uuid4

import pytest

from accounts.models import JobState
from annotation.models import Annotator, CampaignState, Judgment, Level, MachineRun, Submission
from corpus.collections.collections import archive_collection
from corpus.collections.contents import contents
from corpus.models import InvitedRole, Membership, Role
from tests.access_world import World, make_world
from tests.corpus.collections.archiving import manager_of
from tests.corpus.collections.inviting import invite
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory, UserFactory


@pytest.fixture
def manager(db: None) -> Membership:
    collection = CollectionFactory(slug="tea", title="Tea")
    return MembershipFactory(collection=collection, role=Role.MANAGER, user=UserFactory(name="Mara"))


@pytest.fixture
def invited(manager: Membership) -> InvitedRole:
    return invite(manager)


@pytest.fixture(scope="module")
def shared_world(module_db: None) -> World:
    """A collection with one of everything, a judgment among it."""
    world = make_world()
    level = Level.objects.filter(criterion__campaign=world.campaign).first()
    sent = Submission.objects.create(uuid=uuid4(), assignment=world.assignment, kind="answer", received_at=AT)
    Judgment.objects.create(assignment=world.assignment, criterion=level.criterion, value=level.value, submission=sent)
    make_committee(world)
    return world


def make_committee(world: World) -> None:
    """Who belongs to it is a table that no model names."""
    named = {"campaign": world.campaign, "name": "committee", "kind": "machine", "model": "committee"}
    annotator = Annotator.objects.create(**named, created_at=AT)
    run = MachineRun.objects.create(
        campaign=world.campaign,
        annotator=annotator,
        kind="committee",
        recipe={},
        recipe_hash="ef" * 32,
        requested_at=AT,
    )
    run.members.add(world.machine_run)


@pytest.fixture
def world(shared_world: World, db: None) -> World:
    """The shared world; what a test writes is rolled back."""
    shared_world.collection.refresh_from_db()
    return shared_world


@pytest.fixture
def archived(world: World) -> World:
    """A collection with one of everything, in the archive."""
    world.collection.campaigns.update(state=CampaignState.CLOSED)
    for content in contents():
        if hasattr(content.model, "is_final"):
            content.of(world.collection.pk).update(state=JobState.CANCELLED, finished_at=AT)
    archive_collection(by=manager_of(world), at=AT, collection=world.collection)
    world.collection.refresh_from_db()
    return world
