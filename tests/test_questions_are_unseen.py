"""What one annotator asks the managers is read by them and the asker alone: on no other address, for nobody else.

That no address shows it to others is tested by the walk in test_access.py; here is where it is shown.
"""

import pytest

from annotation.models import Audience
from tests.access_secrets import QUESTIONS, another_asks
from tests.access_table import ROLES, TABLE
from tests.access_walk import ask, body_of, path_of, session_of
from tests.access_world import World, make_world

pytestmark = pytest.mark.django_db

PLACES = {"inquiry_list", "inquiry_detail", "api_inquiries", "labelling_screen", "label_questions", "api_own_inquiries"}


@pytest.fixture
def world() -> World:
    return make_world()


def seen_by(world: World, role: str, names: set[str]) -> set[tuple[str, str]]:
    """The addresses that show one of the words, and the word."""
    user, place = world.user(role), ROLES.index(role)
    assert user is not None
    session = session_of(user)
    lines = [line for line in TABLE if line.method == "GET" and line.expected[place] in ("200", "ok")]
    texts = {
        line.name: body_of(ask(line, world, session, path_of(line, world))) for line in lines if line.name in names
    }
    return {(name, word) for name, text in texts.items() for word in QUESTIONS if word in text}


def test_managers_read_question_and_answer(world: World) -> None:
    another_asks(world, Audience.ASKER)
    seen = seen_by(world, "manager", PLACES)
    assert seen >= {(name, "Quartzquestion") for name in ("inquiry_list", "inquiry_detail", "api_inquiries")}


@pytest.mark.slow
def test_an_answer_for_all_shows_neither_question_nor_asker(world: World) -> None:
    """Those who have the item read the answer next to it; others of the campaign do not."""
    another_asks(world, Audience.ITEM)
    found = seen_by(world, "annotator", {line.name for line in TABLE})
    assert {word for _, word in found} == {"Quartzanswer"}
    own = {"labelling_screen", "label_questions", "api_own_inquiries", "campaign_detail"}
    assert {name for name, _ in found} <= own
    campaign = {line.name for line in TABLE if "inquir" in line.name or line.name in own}
    assert seen_by(world, "viewer", campaign) == seen_by(world, "adjudicator", campaign) == set()
