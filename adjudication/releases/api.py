"""Releases: listed and read by overseers, asked for by managers; lines that explain themselves."""

from pathlib import Path
from typing import ClassVar

from django.http import FileResponse, Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.files.storage import download
from accounts.schema import answers
from adjudication.models import Release
from adjudication.releases.archive import file_of
from adjudication.releases.explaining import explain
from adjudication.releases.operations import (
    REQUEST_RELEASE,
    STATE_RELEASE_ADDRESS,
    ReleaseSerializer,
)
from adjudication.releases.pages import zip_of
from adjudication.releases.rules import check_can_read_release
from corpus.collections.api.base import AnyType, InCollectionView
from corpus.collections.rules import OVERSEERS
from corpus.models import Role

ANONYMOUS = OpenApiParameter("anonymous", OpenApiTypes.BOOL, description="the variant without names")


class ReleaseReader(InCollectionView):
    """403 for who still has to judge."""

    def check_access(self, method: str) -> None:
        super().check_access(method)
        check_can_read_release(self.membership)


class ReleaseList(ReleaseReader):
    """All releases, newest first."""

    serializer_class = ReleaseSerializer
    pagination_class = None  # type: ignore[assignment] # a handful
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="releases_list", responses=answers({200: ReleaseSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List the releases, those that failed among them."""
        return Response(ReleaseSerializer(self.collection.releases.order_by("-pk"), many=True).data)

    post = REQUEST_RELEASE.method


class ReleaseDetail(ReleaseReader):
    """One release."""

    serializer_class = ReleaseSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="releases_read", responses=answers({200: ReleaseSerializer}))
    def get(self, request: Request, slug: str, name: str) -> Response:
        """How far it is, and what came of it. Of several attempts under one name, the newest."""
        found = self.collection.releases.filter(name=name).order_by("-pk").first()
        if found is None:
            raise Http404
        return Response(ReleaseSerializer(found).data)

    patch = STATE_RELEASE_ADDRESS.method


class FrozenReader(ReleaseReader):
    """The files of a frozen release, with names or without."""

    content_negotiation_class = AnyType
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @property
    def release(self) -> Release:
        return get_object_or_404(self.collection.releases.frozen(), name=self.kwargs["name"])

    @property
    def is_anonymous(self) -> bool:
        return self.request.query_params.get("anonymous", "").lower() in ("1", "true")


class ReleaseArchive(FrozenReader):
    """All files of a frozen release."""

    @extend_schema(
        operation_id="releases_archive",
        parameters=[ANONYMOUS],
        responses=answers({(200, "application/zip"): OpenApiTypes.BINARY}, 422),
    )
    def get(self, request: Request, slug: str, name: str) -> HttpResponseBase:
        """One ZIP archive of them, equal bytes each time."""
        return zip_of(self.release, anonymous=self.is_anonymous)


class ReleaseFile(FrozenReader):
    """One file of a frozen release."""

    @extend_schema(
        operation_id="releases_file",
        parameters=[ANONYMOUS],
        responses=answers({(200, "application/octet-stream"): OpenApiTypes.BINARY}),
    )
    def get(self, request: Request, slug: str, name: str, path: str) -> FileResponse:
        """The file as it was frozen; `manifest.json` lists them all."""
        found = file_of(self.release, path, anonymous=self.is_anonymous)
        if found is None:
            raise Http404
        return download(found, Path(path).name)


class LineDetail(ReleaseReader):
    """One judged pair, explained."""

    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(
        operation_id="lines_read",
        parameters=[
            OpenApiParameter("topic", OpenApiTypes.STR, required=True),
            OpenApiParameter("docno", OpenApiTypes.STR, required=True),
        ],
        responses=answers({200: OpenApiTypes.OBJECT}, 422),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Sources, labels under pseudonyms, votes, decision, and what the newest release has."""
        query = request.query_params
        return Response(explain(self.collection, query.get("topic", ""), query.get("docno", "")))
