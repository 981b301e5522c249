"""What one annotator asks the managers is read by them and the asker alone: on no other address, for nobody else."""

import pytest

from annotation.models import Annotator, Audience, Inquiry
from tests.access_table import ROLES, TABLE
from tests.access_world import World, make_world
from tests.factories.accounts import AT
from tests.test_access import ask, path_of, session_of

pytestmark = pytest.mark.django_db

OPEN = {"200", "ok"}
READERS = ("anonymous", "outsider", "annotator", "viewer", "adjudicator")


@pytest.fixture
def world() -> World:
    """Somebody else of the campaign asked about the annotator's own item, and got an answer for themselves."""
    world = make_world()
    asker = Annotator.objects.create(campaign=world.inquiry.campaign, name="Quartzasker", created_at=AT)
    answered = {"answer": "Quartzanswer", "answered_at": AT, "answered_by": world.user("manager")}
    Inquiry.objects.update(annotator=asker, text="Quartzquestion", audience=Audience.ASKER, **answered)
    return world


def seen_by(world: World, role: str) -> list[tuple[str, str]]:
    """The addresses that show one of the words, and the word."""
    place = ROLES.index(role)
    lines = [line for line in TABLE if line.method == "GET" and line.expected[place] in OPEN]
    assert lines
    user, found = world.user(role), []
    session = session_of(user) if user else None
    for line in lines:
        answer = ask(line, world, session, path_of(line, world))
        body = b"".join(answer) if answer.streaming else answer.content
        text = body.decode(errors="replace")
        found += [(line.name, word) for word in ("Quartzquestion", "Quartzanswer") if word in text]
    return found


def test_nobody_but_managers_reads_the_question_of_another_or_its_answer(world: World) -> None:
    assert {role: seen_by(world, role) for role in READERS} == {role: [] for role in READERS}
    assert {name for name, _ in seen_by(world, "manager")} >= {"inquiry_list", "inquiry_detail", "api_inquiries"}


def test_an_answer_for_all_shows_neither_question_nor_asker(world: World) -> None:
    Inquiry.objects.update(audience=Audience.ITEM)
    found = seen_by(world, "annotator")
    assert {word for _, word in found} == {"Quartzanswer"}
    own = {"labelling_screen", "label_questions", "api_own_inquiries", "campaign_detail"}
    assert {name for name, _ in found} <= own
    assert seen_by(world, "viewer") == seen_by(world, "adjudicator") == []
