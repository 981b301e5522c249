"""Model endpoints over REST, for staff."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from corpus.collections.api.base import ApiView
from corpus.endpoints.operations import (
    ADD_ENDPOINT,
    CHANGE_ENDPOINT,
    REMOVE_ENDPOINT,
    EndpointSerializer,
    endpoint_with,
)
from corpus.endpoints.rules import check_staff
from corpus.models import ModelEndpoint


class StaffView(ApiView):
    """What only staff may see and do."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        check_staff(self.person)


class EndpointList(StaffView):
    """The model endpoints that staff have set up."""

    serializer_class = EndpointSerializer

    def get_queryset(self) -> QuerySet[ModelEndpoint]:
        return ModelEndpoint.objects.all()

    @extend_schema(operation_id="endpoints_list", responses=answers({200: EndpointSerializer(many=True)}))
    def get(self, request: Request) -> Response:
        """List the model endpoints."""
        return self.listed()

    post = ADD_ENDPOINT.method


class EndpointDetail(StaffView):
    """One model endpoint."""

    serializer_class = EndpointSerializer

    @extend_schema(operation_id="endpoints_read", responses=answers({200: EndpointSerializer}))
    def get(self, request: Request, name: str) -> Response:
        """Read a model endpoint, without its key."""
        return Response(EndpointSerializer(endpoint_with(name)).data)

    patch = CHANGE_ENDPOINT.method
    delete = REMOVE_ENDPOINT.method
