"""Publications of a release: listed and asked for by managers."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.jobs import with_live_progress
from accounts.schema import answers
from adjudication.models import Publication, Release
from adjudication.models.publications import Destination
from adjudication.publications.actions import request_publication
from adjudication.releases.api import MANAGERS, ReleaseReader
from corpus.models import Role


class PublicationSerializer(serializers.ModelSerializer[Publication]):
    class Meta:
        model = Publication
        fields = (
            "id",
            "destination",
            "anonymous",
            "public",
            "repository",
            "state",
            "reason",
            "requested_at",
            "finished_at",
            "done",
            "total",
            "files_there",
            "files_sent",
            "remote",
            "address",
            "doi",
        )
        read_only_fields = fields


class PublicationRequestSerializer(serializers.Serializer[Any]):
    destination = serializers.ChoiceField(choices=Destination.choices)
    repository = serializers.CharField(
        max_length=200, required=False, allow_blank=True, default="", help_text="at the Hub: name or owner/name"
    )
    anonymous = serializers.BooleanField(required=False, default=False, help_text="the variant without names")
    public = serializers.BooleanField(required=False, default=False, help_text="instead of private or a draft")
    token = serializers.CharField(
        max_length=512,
        required=False,
        allow_blank=True,
        default="",
        write_only=True,
        help_text="kept encrypted until the job ends; without one, that of the server",
    )


class PublicationReader(ReleaseReader):
    """Of frozen releases only."""

    def release(self, name: str) -> Release:
        """The frozen release of that name. Errors: Http404."""
        return get_object_or_404(self.collection.releases.frozen().select_related("collection"), name=name)


class PublicationList(PublicationReader):
    """All publications of a release, newest first."""

    serializer_class = PublicationSerializer
    pagination_class = None  # type: ignore[assignment] # a handful
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGERS, "POST": MANAGERS}

    @extend_schema(
        operation_id="publications_list", responses=answers({200: PublicationSerializer(many=True)}, 403, 404)
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """List them, those that failed among them."""
        return Response(PublicationSerializer(self.release(name).publications.order_by("-pk"), many=True).data)

    @extend_schema(
        operation_id="publications_create",
        request=PublicationRequestSerializer,
        responses=answers({202: PublicationSerializer}, 400, 403, 404, 409, 422),
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Send the release to the Hugging Face Hub or to Zenodo: private, or as a draft, unless `public`."""
        release = self.release(name)
        values = self.body(PublicationRequestSerializer)
        publication = request_publication(release=release, by=self.membership.user, at=timezone.now(), **values)
        return Response(PublicationSerializer(publication).data, status=202)


class PublicationDetail(PublicationReader):
    """One publication."""

    serializer_class = PublicationSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGERS}

    @extend_schema(operation_id="publications_read", responses=answers({200: PublicationSerializer}, 403, 404))
    def get(self, request: Request, slug: str, name: str, pk: int) -> Response:
        """How far it is, and what came of it: address, DOI, or the reason why not."""
        found = get_object_or_404(self.release(name).publications, pk=pk)
        return Response(PublicationSerializer(with_live_progress(found)).data)
