"""What the labelling screen sends, for the tests."""

import json
import uuid

from django.test import Client
from django.urls import reverse

from tests.factories.adjudication import Built


def address(built: Built, name: str = "labelling_screen") -> str:
    return reverse(name, args=[built.collection.slug, built.campaign.slug])


def submission(assignment: object, value: int = 1, **more: object) -> dict[str, object]:
    data = {"uuid": str(uuid.uuid4()), "assignment": assignment.pk, "kind": "answer", "answers": {"relevance": value}}
    return {**data, **more}


def post(client: Client, built: Built, *submissions: dict[str, object], have: object = None):
    body = {"submissions": list(submissions), "have": have}
    return client.post(address(built, "submission_create"), json.dumps(body), content_type="application/json")


def page_data(response) -> dict[str, object]:
    """What the page gives its script."""
    text = response.content.decode()
    start = text.index('<script id="label-data" type="application/json">')
    return json.loads(text[text.index(">", start) + 1 : text.index("</script>", start)])
