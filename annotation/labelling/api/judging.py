"""Judging by a program: what comes next, and submissions, which are idempotent by their uuid."""

from typing import Any, ClassVar

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import check_fields
from accounts.models import TokenScope
from accounts.rest_records import serializer_of
from accounts.schema import answers
from annotation.assignment.participation import fetch_participation
from annotation.campaigns.api.base import LabellingView
from annotation.labelling.forms import (
    KINDS,
    LONGEST_GROUND,
    LONGEST_NOTE,
    LONGEST_REASON,
    LONGEST_REWRITE,
    MOST_AT_ONCE,
    MOST_FOUND,
    MOST_MS,
    MOST_UNITS,
    MalformedSubmission,
    read_have_text,
    read_request,
)
from annotation.labelling.receipts import submitted
from annotation.labelling.screen import describe_next
from annotation.labelling.submissions import submit
from annotation.labelling.units_ahead import take_units
from annotation.models import SubmissionKind, SubmissionOutcome
from engines.text.overlap import Overlap

HAVE = OpenApiParameter(
    "have", OpenApiTypes.STR, description="Units you hold: ids with dots between, units with commas"
)


class FoundSerializer(serializers.Serializer[Any]):
    docno = serializers.CharField()
    title = serializers.CharField()


class OwnAnswerSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    answers = serializers.DictField(child=serializers.IntegerField())
    reasons = serializers.DictField(child=serializers.CharField())
    reason = serializers.CharField()
    note = serializers.CharField()
    flagged = serializers.BooleanField()
    rewrite = serializers.CharField(required=False, help_text="of a question")
    found = FoundSerializer(many=True, required=False, help_text="further documents that answer the question")


class MarksSerializer(serializers.Serializer[Any]):
    """Words shared with the aspect: start, end, start, end, … as half-open character ranges."""

    title = serializers.ListField(child=serializers.IntegerField())
    abstract = serializers.ListField(child=serializers.IntegerField())


class CellSerializer(serializers.Serializer[Any]):
    """One assignment: what to say in a submission about it, and its aspect (null: the topic as a whole)."""

    assignment = serializers.IntegerField()
    done = serializers.BooleanField()
    base = serializers.UUIDField(allow_null=True)
    aspect = serializers.CharField(allow_null=True)
    parents = serializers.ListField(child=serializers.CharField())
    lit = serializers.ListField(child=serializers.IntegerField())
    marks = MarksSerializer()
    answer = OwnAnswerSerializer(allow_null=True)


class UnitDocumentSerializer(serializers.Serializer[Any]):
    docno = serializers.CharField(allow_null=True)
    title = serializers.CharField(allow_null=True)
    abstract = serializers.CharField(allow_null=True)


class UnitTopicSerializer(serializers.Serializer[Any]):
    number = serializers.CharField()
    title = serializers.CharField()
    sentences = serializers.ListField(child=serializers.CharField())
    narrative = serializers.CharField()


OverlapSerializer = serializer_of(Overlap, "Overlap")


class ParagraphSerializer(serializers.Serializer[Any]):
    """The paragraph a question was made from; its target citations as start, end, start, end, …"""

    text = serializers.CharField()
    marks = serializers.ListField(child=serializers.IntegerField())


class QuestionSerializer(serializers.Serializer[Any]):
    """What a rater of a question sees next to it. `from` (citation, author or "") is where it comes from."""

    targets = UnitDocumentSerializer(many=True)
    targets_count = serializers.IntegerField()
    cutoff = serializers.FloatField(allow_null=True)
    definition = serializers.CharField(help_text="how words are counted for `overlap`, and what `cutoff` belongs to")
    overlap = OverlapSerializer()
    paragraph = ParagraphSerializer(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "from": serializers.CharField()}


class UnitSerializer(serializers.Serializer[Any]):
    """What is judged in one go: a document under one aspect, or under all aspects of a topic; or a question."""

    name = serializers.CharField()
    document = UnitDocumentSerializer(allow_null=True)
    topic = UnitTopicSerializer()
    question = QuestionSerializer(required=False)
    cells = CellSerializer(many=True)


class NextSerializer(serializers.Serializer[Any]):
    units = UnitSerializer(many=True)
    empty = serializers.CharField(help_text="why there is nothing: all-done, waiting, nothing-assigned, closed, …")
    guideline = serializers.IntegerField(help_text="newest version")


