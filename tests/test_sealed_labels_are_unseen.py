"""While a test set is sealed no answer of Litmus depends on what people said in it: not by page, API, export, write or
mail.

Two worlds differ in one label only. A manager asks every address in both, and what comes back must be the same.
"""

import re
from collections.abc import Callable, Sequence

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.digests import A_DAY, lines_for
from accounts.models import User
from annotation.models import Assignment, AssignmentState, Campaign, Judgment, Split, Submission, SubmissionKind
from corpus.models import Role
from tests.access_table import TABLE, Row
from tests.access_walk import ADDRESSES, ask, path_of, session_of
from tests.access_world import World, make_world
from tests.factories.accounts import AT

pytestmark = pytest.mark.django_db

# What differs from one answer to the next: tokens, moments, new ids, numbers of rows written.
CHANCE = re.compile(r"\b[0-9A-Za-z]{64}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\d{4}-\d\d-\d\dT[\d:.]+Z")
MOVING = ("Content-Security-Policy", "Expires", "Last-Modified", "Location", "X-Request-ID")


def may_read_labels(line: Row) -> bool:
    """Pages of collections, but for calls to authors, whose letters hold new links; and writes in campaigns."""
    places = ADDRESSES[line.name].pattern.regex.groupindex
    is_read = line.method == "GET" and "slug" in places and not line.name.startswith(("author_", "api_author_"))
    return is_read or "campaign" in places


MAIL = ("daily mail", "", "")
# A manager sees what the others who oversee see, and more.
LINES = [line for line in TABLE if may_read_labels(line)]


@pytest.fixture
def world() -> World:
    """The annotator has judged the one item of a test campaign while a cycle tunes its machine."""
    world = make_world()
    Campaign.objects.filter(pk=world.campaign.pk).update(split=Split.TEST)
    world.campaign.items.update(split=Split.TEST)
    Assignment.objects.filter(pk=world.assignment.pk).update(state=AssignmentState.DONE, finished_at=AT)
    for line in LINES:
        path_of(line, world)  # what it makes first is of both worlds
    return world


def judge(world: World, value: int) -> None:
    """The annotator has given this value."""
    said = Submission.objects.create(
        pk=900_001,
        uuid="00000000-0000-4000-8000-000000000001",
        assignment=world.assignment,
        kind=SubmissionKind.ANSWER,
        answers={"relevance": value},
        received_at=AT,
    )
    criterion = world.campaign.criteria.get()
    Judgment.objects.create(pk=900_001, assignment=world.assignment, criterion=criterion, value=value, submission=said)


def mail_to(user: User) -> str:
    """Every line of the person's daily mail, the only one that says anything of items."""
    now = timezone.now()
    return "\n".join(f"{line.notice} {line.shown} {line.address}" for line in lines_for(user, now - A_DAY, now))


def answers_given(
    world: World,
    value: int,
    tell: Callable[[World, int], None] = judge,
    role: Role = Role.MANAGER,
    lines: Sequence[Row] = LINES,
) -> dict[tuple[str, str, str], str]:
    """What the role gets where `tell` has put in this value, by address, method and path, and as MAIL; it is taken
    back."""
    user = world.members[role].user
    session = session_of(user)
    with transaction.atomic():
        tell(world, value)
        answers = {MAIL: mail_to(user)}
        for line in lines:
            path = path_of(line, world)
            answer = ask(line, world, session, path)
            body = b"".join(answer) if answer.streaming else answer.content
            headers = sorted((name, said) for name, said in answer.items() if name not in MOVING)
            answers[line.name, line.method, path] = CHANCE.sub("…", f"{answer.status_code} {headers} {body.decode()}")
        transaction.set_rollback(True)
    return answers


@pytest.mark.slow
def test_no_answer_depends_on_a_sealed_label(world: World) -> None:
    first, second = answers_given(world, 0), answers_given(world, 2)
    assert len(first) > 150
    assert [place for place, text in first.items() if second[place] != text] == []
