"""What can be done with releases: asked for, by page and REST (the command `release` is in commands.py); of a frozen
one, its DOI and address are stated, at every door."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from rest_framework import serializers

from accounts.operations import Found, Operation, Rest
from adjudication.labels.rules import check_none_sealed
from adjudication.models import Release
from adjudication.releases.checks import by_page, check_list
from adjudication.releases.forms import ReleaseAddressForm, ReleaseForm
from adjudication.releases.recipe import make_recipe
from adjudication.releases.releases import request_release, state_release_address
from adjudication.releases.rules import check_can_read_release
from adjudication.releases.statement import answers_of, unanswered
from corpus.collections.places import in_collection, thing_in_collection
from corpus.collections.rules import MANAGE, check_not_archived, fetch_membership

_collection = in_collection("releases", "release_list", "collection")


def _with_check_list(request: HttpRequest, roles: tuple[Any, ...], slug: str) -> Found:
    """The check list, with the form below it. Errors: also NotAllowed for who still has to judge."""
    check_can_read_release(fetch_membership(request.user, slug))
    found = _collection.page(request, roles, slug)
    collection = found.target["collection"]
    check_not_archived(collection)
    recipe = make_recipe(collection)
    check_none_sealed(recipe.campaigns)
    checks = check_list(recipe)
    blocking, notes = ([one for one in checks if one.blocking is blocks] for blocks in (True, False))
    shown = {
        **found.shown,
        "recipe": recipe,
        "blocking": by_page(blocking),
        "notes": by_page(notes),
        "count_notes": len(notes),
        "unanswered": unanswered(answers_of(collection)),
    }
    return replace(found, form={**found.form, "has_open_findings": bool(blocking)}, shown=shown)


class ReleaseSerializer(serializers.ModelSerializer[Release]):
    class Meta:
        model = Release
        fields = (
            "name",
            "version",
            "state",
            "reason",
            "requested_at",
            "frozen_at",
            "force_reason",
            "findings",
            "manifest_sha256",
            "summary",
            "public_at",
            "doi",
            "address",
        )
        read_only_fields = fields


REQUEST_RELEASE = Operation(
    rest=Rest("releases_create", ReleaseSerializer, status=202, takes="ReleaseRequest"),
    action=request_release,
    form=ReleaseForm,
    place=replace(_collection, page=_with_check_list),
    roles=MANAGE,
    about="Ask for a release; 422 says what the check list found. `force` is the reason to make it anyway.",
    title="New release",
    button="Freeze this version",
    template="adjudication/releases/release_form.html",
    named=("name",),
    report=lambda release: f"Release {release.name} is being made. This page shows how far it is.",
    goes_to=lambda release: reverse("release_list", args=[release.collection.slug]),
    shows=lambda release: ReleaseSerializer(release).data,
)

_frozen = thing_in_collection(
    "release", lambda of: of.releases.frozen().select_related("collection"), "releases", "release_list", key="name"
)


def _page_of(release: Release) -> str:
    return reverse("release_detail", args=[release.collection.slug, release.name])


def _with_form(found: Found) -> Found:
    release = found.target["release"]
    shown = {**found.shown, "heading": f"DOI and address of release {release.name}"}
    return replace(found, form={"release": release}, shown=shown, back=_page_of(release))


def _on_page(request: HttpRequest, roles: tuple[Any, ...], **where: Any) -> Found:
    """Errors: also NotAllowed for who still has to judge, as on all pages of releases."""
    check_can_read_release(fetch_membership(request.user, where["slug"]))
    return _with_form(_frozen.page(request, roles, **where))


def _report(release: Release) -> str:
    stated = ", ".join(filter(None, (release.doi and f"DOI {release.doi}", release.address)))
    return f"Release {release.name}: {stated}." if stated else f"Release {release.name} has no DOI and no address."


class ReleaseAddressSerializer(serializers.ModelSerializer[Release]):
    class Meta:
        model = Release
        fields = ("name", "doi", "address")
        read_only_fields = fields


STATE_RELEASE_ADDRESS = Operation(
    called="state_release_address",
    rest=Rest("releases_address", ReleaseAddressSerializer, status=200, takes="StatedAddress"),
    task="Publish",
    example="state_release_address demo v1 --doi 10.5281/zenodo.1234567",
    action=state_release_address,
    form=ReleaseAddressForm,
    place=replace(
        _frozen,
        page=_on_page,
        rest=lambda view: _with_form(_frozen.rest(view)),
        command=lambda **where: _with_form(_frozen.command(**where)),
    ),
    roles=MANAGE,
    about="State the DOI and address at which a data repository has a frozen release. Its files stay as they are;"
    " both can be corrected.",
    title="DOI and address of a release",
    lead="Where others find this release. Its files stay as they were frozen; you can correct both later.",
    button="Save",
    report=_report,
    goes_to=_page_of,
    shows=lambda release: ReleaseAddressSerializer(release).data,
    is_change=True,
)
