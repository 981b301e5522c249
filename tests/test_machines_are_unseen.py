"""Annotators learn nothing of machine annotators: counts and places are as if there were none.

That no address shows them a name, reply or prompt is tested by the walk in test_access.py.
"""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation.machines.asking import MachineAnswer, store_replies
from annotation.models import AssignmentState, MachineReply, MachineRun
from engines.prompting.answers import Reading
from tests.access_table import ROLES, TABLE
from tests.access_walk import CLIENT, ask, body_of, path_of, session_of
from tests.access_world import World, make_world
from tests.factories.accounts import AT
from tests.test_sealed_labels_are_unseen import mail_to

SAID = "Quartzreply. Answer: 2"

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    """A machine has judged the annotator's own item."""
    world = make_world()
    MachineReply.objects.all().delete()
    run = MachineRun.objects.get(pk=world.machine_run.pk)
    store_replies(run, [MachineAnswer(world.item.pk, {"relevance": Reading(2)}, SAID)], AT)
    return world


@pytest.mark.slow
def test_counts_an_annotator_sees_do_not_move_when_a_machine_judges(world: World) -> None:
    client = Client()
    client.force_login(world.user("annotator"))
    addresses = [f"/c/tea/campaigns/{end}" for end in ("", "main/", "main/label/")]
    addresses += [f"/api/collections/tea/campaigns/{end}" for end in ("", "main/", "main/judgments/", "main/next/")]
    before = {address: stable(client, address) for address in addresses}
    mail = mail_to(world.user("annotator"))
    assert "1 item to judge" in mail
    MachineReply.objects.all().delete()
    for assignment in world.machine_run.annotator.assignments.all():
        assignment.judgments.all().delete()
        assignment.state = AssignmentState.WITHDRAWN
        assignment.save()
    assert {address: stable(client, address) for address in addresses} == before
    assert mail_to(world.user("annotator")) == mail


def stable(client: Client, address: str) -> tuple[int, int]:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.status_code, len(answer.content)


@pytest.mark.slow
def test_no_address_shows_an_annotator_what_a_machine_said_with_its_label(world: World) -> None:
    session = session_of(world.user("annotator"))
    judged = session_of(world.user("manager"))
    where = {"slug": "tea", "campaign": "main"}
    CLIENT.cookies[settings.SESSION_COOKIE_NAME] = judged
    assert SAID in CLIENT.get(reverse("judgment_list", kwargs=where)).text  # where people who oversee look
    lines = [line for line in TABLE if line.method == "GET" and line.expected[ROLES.index("annotator")] != "403"]
    answers = {line.name: body_of(ask(line, world, session, path_of(line, world))) for line in lines}
    assert [name for name, text in answers.items() if "Quartzreply" in text] == []


def test_a_machine_holds_no_slot_that_a_person_needs(world: World) -> None:
    taken = world.item.assignments.filter(slot__isnull=False)
    assert [each.annotator.name for each in taken] == ["annotator"]
    client = Client()
    client.force_login(world.user("annotator"))
    answer = client.get("/api/collections/tea/campaigns/main/next/")
    assert answer.status_code == 200
    assert str(world.assignment.pk) in answer.content.decode()