# For names and the schema only: values are read and checked once, by annotation.labelling.forms, as on the screen.
class GivenSerializer(serializers.Serializer[Any]):
    """One answer, skip or undo. Send it again with the same uuid as often as you like: it counts once."""

    uuid = serializers.UUIDField()
    assignment = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    kind = serializers.ChoiceField(KINDS, default=SubmissionKind.ANSWER)
    base = serializers.UUIDField(allow_null=True, required=False, help_text="current submission as you know it")
    answers = serializers.DictField(child=serializers.IntegerField(), required=False)
    reasons = serializers.DictField(child=serializers.CharField(max_length=LONGEST_GROUND), required=False)
    reason = serializers.CharField(max_length=LONGEST_REASON, required=False, allow_blank=True)
    note = serializers.CharField(max_length=LONGEST_NOTE, required=False, allow_blank=True)
    flagged = serializers.BooleanField(default=False)
    rewrite = serializers.CharField(
        max_length=LONGEST_REWRITE, required=False, allow_blank=True, help_text="of a question"
    )
    found = serializers.ListField(
        child=serializers.CharField(max_length=300),
        max_length=MOST_FOUND,
        required=False,
        help_text="docnos, of a question",
    )
    guideline = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False, allow_null=True)
    active_ms = serializers.IntegerField(min_value=0, max_value=MOST_MS, required=False, allow_null=True)
    away_ms = serializers.IntegerField(min_value=0, max_value=MOST_MS, required=False, allow_null=True)
    client_at = serializers.DateTimeField(required=False, allow_null=True, help_text="when, by your own clock")


class SubmissionsSerializer(serializers.Serializer[Any]):
    submissions = serializers.ListField(child=GivenSerializer(), min_length=1, max_length=MOST_AT_ONCE)
    have = serializers.ListField(
        child=serializers.ListField(
            child=serializers.IntegerField(min_value=1, max_value=2**63 - 1), min_length=1, max_length=MOST_AT_ONCE
        ),
        max_length=MOST_UNITS,
        required=False,
        help_text="units you still hold; if given, the answer contains the next units",
    )


SUBMISSIONS = SubmissionsSerializer()  # made once: every judgment is held against it


class CurrentSerializer(OwnAnswerSerializer):
    """What was submitted elsewhere."""

    uuid = serializers.UUIDField()
    device = serializers.CharField()
    received_at = serializers.DateTimeField()


class ResultSerializer(serializers.Serializer[Any]):
    """`outcome` is counted, not-counted (kept on record, for it came too late) or refused with the reason.

    `code` says why it does not count; where it is changed-elsewhere, `current` is what counts now.
    """

    uuid = serializers.UUIDField()
    outcome = serializers.ChoiceField([*SubmissionOutcome.values, "refused"])
    state = serializers.CharField(required=False)
    at = serializers.DateTimeField(required=False)
    code = serializers.CharField(required=False)
    detail = serializers.CharField(required=False)
    current = CurrentSerializer(required=False, allow_null=True)
    field = serializers.CharField(required=False)
    feedback = serializers.CharField(required=False, help_text="in training: whether it is right, and why")


class SubmittedSerializer(serializers.Serializer[Any]):
    results = ResultSerializer(many=True)
    units = UnitSerializer(many=True)
    guideline = serializers.IntegerField()


class NextItems(LabellingView):
    """What the caller judges next."""

    serializer_class = NextSerializer
    scopes: ClassVar[dict[str, TokenScope]] = {"GET": TokenScope.JUDGE}  # it leases items

    @extend_schema(operation_id="next_read", parameters=[HAVE], responses=answers({200: NextSerializer}, 409, 422))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """Your next units; in an open queue they are leased to you. When there are none, `empty` says why."""
        have = read_have_text(request.query_params.get("have", ""))
        if request.method == "HEAD":  # takes nothing
            fetch_participation(collection=slug, campaign=campaign, user=self.person)
            return Response()
        participation, ids = take_units(
            collection=slug, campaign=campaign, have=have, by=self.person, at=timezone.now()
        )
        return Response(describe_next(participation, ids, holds_some=bool(have)))


class Submissions(LabellingView):
    """Answers, skips and undos of the caller."""

    serializer_class = SubmissionsSerializer
    scopes: ClassVar[dict[str, TokenScope]] = {"POST": TokenScope.JUDGE}

    @extend_schema(
        operation_id="submissions_create",
        request=SubmissionsSerializer,
        responses=answers(
            {200: SubmittedSerializer, 409: SubmittedSerializer, 422: SubmittedSerializer}, 409, 413, 415, 422
        ),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Store submissions in order, each separately. 409 or 422 when one of them was refused or did not count."""
        check_fields(SUBMISSIONS, request.data)
        try:
            sent = read_request(request.data, device="api")
        except MalformedSubmission as bad:
            raise serializers.ValidationError({bad.field: [bad.problem]}) from bad
        answer = submit(
            collection=slug, campaign=campaign, inputs=sent.inputs, have=sent.have, by=self.person, at=timezone.now()
        )
        status, data = submitted(sent.inputs, answer)
        return Response(data, status=status)
