"""An import of files into a campaign, declared once: its page, its REST method and its command follow.

It is a job of the collection (corpus/imports), which is followed, cancelled and undone there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from accounts.models import User
from accounts.operations import Place, Rest
from accounts.refusal_messages import refusals_in_form
from accounts.schema import answers
from annotation.models import Campaign, CampaignState
from corpus.collections.pages.context import form_page
from corpus.collections.rules import MANAGE
from corpus.imports.api import FilesSerializer, ImportSerializer, fields_of_options, format_field
from corpus.imports.commands import ImportCommand
from corpus.imports.forms import parameters_from
from corpus.imports.pages import offered
from corpus.imports.registry import Importer, WayOn
from corpus.imports.requests import request_import
from corpus.models import ImportRun

SHOWN_RUNS = 10


@dataclass(frozen=True)
class CampaignImport:
    """Records of one sort that come into a campaign.

    `fetch` gives the campaign after checking that it takes them from this person. Errors: NotAllowed, Refused.
    """

    importer: Importer
    fetch: Callable[[Campaign, User | None], Campaign]
    place: Place
    lead: str  # of the page: what people must know before they choose files
    rest: Rest
    called: str  # these four are its command's (accounts/management/reporting.py)
    task: str
    example: str
    line: str

    @transaction.atomic
    def request(self, *, campaign: Campaign, by: User | None, at: datetime, **more: Any) -> ImportRun:
        """Request the import; `more` are the arguments of `request_import`. Errors: NotAllowed, Refused."""
        campaign = self.fetch(campaign, by)
        kind = self.importer.name
        return request_import(collection=campaign.collection, kind=kind, campaign=campaign.pk, by=by, at=at, **more)

    def runs(self, campaign: Campaign) -> QuerySet[ImportRun]:
        """The imports of this sort into the campaign."""
        return campaign.collection.import_runs.filter(kind=self.importer.name, parameters__campaign=campaign.pk)

    @property
    def page(self) -> Callable[..., HttpResponseBase]:
        """The view with the form."""

        @form_page
        def view(request: HttpRequest, **where: Any) -> HttpResponse:
            found = self.place.page(request, MANAGE, **where)
            campaign = found.target["campaign"]
            data = (request.POST, request.FILES) if request.method == "POST" else ()
            form = self.importer.form(*data, kind=self.importer.name, initial=offered(request, self.importer))
            if form.is_valid():
                with refusals_in_form(form, "uploads"):
                    values = {"files" if name == "uploads" else name: form.cleaned_data[name] for name in form.of_files}
                    run = self.request(
                        campaign=campaign, by=cast(User, request.user), at=timezone.now(), **values, **form.parameters
                    )
                    return redirect("import_detail", campaign.collection.slug, run.pk)
            is_closed = campaign.state == CampaignState.CLOSED
            shown = found.shown | {
                "declared": self,
                "form": form,
                "closed": f"The campaign is closed. Reopen it to import {self.importer.label}." if is_closed else "",
                "runs": self.runs(campaign).defer("errors").order_by("-pk")[:SHOWN_RUNS],
            }
            return render(
                request, "annotation/campaigns/campaign_import.html", shown, status=422 if form.errors else 200
            )

        view.__module__, view.__qualname__ = self.fetch.__module__, self.called  # whose address it is
        return view

    @property
    def takes(self) -> Any:
        """The serializer of what REST takes."""
        importer = self.importer

        def fields(shape: FilesSerializer) -> dict[str, Any]:
            common = FilesSerializer.get_fields(shape)
            return {**common, "format": format_field([importer]), **dict(fields_of_options(importer))}

        more = {"__doc__": importer.form.__doc__, "get_fields": fields}
        return type(f"{self.rest.takes}Serializer", (FilesSerializer,), more)

    @property
    def method(self) -> Any:
        """The method of a DRF view that takes files."""
        form, kind, takes = self.importer.form, self.importer.name, self.takes

        @extend_schema(
            operation_id=self.rest.name,
            request={"multipart/form-data": takes},
            responses=answers({202: ImportSerializer}, 409, 413, 415, 422),
        )
        def post(view: Any, request: Any, **where: Any) -> Response:  # noqa: ARG001 - as DRF calls it
            found, values = self.place.rest(view), view.body(takes)
            files = {name: values.pop(name) for name in ("files", "format", "dry_run")}
            options = parameters_from(form, kind, values)
            run = self.request(**found.target, by=view.person, at=timezone.now(), **files, **options)
            return Response(ImportSerializer(run).data, status=202)

        post.__doc__ = (
            f"Send files of {self.importer.label} to be read by a background job; follow it among the imports of the"
            " collection."
        )
        return post

    @property
    def command(self) -> type[ImportCommand]:
        """The management command."""
        declared = self

        class Command(ImportCommand):
            kind, where = declared.importer.name, declared.place.arguments

            def request(self, *, slug: str, **options: Any) -> ImportRun:
                found = declared.place.command(slug=slug, campaign=options["campaign"])
                more = {name: options[name] for name in ("files", "format", "dry_run")} | self.parameters(**options)
                return declared.request(**found.target, by=None, at=timezone.now(), send=False, **more)

        return Command


def way_on(result: str, label: str, again: str) -> Callable[[ImportRun], WayOn]:
    """The links of an importer: to this page of the campaign, which may have been deleted, and to the form again."""

    def links(run: ImportRun) -> WayOn:
        campaign = Campaign.objects.select_related("collection").filter(pk=run.parameters["campaign"]).first()
        if campaign is None:
            campaigns = reverse("campaign_list", args=[run.collection.slug])
            return WayOn(campaigns, "See the campaigns", campaigns)
        where = [campaign.collection.slug, campaign.slug]
        place = (campaign.name, reverse("campaign_detail", args=where))
        return WayOn(reverse(result, args=where), label, reverse(again, args=where), place)

    return links
