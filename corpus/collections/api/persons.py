"""A person's data: the caller's own, and for staff that of everyone."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ErasureRequest, User
from accounts.schema import answers
from corpus.collections.api.base import ApiView
from corpus.collections.collections import people, pseudonym_of
from corpus.collections.persons import (
    data_of,
    request_erasure,
    request_person_erasure,
    take_out_data,
    withdraw_erasure_request,
)
from corpus.collections.rules import check_can_see_people
from corpus.models import PersonErasure as ErasureRun

LABELS = [("keep", "kept under a pseudonym"), ("exclude", "excluded")]


class LabelsSerializer(serializers.Serializer[Any]):
    """What becomes of the person's labels."""

    labels = serializers.ChoiceField(choices=LABELS)


class PersonErasureSerializer(LabelsSerializer):
    """What becomes of the person's labels, and the person's address to confirm."""

    confirm = serializers.CharField(max_length=254)


class ErasureSerializer(serializers.ModelSerializer[ErasureRun]):
    """The job that erases, and what the person is called once it is done."""

    pseudonym = serializers.SerializerMethodField()

    class Meta:
        model = ErasureRun
        fields = ("id", "state", "requested_at", "pseudonym")

    def get_pseudonym(self, run: ErasureRun) -> str:
        return pseudonym_of(run.person)[0]


class ErasureRequestSerializer(serializers.Serializer[ErasureRequest]):
    """A request for erasure."""

    labels = serializers.SerializerMethodField()
    requested_at = serializers.DateTimeField()

    def get_labels(self, erasure_request: ErasureRequest) -> str:
        return "keep" if erasure_request.keep_labels else "exclude"


class PersonSerializer(serializers.ModelSerializer[User]):
    """A person with an account; `erasure_request` null: they have not asked for one."""

    erasure_request = ErasureRequestSerializer(allow_null=True, default=None)

    class Meta:
        model = User
        fields = ("id", "email", "name", "is_active", "is_staff", "date_joined", "last_login", "erasure_request")


class OwnData(ApiView):
    """The caller's own data."""

    serializer_class = PersonSerializer

    @extend_schema(operation_id="me_data", responses=answers({200: OpenApiTypes.OBJECT}))
    def get(self, request: Request) -> Response:
        """Read everything that Litmus stores about you."""
        return Response(data_of(self.person))


class OwnErasureRequest(ApiView):
    """The caller's request for erasure."""

    serializer_class = LabelsSerializer

    @extend_schema(operation_id="me_erasure_request", responses=answers({200: ErasureRequestSerializer}, 415))
    def put(self, request: Request) -> Response:
        """Ask staff to erase your name and address, and say what becomes of your labels."""
        keep = self.body(LabelsSerializer)["labels"] == "keep"
        erasure_request = request_erasure(by=self.person, at=timezone.now(), keep_labels=keep)
        return Response(ErasureRequestSerializer(erasure_request).data)

    @extend_schema(operation_id="me_erasure_request_withdraw", responses=answers({204: None}, 409))
    def delete(self, request: Request) -> Response:
        """Withdraw your request for erasure."""
        withdraw_erasure_request(by=self.person, at=timezone.now())
        return Response(status=204)


class PersonList(ApiView):
    """Everyone with an account."""

    serializer_class = PersonSerializer

    def get_queryset(self) -> QuerySet[User]:
        return people(text=self.request.query_params.get("q", ""))

    @extend_schema(
        operation_id="people_list",
        parameters=[OpenApiParameter("q", str, description="Part of a name or an address.")],
        responses=answers({200: PersonSerializer(many=True)}),
    )
    def get(self, request: Request) -> Response:
        """List the people of this Litmus. For staff."""
        check_can_see_people(self.person)
        return self.listed()


class PersonData(ApiView):
    """Everything about one person."""

    serializer_class = PersonSerializer

    @extend_schema(operation_id="people_data", request=None, responses=answers({200: OpenApiTypes.OBJECT}))
    def post(self, request: Request, pk: int) -> Response:
        """Take out everything that Litmus stores about a person. For staff; it is logged, so it is no GET."""
        check_can_see_people(self.person)
        person = get_object_or_404(User, pk=pk)
        return Response(take_out_data(by=self.person, at=timezone.now(), user=person))


class PersonErasureView(ApiView):
    """The erasure of a person."""

    serializer_class = PersonErasureSerializer

    @extend_schema(operation_id="people_erase", responses=answers({202: ErasureSerializer}, 409, 415, 422))
    def post(self, request: Request, pk: int) -> Response:
        """End a person's access; a job replaces their name and address by a pseudonym everywhere.

        For staff; this cannot be undone.
        """
        check_can_see_people(self.person)
        person = get_object_or_404(User, pk=pk)
        values = self.body(PersonErasureSerializer)
        keep, confirm = values["labels"] == "keep", values["confirm"]
        run = request_person_erasure(by=self.person, at=timezone.now(), user=person, confirm=confirm, keep_labels=keep)
        return Response(ErasureSerializer(run).data, status=202)
