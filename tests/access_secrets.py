"""What some may not see of the world of the access table, planted as words that no address may show them."""

from annotation.models import Annotator, Inquiry, MachineReply
from corpus.models import PromptTemplate
from tests.access_world import World
from tests.factories.accounts import AT

MACHINES = ("Quartzmachine", "Quartzreply", "Quartzprompt")
QUESTIONS = ("Quartzquestion", "Quartzanswer")
SECRETS = {
    "anonymous": MACHINES + QUESTIONS,
    "outsider": MACHINES + QUESTIONS,
    "annotator": MACHINES + QUESTIONS,
    "viewer": QUESTIONS,
    "adjudicator": QUESTIONS,
    "manager": (),
}


def name_the_machine(world: World) -> None:
    """What the world's machine is called, was asked and has said of the annotator's own item."""
    Annotator.objects.filter(pk=world.machine_run.annotator_id).update(name="Quartzmachine", model="Quartzmachine")
    PromptTemplate.objects.filter(pk=world.prompt.pk).update(name="Quartzprompt", body="Quartzprompt {aspect}")
    MachineReply.objects.filter(run=world.machine_run).update(text="Quartzreply.")


def another_asks(world: World, audience: str) -> Inquiry:
    """Somebody else of the campaign asked about the annotator's item, and the manager answered this audience."""
    asker = Annotator.objects.create(campaign=world.inquiry.campaign, name="Quartzasker", created_at=AT)
    Inquiry.objects.filter(pk=world.inquiry.pk).update(
        annotator=asker,
        text="Quartzquestion",
        audience=audience,
        answer="Quartzanswer",
        answered_at=AT,
        answered_by=world.user("manager"),
    )
    return Inquiry.objects.get(pk=world.inquiry.pk)
