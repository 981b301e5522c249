"""Collections ready to be judged: people, topics with aspect trees, documents and pools."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from accounts.models import User
from accounts.refusals import Refused
from annotation.assignment.annotators import add_members
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import create_campaign
from annotation.labelling.answers import AnswerInput
from annotation.labelling.submissions import submit
from annotation.models import Annotator, Campaign
from corpus.models import Aspect, AspectNode, Collection, Document, Membership, PoolEntry, Role, Topic
from tests.factories.accounts import make_members

AT = datetime(2024, 5, 1, 12, tzinfo=UTC)


@dataclass
class Material:
    """A collection with everything that campaigns are made of. `people` are users by name, first the manager's."""

    collection: Collection
    topics: list[Topic]
    aspects: list[Aspect]
    documents: list[Document]
    people: dict[str, User] = field(default_factory=dict)

    @property
    def manager(self) -> User:
        return self.people["mia"]

    def membership(self, name: str) -> Membership:
        return Membership.objects.get(collection=self.collection, user=self.people[name])


def make_material(
    *,
    slug: str = "teas",
    topics: int = 3,
    aspects: int = 2,
    documents: int = 4,
    annotators: Sequence[str] = ("ana", "ben", "cai"),
    pooled: bool = True,
) -> Material:
    """A collection in which each topic has so many aspects (the last one below the first) and pools all documents."""
    collection = Collection.objects.create(slug=slug, title=f"Collection {slug}", created_at=AT)
    made = Material(collection, [], [], [])
    staff = {"mia": Role.MANAGER, "ada": Role.ADJUDICATOR, "vic": Role.VIEWER}
    made.people |= make_members(collection, staff | dict.fromkeys(annotators, Role.ANNOTATOR))
    made.documents = add_documents(collection, documents)
    for number in range(1, topics + 1):
        add_topic(made, str(number), [f"Does thing {number}.{i}." for i in range(1, aspects + 1)], pooled=pooled)
    return made


def add_person(made: Material, name: str, role: Role) -> User:
    made.people |= make_members(made.collection, {name: role})
    return made.people[name]


def add_documents(collection: Collection, count: int, start: int = 0) -> list[Document]:
    return Document.objects.bulk_create(
        [
            Document(collection=collection, docno=f"d{i:04d}", title=f"On tea {i}", abstract=f"We brew tea {i} times.")
            for i in range(start, start + count)
        ]
    )


def add_topic(made: Material, number: str, texts: Sequence[str], *, pooled: bool = True) -> Topic:
    """A topic with these aspects: all on top but the last, which stands below the first."""
    topic = Topic.objects.create(
        collection=made.collection, number=number, text=f"Which tea is number {number}?", position=len(made.topics)
    )
    aspects = Aspect.objects.bulk_create([Aspect(topic=topic, text=text) for text in texts])
    top = None
    for position, aspect in enumerate(aspects):
        parent = top if top is not None and position == len(aspects) - 1 else None
        node = AspectNode.objects.create(topic=topic, aspect=aspect, position=0 if parent else position, parent=parent)
        top = top or node
    if pooled:
        add_to_pool(topic, made.documents)
    made.topics.append(topic)
    made.aspects.extend(aspects)
    return topic


def add_to_pool(topic: Topic, documents: Sequence[Document]) -> None:
    PoolEntry.objects.bulk_create([PoolEntry(topic=topic, document=document) for document in documents])


def make_campaign(made: Material, *, items: bool = True, annotators: bool = True, **fields: Any) -> Campaign:
    """A draft over the material, by default with all items, its annotators added and an overlap of 2."""
    wanted = {"name": "Main round", "strategy": "planned", "overlap": 2, "seed": 7, **fields}
    campaign = create_campaign(collection=made.collection, by=made.manager, at=AT, **wanted)
    if annotators:
        judges = Membership.objects.filter(collection=made.collection, role=Role.ANNOTATOR).select_related("user")
        add_members(campaign=campaign, users=[each.user for each in judges], by=made.manager, at=AT)
    if items:
        build_items(campaign=campaign, by=made.manager, at=AT)
    return campaign


def annotator(campaign: Campaign, name: str) -> Annotator:
    return campaign.annotators.get(user__email=f"{name}@example.org")


def give_labels(
    judge: Annotator,
    values: Sequence[int],
    *,
    at: datetime = AT,
    active_ms: int | None = 4000,
    guideline: int | None = None,
) -> None:
    """The annotator judges their next items by the labelling action; the campaign must be open."""
    pending = judge.assignments.filter(state="pending").order_by("position", "pk")[: len(values)]
    given = [
        AnswerInput(
            uuid=uuid4(),
            assignment=assignment.pk,
            answers={"relevance": value},
            active_ms=active_ms,
            guideline=guideline,
        )
        for assignment, value in zip(pending, values, strict=True)
    ]
    _submit(judge, given, at)


def skip_item(judge: Annotator, reason: str, *, at: datetime = AT) -> int:
    """The annotator skips their next item; its id."""
    assignment = judge.assignments.filter(state="pending").order_by("position", "pk")[0]
    _submit(judge, [AnswerInput(uuid=uuid4(), assignment=assignment.pk, kind="skip", reason=reason)], at)
    return assignment.item_id


def _submit(judge: Annotator, given: Sequence[AnswerInput], at: datetime) -> None:
    campaign, user = judge.campaign, judge.user
    assert user is not None
    answer = submit(collection=campaign.collection.slug, campaign=campaign.slug, inputs=given, by=user, at=at)
    refused = [result for result in answer.results if isinstance(result, Refused)]
    assert not refused, refused[0].reason
