"""manage.py load_demo: the invented collection “demo”, so that each page shows something real in the first minute."""

import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from itertools import islice
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from accounts import jobs
from accounts.actions import create_user, vouch_for_address
from accounts.management.reporting import ReportingCommand
from accounts.models import JobState, User
from adjudication.agreement.requests import request_agreement, request_vote
from adjudication.cycles.steps import start_cycle
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import create_campaign, open_campaign
from annotation.gold.known import set_known_answer
from annotation.labelling.answers import AnswerInput
from annotation.labelling.submissions import submit
from annotation.machines.recipes import MachineOptions
from annotation.machines.requests import request_machine_runs
from annotation.models import Assignment, AssignmentState, Campaign, MachineKind, Split, Strategy, SubmissionKind
from config.demo.authors import load_authors
from config.demo.first_pass import load_first_pass
from config.demo.loading import SLUG, is_loaded
from config.demo.papers import load_papers
from config.demo.people import (
    ANNOTATORS,
    EVERYBODY,
    HERE,
    MANAGER,
    NOTES,
    PASSWORD,
    Person,
    accounts,
    chance,
    grade_of,
    read_answers,
)
from config.demo.questions import load_questions
from config.demo.workshop import review_topics
from corpus.collections.collections import create_collection
from corpus.collections.people import add_member
from corpus.imports.requests import request_import
from corpus.models import Collection
from corpus.pools.requests import request_pools

SEED = 10
DEPTH = 7
TRIAL_ITEMS = 160
KNOWN = 20  # answers in a round
SENT_AT_ONCE = 20  # judgments
DONE_OF_MAIN = {"Ada": 70, "Ben": 45, "Chloe": 25}
BEGAN = timedelta(days=4)  # before now
FILES = (
    ("documents", ["documents.jsonl"]),
    ("topics", ["topics.jsonl"]),
    ("runs", ["bm25-query.run", "bm25-aspects.run", "bm25-titles.run"]),
    ("mentions", ["mentions.jsonl"]),
)


class Command(ReportingCommand):
    task = "Start"
    example = "load_demo"
    line = "Load the demo collection and print its accounts"
    help = "Load the demo collection unless it is already loaded, and print its accounts."

    def carry_out(self, *, verbosity: int, **_: Any) -> tuple[str, dict[str, Any]]:
        if was_missing := not is_loaded():
            now = timezone.now()
            for person in EVERYBODY:  # first and separately: people sign in while the rest is loaded
                _account(person, now - BEGAN)
            with transaction.atomic():
                load(now)
        words = f"Demo accounts, all with the password {PASSWORD}:\n{accounts()}" if verbosity else ""
        people = [{"email": person.email, "role": person.role.value} for person in EVERYBODY]
        return words, {"collection": SLUG, "loaded": was_missing, "password": PASSWORD, "accounts": people}


def load(now: datetime) -> Collection:
    """Everything, as it would have been done by hand within the last days."""
    at = now - BEGAN
    people = {person.name: _account(person, at) for person in EVERYBODY}
    manager = people[MANAGER.name]
    collection = create_collection(
        by=None,
        at=at,
        slug=SLUG,
        title="Litmus demo",
        description="Forty abstracts, eight information needs and three papers, all invented, to try everything on.",
        licence="CC0 1.0: invented for this demo, free for any use",
        manager=manager,
    )
    for person in EVERYBODY:
        if person is not MANAGER:
            user = people[person.name]
            add_member(by=None, at=at, collection=collection, user=user, role=person.role, membership=None)
    for kind, names in FILES:
        _import(collection, manager, at, kind, names)
    review_topics(collection, people, at)
    jobs.carry_out(request_pools(collection=collection, by=manager, at=at, depth=DEPTH, send=False))
    judges = [people[person.name] for person in ANNOTATORS]
    load_first_pass(collection, manager, at)
    trial = _campaign(collection, manager, judges, at, name="Trial round", split=Split.DEV, sample=TRIAL_ITEMS)
    main = _campaign(collection, manager, judges, at, name="Main round", split=Split.MAIN, sample=None)
    for person in ANNOTATORS:
        _judge(trial, person, people[person.name], at, most=TRIAL_ITEMS)
        _judge(main, person, people[person.name], at + timedelta(days=2), most=DONE_OF_MAIN[person.name])
    for campaign in (trial, main):
        _know_some(campaign, manager, at)
    _let_baseline_judge(trial, manager, now)
    _compute(trial, manager, now)
    _import(collection, manager, at, "topics", ["questions.jsonl"])
    load_questions(collection, people, at + timedelta(days=3))
    load_authors(collection, manager, at + timedelta(days=3))
    load_papers(collection, people, at + timedelta(days=3))
    return collection


