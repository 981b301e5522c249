"""Rubric campaigns with questions to rate: documents, topics with targets, people, assignments."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from accounts.models import User
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import create_campaign, open_campaign
from annotation.labelling.answers import Answer, AnswerInput, Receipt
from annotation.labelling.submissions import submit
from annotation.models import Assignment, Campaign
from corpus.models import Collection, Document, Role, Target, Topic
from tests.factories.accounts import AT, make_members

PAPERS = {
    "11": (
        "Subtitles as Teachers: Weakly Supervised Sign Language Translation",
        "Parallel data for sign languages is scarce. We align broadcast news with their subtitles and train a"
        " translation model on the noisy pairs. Filtering by lip movement raises the score by four points.",
    ),
    "12": (
        "What Mouthing Adds to Gloss-Free Translation",
        "Signers move their mouths while they sign. We show that systems which see only the hands lose a fifth of the"
        " content words, and that adding a mouth crop recovers most of them.",
    ),
    "13": (
        "A Census of Small Corpora for Signed Languages",
        "We list forty corpora with their licences, sizes and signers, and ask what could be trained on them.",
    ),
    "14": ("Tea and Temperature", "Leaves were steeped in water of several temperatures. Bitterness rose with time."),
}
QUESTIONS = (
    ("q1", "inline-nonacl", "Has anybody shown that lips carry meaning that hands alone lose?", ("12",)),
    ("q2", "author", "Which work learns to translate signing from news programmes and their captions?", ("11",)),
    ("q3", "inline-acl", "Where can I find an overview of signed language data sets?", ("13", "11")),
    ("q4", "inline-nonacl", "A census of small corpora for signed languages", ("13",)),  # its title word for word
)


@dataclass
class Rubric:
    """An open rubric campaign; `people` by first name, the manager is mia."""

    collection: Collection
    campaign: Campaign
    topics: dict[str, Topic]
    documents: dict[str, Document]
    people: dict[str, User] = field(default_factory=dict)

    def assignment(self, person: str, number: str) -> Assignment:
        return Assignment.objects.get(annotator__user=self.people[person], item__topic__number=number)


def make_questions(collection: Collection, questions: Sequence[tuple[str, str, str, Sequence[str]]] = QUESTIONS) -> Any:
    """Documents by docno and topics by number."""
    documents = {
        docno: Document.objects.create(collection=collection, docno=docno, title=title, abstract=abstract, year=2023)
        for docno, (title, abstract) in PAPERS.items()
    }
    topics = {}
    for position, (number, source, text, targets) in enumerate(questions):
        topic = Topic.objects.create(collection=collection, number=number, source=source, text=text, position=position)
        Target.objects.bulk_create([Target(topic=topic, document=documents[docno], source=source) for docno in targets])
        topics[number] = topic
    return documents, topics


def build_rubric(
    *, people: Sequence[str] = ("ana",), overlap: int = 1, slug: str = "signs", opened: bool = True, **fields: Any
) -> Rubric:
    """A rubric campaign over QUESTIONS (q4 is left out by its cut-off), assigned to these annotators and open."""
    collection = Collection.objects.create(slug=slug, title="Signed languages", created_at=AT)
    documents, topics = make_questions(collection)
    roles = {"mia": Role.MANAGER, "ada": Role.ADJUDICATOR, **dict.fromkeys(people, Role.ANNOTATOR)}
    users = make_members(collection, roles, "brew-more-tea-9")
    wanted = {"name": "Questions", "kind": "rubric", "strategy": "planned", "overlap": overlap, "seed": 7, **fields}
    campaign = create_campaign(collection=collection, by=users["mia"], at=AT, **wanted)
    add_members(campaign=campaign, users=[users[name] for name in people], by=users["mia"], at=AT)
    build_items(campaign=campaign, by=users["mia"], at=AT)
    if opened:
        assign_items(campaign=campaign, by=users["mia"], at=AT)
        campaign = open_campaign(campaign=campaign, by=users["mia"], at=AT)
    return Rubric(collection, campaign, topics, documents, users)


def rating(assignment: Assignment, specificity: int | None = 1, quality: int | None = 2, **more: Any) -> AnswerInput:
    """A submission under a fresh uuid; a discard gets a reason."""
    values = {"specificity": specificity, "quality": quality}
    answers = {key: value for key, value in values.items() if value is not None}
    reasons = {"quality": "unrealistic"} if quality == 0 else {}
    return AnswerInput(
        **{"uuid": uuid.uuid4(), "assignment": assignment.pk, "answers": answers, "reasons": reasons, **more}
    )


def send(rubric: Rubric, person: str, *given: AnswerInput, **more: Any) -> Answer:
    return submit(
        collection=rubric.collection.slug,
        campaign=rubric.campaign.slug,
        inputs=given,
        by=rubric.people[person],
        at=AT,
        **more,
    )


def rate(rubric: Rubric, person: str, number: str, specificity: int = 1, quality: int = 2, **more: Any) -> Receipt:
    """The receipt of one rating of the question; its refusal is raised."""
    (result,) = send(rubric, person, rating(rubric.assignment(person, number), specificity, quality, **more)).results
    if not isinstance(result, Receipt):
        raise result
    return result
