"""Calls to authors through the API: the steps of the pages and of `litmus author_calls`, in the same words.

For managers alone: calls hold people's addresses.
"""

from typing import Any, ClassVar, cast

from django.core.files.uploadedfile import UploadedFile
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import TokenScope
from accounts.parsers import MultiPartParser
from accounts.rest_fields import rest_field
from accounts.rest_records import serializer_of
from accounts.schema import answers
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import MANAGE
from corpus.imports.api import ImportErrorSerializer
from corpus.models import QuestionCall, Role
from corpus.questions.author_calls import (
    TakenIn,
    create_call,
    invite_authors,
    revoke_author,
    take_in_questions,
    update_call,
)
from corpus.questions.authors import (
    STATES,
    CallCounts,
    Letter,
    authors_as_json,
    authors_in_state,
    call_details,
    calls_of,
    invitations_of,
)
from corpus.questions.forms.authors import MAX_CSV_BYTES, CallForm, end_of
from corpus.questions.operations import (
    INVITE_AUTHOR,
    AuthorSerializer,
    MailingSerializer,
)


class CallSerializer(serializers.Serializer[Any]):
    """Until when authors may answer, and the source that topics made of their answers get."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment] # fields are taken off the class
    deadline_at = serializers.DateTimeField()


class CountedCallSerializer(CallSerializer):
    invited = serializers.IntegerField(source="n_invited")
    answered = serializers.IntegerField(source="n_answered")


LetterSerializer = serializer_of(Letter, "Letter")


CallCountsSerializer = serializer_of(CallCounts, "CallCounts")


class CallDetailsSerializer(CallSerializer):
    """`letter` is what the first author gets, `due` whom a mailing would go to, `ready` answers to make topics of."""

    guideline = serializers.CharField()
    mail_subject = serializers.CharField()
    mail_body = serializers.CharField()
    letter = LetterSerializer()
    counts = CallCountsSerializer()
    due = serializers.DictField(child=serializers.IntegerField())
    is_over = serializers.BooleanField()
    ready = serializers.IntegerField()
    mailing = MailingSerializer(allow_null=True)


class WrittenCallSerializer(serializers.Serializer[Any]):
    """What a manager writes. Texts that are left out are Litmus's own, those of the form on the page."""

    former: ClassVar[dict[str, str]] = {"last_day": "deadline_at"}

    def get_fields(self) -> dict[str, Any]:
        return {name: rest_field(each, each.initial) for name, each in CallForm.base_fields.items()}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The fields of a call."""
        if day := attrs.get("deadline_at"):
            attrs["deadline_at"] = end_of(day)
        return attrs


class AuthorsFileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="CSV with the columns email, docno and, if you have it, name")

    def validate_file(self, file: UploadedFile) -> UploadedFile:
        if (file.size or 0) > MAX_CSV_BYTES:
            raise serializers.ValidationError(f"The file is larger than {MAX_CSV_BYTES >> 20} MB. Split it.")
        return file


class InvitedSerializer(serializers.Serializer[Any]):
    """`known` were invited before; `errors` are the rows left out."""

    created = serializers.IntegerField()
    known = serializers.IntegerField()
    errors = ImportErrorSerializer(source="problems", many=True)  # type: ignore[assignment] # fields are taken off the class


TakenInSerializer = serializer_of(
    TakenIn,
    "TakenIn",
    topics=serializers.ListField(
        child=serializers.CharField(), source="numbers", help_text="numbers of the topics made"
    ),
)


class CallView(InCollectionView):
    """For managers; 404 where the collection has no such call."""

    serializer_class: type[serializers.BaseSerializer[Any]] = CallDetailsSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE, "POST": MANAGE, "PATCH": MANAGE}

    def call(self) -> QuestionCall:
        rows = QuestionCall.objects.filter(collection=self.collection).select_related("collection")
        return get_object_or_404(rows, pk=self.kwargs["pk"])


class CallList(CallView):
    """Calls to authors."""

    pagination_class = None  # type: ignore[assignment] # a collection has a few

    @extend_schema(operation_id="author_calls_list", responses=answers({200: CountedCallSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List the calls to authors, newest first."""
        return Response(CountedCallSerializer(calls_of(self.collection), many=True).data)

    @extend_schema(
        operation_id="author_calls_create",
        request=WrittenCallSerializer,
        responses=answers({201: CallSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Write a call. Nobody gets a letter before a mailing is asked for."""
        fields = self.body(WrittenCallSerializer)
        call = create_call(by=self.person, at=timezone.now(), collection=self.collection, **fields)
        return Response(CallSerializer(call).data, status=201)


class CallDetail(CallView):
    """One call."""

    scopes: ClassVar[dict[str, TokenScope]] = {"GET": TokenScope.MANAGE}  # who has an author's link writes as them

    @extend_schema(operation_id="author_calls_read", responses=answers({200: CallDetailsSerializer}))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """What the call says, how far it is, and what can be done next."""
        return Response(CallDetailsSerializer(call_details(self.call(), timezone.now())).data)

    @extend_schema(
        operation_id="author_calls_change",
        request=WrittenCallSerializer(partial=True),
        responses=answers({200: CallSerializer}, 409, 415, 422),
    )
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change what is sent; the source only while no topics were made of the answers."""
        fields = self.body(WrittenCallSerializer, partial=True)
        call = update_call(by=self.person, at=timezone.now(), call=self.call(), **fields)
        return Response(CallSerializer(call).data)


class AuthorList(CallView):
    """Authors of a call."""

    serializer_class = AuthorSerializer
    scopes: ClassVar[dict[str, TokenScope]] = {"GET": TokenScope.MANAGE}  # as above

    @extend_schema(
        operation_id="author_calls_authors",
        parameters=[OpenApiParameter("state", OpenApiTypes.STR, enum=list(STATES))],
        responses=answers({200: AuthorSerializer(many=True)}),
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List who was asked, with their links, letters and answers."""
        page = self.paginate_queryset(authors_in_state(self.call(), request.query_params.get("state", ""))) or []
        return self.get_paginated_response(AuthorSerializer(authors_as_json(list(page)), many=True).data)

    post = INVITE_AUTHOR.method


class AuthorsFile(CallView):
    """A file of authors."""

    parser_classes = (MultiPartParser,)
    serializer_class = InvitedSerializer

    @extend_schema(
        operation_id="author_calls_invite_file",
        request={"multipart/form-data": AuthorsFileSerializer},
        responses=answers({200: InvitedSerializer}, 413, 415, 422),
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Ask everybody in a CSV file; rows that are wrong are left out and reported."""
        call = self.call()
        file = cast(UploadedFile, self.body(AuthorsFileSerializer)["file"])
        found = invite_authors(
            by=self.person, at=timezone.now(), call=call, file=file.name or "file", stream=cast(Any, file.file)
        )
        return Response(InvitedSerializer(found).data)


class AuthorRevocation(CallView):
    """The end of an invitation."""

    serializer_class = AuthorSerializer

    @extend_schema(
        operation_id="author_calls_revoke",
        request=None,
        responses=answers({200: AuthorSerializer}, 409, 422),
    )
    def post(self, request: Request, slug: str, pk: int, author: int) -> Response:
        """Take an invitation back; its link no longer works. Refused once there is an answer."""
        rows = invitations_of(self.call()).select_related("document", "call__collection")
        revoke_author(by=self.person, at=timezone.now(), invitation=get_object_or_404(rows, pk=author))
        return Response(AuthorSerializer(authors_as_json([rows.get(pk=author)])[0]).data)


class QuestionsTakenIn(CallView):
    """Topics made of answers."""

    serializer_class = TakenInSerializer

    @extend_schema(
        operation_id="author_calls_take_in",
        request=None,
        responses=answers({200: TakenInSerializer}, 409, 422),
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Make topics of the answers, after the last day; those that ask what a topic asks stay as they are."""
        taken_in = take_in_questions(by=self.person, at=timezone.now(), call=self.call())
        return Response(TakenInSerializer(taken_in).data)
