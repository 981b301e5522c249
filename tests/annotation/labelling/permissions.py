"""The browser of a person of the world."""

from django.test import Client

from tests.factories.adjudication import Built
from tests.factories.rubrics import Rubric


def client_of(built: Built | Rubric, person: str = "ana") -> Client:
    client = Client()
    client.force_login(built.people[person])
    return client
