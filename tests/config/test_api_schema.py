"""The API against its own description: schemathesis finds no 500, no undeclared answer, no body off its schema."""

import os
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, settings

from accounts.models import ApiToken
from corpus.models import Role
from tests.access_world import World, make_world
from tests.factories.accounts import make_token

EXAMPLES = int(os.environ.get("LITMUS_API_EXAMPLES", "4"))  # for each operation
PARTS = 6  # of the operations, for several processes


@pytest.fixture(scope="module")
def operations() -> list[Any]:
    import schemathesis  # two seconds, which processes without these tests need not wait

    schema: Any = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(public=True))
    schema.app = get_wsgi_application()
    return [result.ok() for result in schema.get_all_operations()]


@pytest.fixture(scope="module")
def shared_world(module_db: None) -> World:
    return make_world()


@pytest.fixture(scope="module")
def keys(shared_world: World) -> dict[Role, str]:
    """A key of each role that may write."""
    made = {role: make_token(shared_world.members[role].user)[1] for role in (Role.MANAGER, Role.ANNOTATOR)}
    ApiToken.objects.update(last_used_at=timezone.now())  # or each request would write that it is used
    return made


@pytest.fixture
def world(shared_world: World, db: None) -> Iterator[World]:
    """One of everything; what a test writes is taken back, so that no request may end the connection."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield shared_world
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.slow
def test_every_operation_says_in_a_line_what_it_does_and_which_tokens_it_takes(operations: list[Any]) -> None:
    assert {operation.path for operation in operations} >= {"/api/collections/", "/api/collections/{slug}/documents/"}
    summaries = {operation.label: operation.definition.raw.get("summary", "") for operation in operations}
    assert not [label for label, summary in summaries.items() if not 8 <= len(summary) <= 120], summaries
    texts = [operation.definition.raw.get("description", "") for operation in operations]
    assert not [text for text in texts if "Scope of the token: `" not in text]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_is_sent_is_answered_as_declared(
    operations: list[Any], part: int, world: World, keys: dict[Role, str]
) -> None:
    """Errors: what schemathesis finds, with the request that shows it."""
    from schemathesis import checks

    declared = [
        checks.not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
    ]
    for operation in operations[part::PARTS]:
        cases = examples(operation, world)
        for key in keys.values():
            with transaction.atomic():
                for case in cases:
                    answer = case.call_and_validate(headers={"Authorization": f"Bearer {key}"}, checks=declared)
                    if answer.status_code == HTTPStatus.FORBIDDEN:
                        break  # whatever is sent: the same requests with the key of a manager are read
                transaction.set_rollback(True)


@pytest.mark.slow
def test_addresses_take_the_described_methods_alone(
    operations: list[Any], world: World, keys: dict[Role, str], client: Client
) -> None:
    """Django REST framework also answers OPTIONS, by the fields of a serializer that many views do not have: 500."""
    paths = {operation.path.format_map(real_names(operation, world)) for operation in operations}
    headers = {"Authorization": f"Bearer {keys[Role.MANAGER]}"}
    answers = {path: client.options(path, headers=headers).status_code for path in paths}
    assert {path: status for path, status in answers.items() if status not in (403, 404, 405)} == {}


def real_names(operation: Any, world: World) -> dict[str, Any]:
    """{parameter of the address: what the world has}."""
    job = world.pool_run if "/pools/" in operation.path else world.import_run
    return {
        "slug": world.collection.slug,
        "campaign": world.campaign.slug,
        "docno": world.document.docno,
        "number": world.topic.number,
        "pk": job.pk,
        "name": "topics",
        "id": job.pk,
        "path": "README.md",
        "author": job.pk,  # no author has it
        "kind": "imports",  # of a job
    }


def examples(operation: Any, world: World) -> list[Any]:
    """Requests with anything in them but names that exist, or every answer would be 404. To make one costs more than
    to send it, and they are the same for each role."""
    real = real_names(operation, world)
    made: list[Any] = []

    @given(
        case=operation.as_strategy(path_parameters={each.name: real[each.name] for each in operation.path_parameters})
    )
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def collect(case: Any) -> None:
        made.append(case)

    collect()
    assert made
    return made
