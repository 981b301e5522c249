"""Questions of annotators to the managers of `build_work`, and their answers."""

from datetime import timedelta
from uuid import UUID, uuid4

from django.test import Client

from annotation.inquiries.asking import answer_inquiry, ask_managers
from annotation.models import Inquiry
from tests.factories.adjudication import AT, Built
from tests.factories.labelling import assignment_of

CAMPAIGN = ["tea", "main"]
ASKED = "Does a review of green tea count?"
ANSWERED = "Yes: a review counts as well."
SOON = AT + timedelta(hours=1)


def ask(built: Built, person: str = "ana", item: int = 0, text: str = ASKED, uuid: UUID | None = None) -> Inquiry:
    return ask_managers(
        collection=built.collection.slug,
        campaign=built.campaign.slug,
        assignment=assignment_of(built, person, item).pk,
        uuid=uuid or uuid4(),
        text=text,
        by=built.people[person],
        at=AT,
    )


def answer(
    built: Built, inquiry: Inquiry, text: str = ANSWERED, audience: str = "asker", by: str = "manager"
) -> Inquiry:
    return answer_inquiry(
        campaign=built.campaign, inquiry=inquiry.pk, answer=text, audience=audience, by=built.people[by], at=SOON
    )


def client_of(built: Built, person: str) -> Client:
    client = Client()
    client.force_login(built.people[person])
    return client