def _account(person: Person, at: datetime) -> User:
    user = User.objects.filter(email=person.email).first()
    if user is None:
        user = create_user(by=None, at=at, email=person.email, password=None, name=person.name)
        user.password = _hashed_password()
        user.save(update_fields=["password"])
        vouch_for_address(user)
    return user


@cache
def _hashed_password() -> str:
    """One for all: to make it slowly is its purpose, and everybody knows this password."""
    return make_password(PASSWORD)


def _import(collection: Collection, by: User, at: datetime, kind: str, names: list[str]) -> None:
    files = [HERE / name for name in names]
    run = request_import(by=by, at=at, collection=collection, kind=kind, files=files, send=False)
    jobs.carry_out(run)
    run.refresh_from_db()
    if run.state != JobState.DONE or run.error_count:
        raise RuntimeError(f"{kind} of the demo: {run.reason or run.errors}")


def _campaign(
    collection: Collection,
    manager: User,
    judges: list[User],
    at: datetime,
    *,
    name: str,
    split: str,
    sample: int | None,
) -> Campaign:
    campaign = create_campaign(
        collection=collection,
        by=manager,
        at=at,
        name=name,
        split=split,
        overlap=3,
        strategy=Strategy.PLANNED,
        seed=SEED,
    )
    build_items(campaign=campaign, by=manager, at=at, sample=sample, stratified=True)
    add_members(campaign=campaign, users=judges, by=manager, at=at)
    assign_items(campaign=campaign, by=manager, at=at)
    return open_campaign(campaign=campaign, by=manager, at=at)


def _judge(campaign: Campaign, person: Person, user: User, at: datetime, *, most: int) -> None:
    """Answer the first `most` of the person's items, as their labelling screen sends them after a time offline."""
    given = _answers_of(campaign, person, user, at, most)
    while several := list(islice(given, SENT_AT_ONCE)):
        submit(collection=SLUG, campaign=campaign.slug, inputs=several, by=user, at=several[-1].client_at or at)


def _answers_of(campaign: Campaign, person: Person, user: User, at: datetime, most: int) -> Iterator[AnswerInput]:
    answers = read_answers()
    mine = Assignment.objects.filter(
        item__campaign=campaign, annotator__user=user, state=AssignmentState.PENDING
    ).select_related("item__topic", "item__aspect", "item__document")
    for assignment in list(mine.order_by("position")[:most]):
        item = assignment.item
        where = (
            item.topic.number if item.topic else "",
            item.aspect.text if item.aspect else "",
            item.document.docno if item.document else "",
        )
        luck = chance(person.name, "pace", *where)
        active = int(1000 * person.seconds * (0.4 + 1.3 * luck))
        at += timedelta(milliseconds=active + 800)
        yield AnswerInput(
            uuid=uuid.uuid4(),
            assignment=assignment.pk,
            kind=SubmissionKind.ANSWER,
            answers={"relevance": grade_of(person, answers.get(where, 0), *where)},
            note=NOTES[int(luck * 1000) % len(NOTES)] if luck > 0.95 else "",
            flagged=luck > 0.97,
            guideline=1,
            active_ms=active,
            away_ms=0,
            device="keyboard",
            client_at=at,
        )


def _know_some(campaign: Campaign, manager: User, at: datetime) -> None:
    """Some of what most people have judged becomes hidden gold: its calm grade is the known answer."""
    judged = Count("assignments", filter=Q(assignments__state=AssignmentState.DONE))
    about = ("topic__number", "aspect__text", "document__docno")
    items = campaign.items.alias(judged=judged).filter(judged__gt=0).order_by("-judged", "pk")
    for topic, aspect, docno in items.values_list(*about)[::2][:KNOWN]:
        value = read_answers().get((topic, aspect, docno), 0)
        where = {"topic": topic, "aspect": aspect, "docno": docno}
        set_known_answer(campaign=campaign, **where, value=value, by=manager, at=at)


def _let_baseline_judge(campaign: Campaign, manager: User, at: datetime) -> None:
    """The lexical baseline judges the round too, and a cycle of Anno-GPT begins on it."""
    options = MachineOptions(kind=MachineKind.LEXICAL)
    for run in request_machine_runs(campaign=campaign, by=manager, at=at, options=options, send=False):
        jobs.carry_out(run)
    start_cycle(collection=campaign.collection, by=manager, at=at, dev=campaign, criterion="relevance")


def _compute(campaign: Campaign, manager: User, at: datetime) -> None:
    """Votes of the finished round; ties wait for an adjudicator. Its agreement, with figures, is left to the worker."""
    vote = request_vote(campaign=campaign, by=manager, at=at, send=False)
    jobs.carry_out(vote)
    request_agreement(campaign=campaign, by=manager, at=at)
