"""What can be done with a frozen release: its DOI and address are stated."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from rest_framework import serializers

from accounts.operations import Found, Operation
from adjudication.models import Release
from adjudication.releases.actions import state_release_address
from adjudication.releases.forms import ReleaseAddressForm
from adjudication.releases.rules import check_can_read_release
from corpus.collections.places import thing_in_collection
from corpus.collections.rules import fetch_membership
from corpus.models import Role

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
    action=state_release_address,
    form=ReleaseAddressForm,
    place=replace(
        _frozen,
        page=_on_page,
        rest=lambda view: _with_form(_frozen.rest(view)),
        command=lambda **where: _with_form(_frozen.command(**where)),
    ),
    roles=(Role.MANAGER,),
    about="State the DOI and the address at which a repository of data has a frozen release. Its files stay as they"
    " are; both can be corrected.",
    title="DOI and address of a release",
    lead="Where others find this release. Its files stay as they were frozen; you can correct both later.",
    button="Save",
    report=_report,
    goes_to=_page_of,
    to_json=lambda release: ReleaseAddressSerializer(release).data,
    is_change=True,
)
