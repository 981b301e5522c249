"""Consent through the API: what a collection asks for, and one's own answer."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from annotation.consent.consents import standing_of, took_part
from annotation.consent.operations import (
    GIVE_CONSENT,
    SET_CONSENT,
    WITHDRAW_CONSENT,
    ConsentSerializer,
    ConsentTextSerializer,
)
from corpus.collections.api.base import InCollectionView
from corpus.models import Collection, Role


class ConsentStandingSerializer(serializers.Serializer[Any]):
    text = ConsentTextSerializer(allow_null=True, help_text="null: nothing is asked for")
    given = ConsentSerializer(allow_null=True, help_text="your consent to it; null: not given, or withdrawn")


class ConsentTextView(InCollectionView):
    """What the collection asks its annotators to agree to."""

    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": tuple(Role)}

    @extend_schema(operation_id="consent_read", responses=answers({200: ConsentStandingSerializer}))
    def get(self, request: Request, slug: str) -> Response:
        """The text that is asked for, and your own consent to it."""
        return Response(ConsentStandingSerializer(standing_of(self.person, self.collection)).data)

    put = SET_CONSENT.method


class ConsentView(InCollectionView):
    """Your own consent. Who has left the collection can withdraw it, also from an archive."""

    takes_archived = True  # a withdrawal

    def check_access(self, method: str) -> None:
        if method != "DELETE":
            super().check_access(method)

    @property
    def collection(self) -> Collection:
        if self.request.method != "DELETE":
            return super().collection
        return get_object_or_404(took_part(self.person), slug=self.kwargs["slug"])

    post = GIVE_CONSENT.method
    delete = WITHDRAW_CONSENT.method
