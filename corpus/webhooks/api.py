"""Webhooks and their deliveries over REST, for managers."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import MANAGE
from corpus.models import DeliveryState, Webhook, WebhookDelivery
from corpus.webhooks.operations import (
    ADD_WEBHOOK,
    CHANGE_WEBHOOK,
    REMOVE_WEBHOOK,
    DeliverySerializer,
    WebhookSerializer,
)

STATE = OpenApiParameter("state", enum=DeliveryState.values, description="Only deliveries in this state.")


class ManagersView(InCollectionView):
    """What only managers of the collection may see and do."""

    roles: ClassVar[Any] = {"GET": MANAGE}

    def webhook(self) -> Webhook:
        return get_object_or_404(self.collection.webhooks.select_related("collection"), pk=self.kwargs["pk"])


class WebhookList(ManagersView):
    """The webhooks of a collection."""

    serializer_class = WebhookSerializer

    def get_queryset(self) -> QuerySet[Webhook]:
        return self.collection.webhooks.all()

    @extend_schema(operation_id="webhooks_list", responses=answers({200: WebhookSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List the webhooks."""
        return self.listed()

    post = ADD_WEBHOOK.method


class WebhookDetail(ManagersView):
    """One webhook."""

    serializer_class = WebhookSerializer

    @extend_schema(operation_id="webhooks_read", responses=answers({200: WebhookSerializer}))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Read a webhook, without its secret."""
        return Response(WebhookSerializer(self.webhook()).data)

    patch = CHANGE_WEBHOOK.method
    delete = REMOVE_WEBHOOK.method


class DeliveryList(ManagersView):
    """The deliveries to a webhook."""

    serializer_class = DeliverySerializer
    ordering = "-id"

    def get_queryset(self) -> QuerySet[WebhookDelivery]:
        found = self.webhook().deliveries.all()
        state = self.request.query_params.get("state")
        return found.filter(state=state) if state else found

    @extend_schema(
        operation_id="webhooks_list_deliveries",
        parameters=[STATE],
        responses=answers({200: DeliverySerializer(many=True)}),
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List the deliveries to a webhook, the newest first."""
        return self.listed()
