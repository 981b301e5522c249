"""Where verbs about a run that asks for questions, or about a call to authors, are done: see accounts/operations.py."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.management.reporting import IN_COLLECTION
from accounts.operations import Found, Place
from accounts.refusals import Refused
from corpus.collections.collections import collection_with
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import check_role, fetch_membership
from corpus.models import Collection


def thing_with_page(name: str, things: Callable[[Collection], QuerySet[Any]], *, tab: str, page: str) -> Place:
    """One of the collection's things, which the action gets by its `name`, with a page that its buttons lead back to.

    Addresses and commands know its number.
    """

    def find(thing: Any, shown: dict[str, Any]) -> Found:
        return Found({name: thing}, {}, shown, reverse(page, args=[thing.collection.slug, thing.pk]))

    def on_page(request: HttpRequest, roles: tuple[Any, ...], slug: str, pk: int) -> Found:
        membership = fetch_membership(request.user, slug)
        check_role(membership, *roles)
        return find(get_object_or_404(things(membership.collection), pk=pk), collection_context(membership, tab))

    def for_command(slug: str, pk: str) -> Found:
        found = things(collection_with(slug)).filter(pk=pk).first() if pk.isdecimal() else None
        if found is None:
            raise Refused(f"There is no {name} {pk} in {slug}.")
        return find(found, {})

    return Place(
        on_page,
        rest=lambda view: find(get_object_or_404(things(view.collection), pk=view.kwargs["pk"]), {}),
        command=for_command,
        arguments=IN_COLLECTION | {"pk": f"number of the {name}"},
    )
