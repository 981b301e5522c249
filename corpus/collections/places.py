"""Where verbs are done: in a collection, or to one of its things (see accounts/operations.py)."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from accounts.management.reporting import IN_COLLECTION
from accounts.operations import Found, Place
from accounts.refusals import NotHere
from corpus.collections.collections import collection_with
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import check_role, fetch_membership
from corpus.models import Collection


def in_collection(tab: str, back: str, *form_gets: str) -> Place:
    """The collection itself, which the action gets, and the form that asks for "collection". `back` is a page."""
    return _place(lambda collection: {"collection": collection}, tab, back, {}, form_gets)


def thing_in_collection(name: str, things: Callable[..., QuerySet[Any]], tab: str, back: str, *, key: str) -> Place:
    """One of a collection's `things`: the action gets it by its `name`; addresses and commands know its `key`."""

    def target(collection: Collection, **where: Any) -> dict[str, Any]:
        if (found := things(collection).filter(**where).first()) is None:
            raise NotHere(f"There is no {name} {where[key]} in {collection.slug}.")
        return {name: found}

    return _place(target, tab, back, {key: f"{'number' if key == 'pk' else key} of the {name}"})


def _place(target: Any, tab: str, back: str, arguments: dict[str, str], form_gets: tuple[str, ...] = ()) -> Place:
    def find(collection: Collection, where: dict[str, Any], shown: dict[str, Any]) -> Found:
        found = target(collection, **where)
        return Found(found, {name: found[name] for name in form_gets}, shown, reverse(back, args=[collection.slug]))

    def page(request: HttpRequest, roles: tuple[Any, ...], slug: str, **where: Any) -> Found:
        membership = fetch_membership(request.user, slug)
        check_role(membership, *roles)
        return find(membership.collection, where, collection_context(membership, tab))

    return Place(
        page,
        rest=lambda view: find(view.collection, {name: view.kwargs[name] for name in arguments}, {}),
        command=lambda slug, **where: find(collection_with(slug), where, {}),
        arguments=IN_COLLECTION | arguments,
    )
