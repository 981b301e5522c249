"""Annotators learn nothing of machine annotators: no name, grade, reply, run or prompt, on no address they can open."""

import pytest
from django.test import Client

from annotation.machines.jobs.machine_labels import MachineAnswer, store_replies
from annotation.models import Annotator, AssignmentState, MachineReply, MachineRun, ReplyState
from corpus.models import PromptTemplate, Role
from tests.access_table import ROLES, TABLE
from tests.access_world import World, make_world
from tests.factories.accounts import AT
from tests.test_access import ask, path_of, session_of

pytestmark = pytest.mark.django_db

SECRETS = ("Quartzmachine", "Quartzreply", "Quartzprompt", "quartz")
OPEN = {"200", "ok", "form"}


@pytest.fixture
def world() -> World:
    """A machine has judged the annotator's own item, and one reply could not be read."""
    world = make_world()
    Annotator.objects.filter(pk=world.machine_run.annotator_id).update(name="Quartzmachine", model="Quartzmachine")
    PromptTemplate.objects.filter(pk=world.prompt.pk).update(name="Quartzprompt", body="Quartzprompt {aspect}")
    run = MachineRun.objects.select_related("criterion").get(pk=world.machine_run.pk)
    MachineReply.objects.filter(run=run).delete()
    store_replies(run, [MachineAnswer(world.item.pk, ReplyState.ANSWERED, "Quartzreply. Answer: 2", 2)], AT)
    return world


def test_no_address_that_an_annotator_can_open_reveals_a_machine(world: World) -> None:
    place = ROLES.index("annotator")
    lines = [line for line in TABLE if line.expected[place] in OPEN]
    assert len(lines) > 40
    session = session_of(world.members[Role.ANNOTATOR].user)
    for line in lines:
        answer = ask(line, world, session, path_of(line, world))
        body = b"".join(answer) if answer.streaming else answer.content
        text = (body + repr(list(answer.items())).encode()).decode(errors="replace").lower()
        for secret in SECRETS:
            assert secret.lower() not in text, f"{line.name} {line.method} reveals {secret}"


def test_counts_an_annotator_sees_do_not_move_when_a_machine_judges(world: World) -> None:
    client = Client()
    client.force_login(world.user("annotator"))
    addresses = [f"/c/tea/campaigns/{end}" for end in ("", "main/", "main/label/")]
    addresses += [f"/api/collections/tea/campaigns/{end}" for end in ("", "main/", "main/judgments/", "main/next/")]
    before = {address: stable(client, address) for address in addresses}
    MachineReply.objects.all().delete()
    for assignment in world.machine_run.annotator.assignments.all():
        assignment.judgments.all().delete()
        assignment.state = AssignmentState.WITHDRAWN
        assignment.save()
    assert {address: stable(client, address) for address in addresses} == before


def stable(client: Client, address: str) -> tuple[int, int]:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.status_code, len(answer.content)


def test_a_machine_holds_no_slot_that_a_person_needs(world: World) -> None:
    taken = world.item.assignments.filter(slot__isnull=False)
    assert [each.annotator.name for each in taken] == ["annotator"]
    client = Client()
    client.force_login(world.user("annotator"))
    answer = client.get("/api/collections/tea/campaigns/main/next/")
    assert answer.status_code == 200
    assert str(world.assignment.pk) in answer.content.decode()
