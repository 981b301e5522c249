"""Questions of annotators through the API: asking and reading one's own, and for managers reading and answering."""

from typing import Any, ClassVar

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import TokenScope
from accounts.rest_records import serializer_of
from accounts.schema import answers
from annotation.campaigns.api.base import InCampaignView, LabellingView
from annotation.inquiries.asking import answer_inquiry, ask_managers
from annotation.inquiries.inquiries import Note, inquiries_of, name_of, own_notes
from annotation.models import Audience, Inquiry
from corpus.collections.rules import MANAGE
from corpus.models import Role
from engines.definitions.settings import ANSWER, INQUIRY

OPEN = OpenApiParameter("open", OpenApiTypes.BOOL, description="only those that wait for an answer")


class InquirySerializer(serializers.ModelSerializer[Inquiry]):
    """A question with its answer, as managers see it."""

    topic = serializers.CharField(source="item.topic.number", default=None, allow_null=True)
    aspect = serializers.CharField(source="item.aspect.text", default=None, allow_null=True)
    docno = serializers.CharField(source="item.document.docno", default=None, allow_null=True)
    paper = serializers.CharField(source="item.paper.key", default=None, allow_null=True)
    name = serializers.SerializerMethodField(help_text="title of the document or paper, else the topic's text")
    annotator = serializers.CharField(source="annotator.name")

    class Meta:
        model = Inquiry
        fields = (
            *("id", "uuid", "item", "topic", "aspect", "docno", "paper", "name", "annotator", "text", "asked_at"),
            *("answer", "audience", "answered_at", "seen_at"),
        )

    def get_name(self, inquiry: Inquiry) -> str:
        return name_of(inquiry.item)


NoteSerializer = serializer_of(Note, "Note", uuid=serializers.UUIDField())


class NotesSerializer(serializers.Serializer[Any]):
    """The newest 200 of one campaign."""

    asked = NoteSerializer(many=True)


class AskSerializer(serializers.Serializer[Any]):
    """Send it again with the same uuid as often as you like: it is kept once."""

    uuid = serializers.UUIDField()
    assignment = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    text = serializers.CharField(max_length=INQUIRY.most)


class AnswerSerializer(serializers.Serializer[Any]):
    answer = serializers.CharField(max_length=ANSWER.most)
    audience = serializers.ChoiceField(Audience.choices, default=Audience.ASKER)


class InquiryList(InCampaignView):
    """Questions of a campaign's annotators."""

    serializer_class = InquirySerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE}

    @extend_schema(
        operation_id="inquiries_list", parameters=[OPEN], responses=answers({200: InquirySerializer(many=True)})
    )
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List the questions, but not those about items that you still have to judge."""
        rows = inquiries_of(self.campaign, self.person)
        if request.query_params.get("open", "").lower() in ("true", "1"):
            rows = rows.filter(answered_at=None)
        page = self.paginate_queryset(rows) or []
        return self.get_paginated_response(InquirySerializer(page, many=True).data)


class InquiryAnswer(InCampaignView):
    """The answer to one question."""

    serializer_class = AnswerSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"PUT": MANAGE}

    @extend_schema(
        operation_id="inquiries_answer",
        request=AnswerSerializer,
        responses=answers({200: InquirySerializer}, 409, 415, 422),
    )
    def put(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Answer, or change the answer. Others see an answer without the question and who asked it."""
        values = self.body(AnswerSerializer)
        answer_inquiry(campaign=self.campaign, inquiry=pk, by=self.person, at=timezone.now(), **values)
        return Response(InquirySerializer(inquiries_of(self.campaign, self.person).get(pk=pk)).data)


class OwnInquiries(LabellingView):
    """The caller's own questions, and answers that all annotators may see."""

    serializer_class = NotesSerializer
    scopes: ClassVar[dict[str, TokenScope]] = {"POST": TokenScope.JUDGE}

    @extend_schema(operation_id="own_inquiries_list", responses=answers({200: NotesSerializer}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List them, newest first."""
        return Response(own_notes(collection=slug, campaign=campaign, user=self.person))

    @extend_schema(
        operation_id="own_inquiries_ask",
        request=AskSerializer,
        responses=answers({200: NotesSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Ask the managers about the item of one of your assignments."""
        ask_managers(collection=slug, campaign=campaign, by=self.person, at=timezone.now(), **self.body(AskSerializer))
        return Response(own_notes(collection=slug, campaign=campaign, user=self.person))
