"""Model endpoints added, changed, removed and tested by staff. Keys go in, and nothing brings them out again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction

from accounts.audit import record_event
from accounts.caches import volatile
from accounts.models import User
from accounts.refusals import Conflict, Refused, taken_is_conflict
from accounts.sealing import sealed
from corpus.endpoints.endpoints import DEFAULT, service_of
from corpus.endpoints.rules import check_staff
from corpus.endpoints.trials import Trial, try_service
from corpus.models import Collection, ModelEndpoint

ALL = "all"
TESTS, PERIOD = 3, 60  # tests of an endpoint in so many seconds: each costs money, and asks a server elsewhere


@transaction.atomic
def add_endpoint(
    *, by: User | None, at: datetime, name: str, purpose: str, key: str = "", **values: Any
) -> ModelEndpoint:
    """Set up an endpoint; `values` are those of `change_endpoint`. Errors: Conflict for a name that is taken."""
    check_staff(by)
    if name == DEFAULT:
        raise Refused(f"“{DEFAULT}” is the endpoint of the environment variables. Choose another name.")
    endpoint = ModelEndpoint(name=name, purpose=purpose, sealed_key=sealed(key), **_columns(values))
    with taken_is_conflict(f"There is an endpoint {name} already. Choose another name, or change that one."):
        endpoint.save()
    said = {"purpose": purpose, "has_key": bool(key), **values}
    record_event(by=by, at=at, verb="add_endpoint", target=endpoint, **said)
    return endpoint


@transaction.atomic
def change_endpoint(
    *,
    by: User | None,
    at: datetime,
    endpoint: ModelEndpoint,
    key: str = "",
    remove_key: bool = False,
    **values: Any,
) -> ModelEndpoint:
    """Change address, models, key, prices (of a million tokens), requests a minute (0: no limit) or collections.

    A key that is not given stays, except that it is never sent to another server than it was typed for. Errors: Refused
    for that, and for collections that do not exist.
    """
    check_staff(by)
    endpoint = ModelEndpoint.objects.select_for_update().get(pk=endpoint.pk)
    address = values.get("address", endpoint.address)
    if endpoint.sealed_key and not (key or remove_key) and urlsplit(address)[:2] != urlsplit(endpoint.address)[:2]:
        raise Refused("The stored key was typed for another server. Type the key of this one, or remove it.")
    if key or remove_key:
        endpoint.sealed_key = "" if remove_key else sealed(key)
    for name, value in _columns(values).items():
        setattr(endpoint, name, value)
    endpoint.save()
    said = values | ({"has_key": not remove_key} if key or remove_key else {})
    record_event(by=by, at=at, verb="change_endpoint", target=endpoint, **said)
    return endpoint


@transaction.atomic
def remove_endpoint(*, by: User | None, at: datetime, endpoint: ModelEndpoint) -> str:
    """Forget the endpoint with its key, and return its name. What runs asked there stays; runs that wait cannot go
    on, and say so."""
    check_staff(by)
    record_event(by=by, at=at, verb="remove_endpoint", target=endpoint, address=endpoint.address)
    endpoint.delete()
    return endpoint.name


def test_endpoint(*, by: User | None, at: datetime, endpoint: ModelEndpoint) -> Trial:
    """Ask the first model one small question. Errors: Refused with what went wrong; Conflict if asked too often."""
    check_staff(by)
    asked = f"endpoint-tests:{endpoint.pk}"
    if (count := volatile.get(asked, 0)) >= TESTS:
        raise Conflict(f"{endpoint} was tested {TESTS} times just now. Wait a minute.", retry_after=PERIOD)
    volatile.set(asked, count + 1, PERIOD)
    record_event(by=by, at=at, verb="test_endpoint", target=endpoint, model=endpoint.model_names[0])
    return try_service(service_of(endpoint), endpoint.purpose)


def _columns(values: dict[str, Any]) -> dict[str, Any]:
    """The values as they are stored."""
    found = {"model_names" if name == "models" else name: value for name, value in values.items()}
    return found | ({"collections": _ids_of(found["collections"])} if "collections" in found else {})


def _ids_of(slugs: Sequence[str]) -> list[int] | None:
    """None for all collections. Errors: Refused for one that does not exist."""
    if list(slugs) == [ALL]:
        return None
    known = dict(Collection.objects.filter(slug__in=slugs).values_list("slug", "pk"))
    if unknown := [slug for slug in slugs if slug not in known]:
        raise Refused(f"There is no collection {unknown[0]}. Give short names of collections, or “{ALL}”.")
    return sorted(known.values())
