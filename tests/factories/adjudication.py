"""Whole campaigns with labels, built in bulk: what the tests of agreement, votes, verdicts and exports start from."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from accounts.models import User
from annotation.models import (
    Annotator,
    AnnotatorKind,
    Assignment,
    AssignmentState,
    Campaign,
    CampaignState,
    Criterion,
    Guideline,
    Item,
    Judgment,
    Level,
    Submission,
    SubmissionKind,
)
from corpus.models import Aspect, AspectNode, Collection, Document, Role, Topic
from tests.factories.accounts import make_members

AT = datetime(2024, 5, 1, 12, tzinfo=UTC)
LEVELS = ("not relevant", "partly relevant", "relevant", "perfectly relevant")
Triple = tuple[str, str | None, str]  # topic number, aspect text, docno


@dataclass
class Built:
    """A campaign and everything around it. `people` are users by role or annotator name."""

    collection: Collection
    campaign: Campaign
    criterion: Criterion
    items: list[Item]
    annotators: dict[str, Annotator]
    people: dict[str, User] = field(default_factory=dict)

    def label(self, item: Item, annotator: str, value: int, *, at: datetime = AT, repeat: int = 0) -> Judgment:
        """One more label, as a finished assignment with its submission."""
        return add_labels(self, [(item, self.annotators[annotator], value)], at=at, repeat=repeat)[0]


def build_campaign(
    labels: Sequence[Sequence[int | None]] = (),
    *,
    people: Sequence[str] = ("ana", "ben", "cai"),
    machines: Sequence[tuple[str, str, int]] = (),
    triples: Sequence[Triple] | None = None,
    topics: int = 1,
    levels: int = 3,
    slug: str = "tea",
    overlap: int | None = None,
) -> Built:
    """A relevance campaign whose item i has `labels[i]`, one value (or None) per annotator: people, then machines.

    `machines` are (name, model, run number). Without `triples`, item i is topic i % topics, one aspect, document i.
    Without `overlap`, everybody was to judge everything; it is also the least number of votes of a count.
    """
    collection = Collection.objects.create(slug=slug, title=f"Collection {slug}", created_at=AT)
    campaign = Campaign.objects.create(
        collection=collection,
        slug="main",
        name="Main round",
        kind="relevance",
        state=CampaignState.OPEN,
        overlap=overlap or len(people),
        seed=1,
        created_at=AT,
        opened_at=AT,
    )
    criterion = Criterion.objects.create(campaign=campaign, key="relevance", label="Relevance")
    Level.objects.bulk_create([Level(criterion=criterion, value=v, label=LEVELS[v]) for v in range(levels)])
    wanted = triples or [(str(1 + i % topics), "It brews tea.", f"doc{i:05d}") for i in range(len(labels))]
    built = Built(collection, campaign, criterion, make_items(campaign, wanted), {})
    _add_people(built, people)
    made = [
        Annotator(campaign=campaign, name=name, kind=AnnotatorKind.MACHINE, model=model, run_number=run, created_at=AT)
        for name, model, run in machines
    ]
    built.annotators |= {machine.name: machine for machine in Annotator.objects.bulk_create(made)}
    Guideline.objects.create(
        campaign=campaign, version=1, body="Judge calmly.", created_at=AT, created_by=built.people["manager"]
    )
    order = list(built.annotators.values())
    add_labels(
        built,
        [
            (item, annotator, value)
            for item, row in zip(built.items, labels, strict=False)
            for annotator, value in zip(order, row, strict=True)
            if value is not None
        ],
    )
    return built


def make_items(campaign: Campaign, triples: Sequence[Triple]) -> list[Item]:
    """Items for these (topic, aspect, docno), with topics, aspects and documents made as needed."""
    collection = campaign.collection
    numbers = list(dict.fromkeys(topic for topic, _, _ in triples))
    texts = list(dict.fromkeys((topic, aspect) for topic, aspect, _ in triples if aspect is not None))
    docnos = list(dict.fromkeys(docno for _, _, docno in triples))
    topics = Topic.objects.bulk_create(
        [Topic(collection=collection, number=n, text=f"Question {n}?", position=i) for i, n in enumerate(numbers)]
    )
    by_number = dict(zip(numbers, topics, strict=True))
    aspects = Aspect.objects.bulk_create([Aspect(topic=by_number[topic], text=text) for topic, text in texts])
    AspectNode.objects.bulk_create(
        [AspectNode(topic=aspect.topic, aspect=aspect, position=i) for i, aspect in enumerate(aspects)]
    )
    by_text = dict(zip(texts, aspects, strict=True))
    documents = Document.objects.bulk_create(
        [Document(collection=collection, docno=d, title=f"On {d}", abstract=f"We study {d} & more.") for d in docnos]
    )
    by_docno = dict(zip(docnos, documents, strict=True))
    return Item.objects.bulk_create(
        [
            Item(
                campaign=campaign,
                split=campaign.split,
                topic=by_number[topic],
                aspect=by_text.get((topic, aspect)),  # type: ignore[arg-type]
                document=by_docno[docno],
            )
            for topic, aspect, docno in triples
        ]
    )


def add_labels(
    built: Built, rows: Sequence[tuple[Item, Annotator, int]], *, at: datetime = AT, repeat: int = 0
) -> list[Judgment]:
    """Finished assignments with submissions and judgments, in bulk."""
    taken: dict[int, int] = {}
    assignments = []
    for item, annotator, _ in rows:
        slot = None
        if annotator.kind == AnnotatorKind.HUMAN and not repeat:
            start = taken.get(item.pk, item.assignments.filter(slot__isnull=False).count() if len(rows) == 1 else 0)
            slot = taken[item.pk] = start + 1
        assignments.append(
            Assignment(
                item=item,
                annotator=annotator,
                state=AssignmentState.DONE,
                slot=slot,
                repeat=repeat,
                finished_at=at,
            )
        )
    Assignment.objects.bulk_create(assignments, batch_size=5000)
    given = [(assignment, value) for assignment, (_, _, value) in zip(assignments, rows, strict=True)]
    return store_answers(built.criterion, given, at=at)


def store_answers(
    criterion: Criterion, given: Sequence[tuple[Assignment, int]], *, at: datetime = AT
) -> list[Judgment]:
    """Submissions and judgments of finished assignments, in bulk."""
    guideline = criterion.campaign.guidelines.first()
    submissions = Submission.objects.bulk_create(
        [
            Submission(
                uuid=uuid.uuid4(),
                assignment=assignment,
                kind=SubmissionKind.ANSWER,
                answers={criterion.key: value},
                guideline=guideline,
                active_ms=4000,
                received_at=at,
            )
            for assignment, value in given
        ],
        batch_size=5000,
    )
    return Judgment.objects.bulk_create(
        [
            Judgment(assignment=assignment, criterion=criterion, value=value, submission=submission)
            for (assignment, value), submission in zip(given, submissions, strict=True)
        ],
        batch_size=5000,
    )


def _add_people(built: Built, annotators: Sequence[str]) -> None:
    roles = {role: Role(role) for role in Role.values} | dict.fromkeys(annotators, Role.ANNOTATOR)
    built.people |= make_members(built.collection, roles)
    made = [
        Annotator(campaign=built.campaign, name=name, user=built.people[name], created_at=AT) for name in annotators
    ]
    built.annotators |= {annotator.name: annotator for annotator in Annotator.objects.bulk_create(made)}
