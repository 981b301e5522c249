"""Rewrites of questions through the API: the steps of the pages and of `litmus rewrites`, in the same words."""

from functools import cached_property
from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest_records import ChoiceOrNull
from accounts.schema import answers
from annotation.campaigns.campaigns import fetch_campaign
from annotation.campaigns.forms.campaigns import possible_annotators
from annotation.campaigns.rules import check_has_page
from annotation.labelling.api.judging import OverlapSerializer
from annotation.labelling.rules import check_can_read_labels
from annotation.models import Campaign, ReviewDecision, Rewrite
from annotation.rubric.rewrites import (
    LONGEST_COMMENT,
    STANDINGS,
    ask_for_reviews,
    current_rewrites,
    decide_rewrite,
    describe_rewrites,
    reviews_for,
)
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import DECIDE, OVERSEERS
from corpus.models import Role

MOST_ASKED = 1000


class OverlapsSerializer(serializers.Serializer[Any]):
    before = OverlapSerializer()
    after = OverlapSerializer()


class RewriteReviewSerializer(serializers.Serializer[Any]):
    """A second person's word; `decision` is null until they have decided."""

    reviewer = serializers.CharField()
    decision = ChoiceOrNull(ReviewDecision.choices)
    comment = serializers.CharField(allow_blank=True)
    decided_at = serializers.DateTimeField(allow_null=True)


class RewriteSerializer(serializers.Serializer[Any]):
    """A wording that counts now. One rejection rejects it; else one confirmation confirms it."""

    id = serializers.IntegerField(source="rewrite.pk")
    topic = serializers.CharField(source="number", allow_blank=True)
    original = serializers.CharField(source="rewrite.original")
    text = serializers.CharField(source="rewrite.text")
    by = serializers.CharField(source="author", allow_blank=True)
    standing = serializers.ChoiceField(list(STANDINGS.items()))
    overlap = OverlapsSerializer(source="*")
    overlap_definition = serializers.CharField(source="definition")
    reviews = RewriteReviewSerializer(many=True)


class AskedSerializer(serializers.Serializer[Any]):
    """A rewrite that the caller is asked to confirm: the two wordings, and nothing of how the question was rated."""

    id = serializers.IntegerField(source="rewrite.pk")
    original = serializers.CharField(source="rewrite.original")
    text = serializers.CharField(source="rewrite.text")


class AskingSerializer(serializers.Serializer[Any]):
    rewrites = serializers.ListField(child=serializers.IntegerField(min_value=1), min_length=1, max_length=MOST_ASKED)
    reviewer = serializers.EmailField(help_text="a member of the collection who may judge")


class CountAskedSerializer(serializers.Serializer[Any]):
    """Those the person was asked about before are not counted."""

    asked = serializers.IntegerField()


class RewriteDecisionSerializer(serializers.Serializer[Any]):
    decision = serializers.ChoiceField(ReviewDecision.choices)
    comment = serializers.CharField(max_length=LONGEST_COMMENT, default="", allow_blank=True)


class RewriteView(InCollectionView):
    """Of one campaign; also for members who do not judge in it, because they may be asked. 404 without rewrites."""

    def check_access(self, method: str) -> None:
        super().check_access(method)
        check_has_page(self.campaign, "rewrites")

    @cached_property
    def campaign(self) -> Campaign:
        return fetch_campaign(self.membership, self.kwargs["campaign"])


class RewriteList(RewriteView):
    """Rewrites of a rubric campaign."""

    serializer_class = RewriteSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="rewrites_list", responses=answers({200: RewriteSerializer(many=True)}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List the rewrites that count now and what was said of them."""
        check_can_read_labels(self.campaign, self.person)
        page = self.paginate_queryset(current_rewrites(self.campaign)) or []
        rows = describe_rewrites(Rewrite.objects.filter(pk__in=[each.pk for each in page]).order_by("pk"))
        return self.get_paginated_response(RewriteSerializer(rows, many=True).data)


class RewriteReviews(RewriteView):
    """Second persons' words on rewrites."""

    serializer_class = AskedSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": DECIDE}

    @extend_schema(operation_id="rewrite_reviews_list", responses=answers({200: AskedSerializer(many=True)}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List what the caller is asked to confirm."""
        page = self.paginate_queryset(reviews_for(self.person, self.campaign)) or []
        return self.get_paginated_response(AskedSerializer(page, many=True).data)

    @extend_schema(
        operation_id="rewrite_reviews_ask",
        request=AskingSerializer,
        responses=answers({200: CountAskedSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Ask one person to look at these rewrites."""
        values = self.body(AskingSerializer)
        reviewer = get_object_or_404(possible_annotators(self.membership), email=values["reviewer"].lower())
        made = ask_for_reviews(
            campaign=self.campaign,
            rewrites=values["rewrites"],
            reviewer=reviewer,
            by=self.person,
            at=timezone.now(),
        )
        return Response({"asked": len(made)})


class RewriteDecisionView(RewriteView):
    """The caller's word on a rewrite."""

    serializer_class = RewriteReviewSerializer

    @extend_schema(
        operation_id="rewrites_decide",
        request=RewriteDecisionSerializer,
        responses=answers({200: RewriteReviewSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Confirm a rewrite or reject it: managers, adjudicators and the person asked, never its author."""
        values = self.body(RewriteDecisionSerializer)
        review = decide_rewrite(campaign=self.campaign, rewrite=pk, by=self.person, at=timezone.now(), **values)
        return Response(RewriteReviewSerializer(review).data)
