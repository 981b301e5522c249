"""What can be done with a collection as a whole: archived and reopened, by page and REST (the command
`archive_collection` is in commands.py); deleted, by page and command (and over REST, in api).
Creating and changing one, its members and its backup are in pages, api and commands."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from rest_framework import serializers

from accounts.operations import Found, Operation, Place, Rest
from corpus.collections.collections import (
    archive_collection,
    reopen_collection,
    request_removal,
    why_not_archived,
)
from corpus.collections.contents import extent
from corpus.collections.forms import RemovalForm
from corpus.collections.places import in_collection
from corpus.collections.rules import MANAGE
from corpus.models import Collection, CollectionRemoval

SETTINGS = in_collection("settings", "collection_edit")


class CollectionSerializer(serializers.ModelSerializer[Collection]):
    class Meta:
        model = Collection
        fields = ("slug", "title", "description", "licence", "language", "created_at", "archived_at")
        read_only_fields = ("created_at", "archived_at")


class RemovalSerializer(serializers.ModelSerializer[CollectionRemoval]):
    class Meta:
        model = CollectionRemoval
        fields = ("id", "slug", "title", "state", "requested_at")


def _settings(collection: Collection) -> str:
    return reverse("collection_edit", args=[collection.slug])


def _with_extent(place: Place) -> Place:
    """Its page shows what the collection holds, and what must end before it can be archived."""

    def page(request: HttpRequest, roles: tuple[Any, ...], slug: str) -> Found:
        found = place.page(request, roles, slug=slug)
        collection = found.target["collection"]
        no_archiving = [] if collection.archived_at else why_not_archived(collection)
        return replace(found, shown=found.shown | {"extent": extent(collection), "no_archiving": no_archiving})

    return replace(place, page=page)


def _deleted(run: CollectionRemoval) -> tuple[str, dict[str, Any]]:
    rows = sum(run.counts.values())
    return f"Deleted {run.slug} with {rows:,} rows. The audit log is kept.", {"slug": run.slug, "rows": run.counts}


ARCHIVE_COLLECTION = Operation(
    rest=Rest("collections_archive", CollectionSerializer, status=200),
    action=archive_collection,
    place=SETTINGS,
    roles=MANAGE,
    about="Make the collection read-only.",
    title="Archive the collection",
    button="Archive",
    report=lambda _: "Collection archived. It can be read, but not changed.",
    goes_to=_settings,
    shows=lambda collection: CollectionSerializer(collection).data,
)

REOPEN_COLLECTION = Operation(
    rest=Rest("collections_reopen", CollectionSerializer, status=200),
    action=reopen_collection,
    place=SETTINGS,
    roles=MANAGE,
    about="Take the collection out of the archive.",
    title="Reopen the collection",
    button="Reopen",
    report=lambda _: "Collection reopened.",
    goes_to=_settings,
    shows=lambda collection: CollectionSerializer(collection).data,
)

DELETE_COLLECTION = Operation(
    called="delete_collection",
    task="Look after",
    example="delete_collection demo --confirm demo",
    action=request_removal,
    form=RemovalForm,
    place=_with_extent(SETTINGS),
    roles=MANAGE,
    about="Delete an archived collection with everything in it. Make its backup first: without it, this is final.",
    title="Delete the collection",
    button="Delete this collection",
    template="corpus/collections/collection_delete.html",
    report=lambda run: f"{run.title} is being deleted. This page shows the progress.",
    goes_to=lambda run: reverse("collection_removal", args=[run.pk]),
    shows=lambda run: RemovalSerializer(run).data,
    finished=_deleted,
)
