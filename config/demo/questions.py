"""The demo's rubric: questions rated by one annotator, one of them reworded and confirmed, the rest to do."""

import uuid
from collections.abc import Mapping
from datetime import datetime

from accounts import jobs
from accounts.models import User
from adjudication.agreement.requests import request_vote
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import create_campaign, open_campaign
from annotation.kinds.rubric.choosing import QuestionChoice
from annotation.labelling.answers import AnswerInput
from annotation.labelling.submissions import submit
from annotation.models import Assignment, Campaign, Rewrite
from annotation.rubric.rewrites import decide_rewrite
from config.demo.people import ANNOTATORS, MANAGER
from corpus.models import Collection

# Ratings by question: specificity, quality, and the reason of a discard.
RATINGS = {"q1": (1, 2, ""), "q2": (0, 2, ""), "q5": (1, 1, ""), "q7": (0, 0, "too broad")}
REWRITES = {"q5": "Is there a comparison that warns against predicting the failure of gearboxes from how they shake?"}


def load_questions(collection: Collection, people: Mapping[str, User], at: datetime) -> Campaign:
    """A rubric over the demo's questions; q8 is left out, because it is its target's title."""
    manager, raters = people[MANAGER.name], [people[person.name] for person in ANNOTATORS[:2]]
    campaign = create_campaign(
        collection=collection, by=manager, at=at, name="Questions", kind="rubric", strategy="planned", seed=10
    )
    add_members(campaign=campaign, users=raters, by=manager, at=at)
    sources = ("inline-inside", "inline-outside", "author")
    build_items(campaign=campaign, by=manager, at=at, choice=QuestionChoice(sources=sources))
    assign_items(campaign=campaign, by=manager, at=at)
    open_campaign(campaign=campaign, by=manager, at=at)
    for number, (specificity, quality, reason) in RATINGS.items():
        _rate(campaign, number, {"specificity": specificity, "quality": quality}, reason, at)
    for rewrite in Rewrite.objects.filter(submission__assignment__item__campaign=campaign):
        decide_rewrite(campaign=campaign, rewrite=rewrite.pk, by=manager, at=at, decision="confirmed")
    jobs.carry_out(request_vote(campaign=campaign, by=manager, at=at, min_votes=1, send=False))
    return campaign


def _rate(campaign: Campaign, number: str, answers: dict[str, int], reason: str, at: datetime) -> None:
    """By the annotator who has the question."""
    found = Assignment.objects.select_related("annotator__user")
    assignment = found.get(item__campaign=campaign, item__topic__number=number)
    user = assignment.annotator.user if assignment.annotator else None
    if user is None:
        raise RuntimeError(f"nobody was given question {number} of the demo")
    given = AnswerInput(
        uuid=uuid.uuid4(),
        assignment=assignment.pk,
        answers=answers,
        reasons={"quality": reason} if reason else {},
        rewrite=REWRITES.get(number, ""),
        active_ms=21_000,
        device="keyboard",
    )
    answer = submit(collection=campaign.collection.slug, campaign=campaign.slug, inputs=[given], by=user, at=at)
    if isinstance(answer.results[0], Exception):
        raise answer.results[0]
