"""Campaigns: made, read, opened and closed; their items built."""

from dataclasses import asdict
from typing import Any, ClassVar

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest_records import serializer_of
from accounts.schema import answers
from annotation.assignment.annotators import add_members_by_email
from annotation.campaigns.api.base import InCampaignView
from annotation.campaigns.api.settings import number_field
from annotation.campaigns.campaigns import visible_campaigns
from annotation.campaigns.changes import change_campaign
from annotation.campaigns.copying import TEMPLATE_HELP
from annotation.campaigns.item_building import Built
from annotation.campaigns.items import build_items, remove_unjudged_items
from annotation.campaigns.lifecycle import create_campaign
from annotation.campaigns.pace import WorkToAdd, fetch_workload
from annotation.kind import DEFAULT_KIND, kinds, overlaps_in_words
from annotation.models import Campaign, CampaignState, Criterion, Level, Order, Split, Strategy
from annotation.models.campaigns import KIND_CHOICES
from corpus.collections.api.base import InCollectionView, RemovedSerializer
from corpus.collections.rules import MANAGE
from corpus.models import Role
from engines.definitions.drafts import CriterionDraft, LevelDraft
from engines.definitions.settings import GUIDELINE, LEASE, NAME, OVERLAP, SAMPLE, SEED


class LevelSerializer(serializers.ModelSerializer[Level]):
    class Meta:
        model = Level
        fields = ("value", "label", "definition", "example", "reasons")


class CriterionSerializer(serializers.ModelSerializer[Criterion]):
    levels = LevelSerializer(many=True)

    class Meta:
        model = Criterion
        fields = ("key", "label", "question", "scale", "levels")


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    criteria = CriterionSerializer(many=True, read_only=True)

    class Meta:
        model = Campaign
        fields = (
            "slug",
            "name",
            "kind",
            "split",
            "state",
            "overlap",
            "order",
            "strategy",
            "seed",
            "lease_minutes",
            "options",
            "deadline",
            "created_at",
            "opened_at",
            "closed_at",
            "criteria",
        )


class NewCampaignSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=NAME.most)
    slug = serializers.SlugField(max_length=80, required=False)
    template = serializers.CharField(max_length=200, required=False, help_text=TEMPLATE_HELP)
    kind = serializers.ChoiceField(
        KIND_CHOICES, required=False, help_text=f"default: the template's, else {DEFAULT_KIND}"
    )
    split = serializers.ChoiceField(
        Split.choices, required=False, help_text=f"default: the template's, else {Split.MAIN}"
    )
    overlap = number_field(OVERLAP, help_text=f"default: the template's, else {overlaps_in_words()}")
    order = serializers.ChoiceField(Order.choices, required=False, help_text="default: the template's, else by-aspect")
    strategy = serializers.ChoiceField(
        Strategy.choices, required=False, help_text="default: the template's, else an open queue, if any"
    )
    seed = number_field(SEED)
    lease_minutes = serializers.IntegerField(
        min_value=LEASE.least,
        max_value=LEASE.most,
        required=False,
        help_text=f"default: the template's, else {LEASE.usual}",
    )
    deadline = serializers.DateField(required=False, allow_null=True, help_text="the last day to judge")
    guideline = serializers.CharField(max_length=GUIDELINE.most, required=False)
    criteria = CriterionSerializer(many=True, required=False)
    options = serializers.DictField(required=False, help_text="options of its kind")
    annotators = serializers.ListField(
        child=serializers.EmailField(), required=False, help_text="addresses of members who judge"
    )


class CampaignChangeSerializer(serializers.Serializer[Any]):
    """What is left out stays. Of an open campaign only name, lease, deadline, options and guideline can change, and the
    criteria until somebody has judged by them."""

    state = serializers.ChoiceField([CampaignState.OPEN, CampaignState.CLOSED], required=False)
    name = serializers.CharField(max_length=NAME.most, required=False)
    split = serializers.ChoiceField(Split.choices, required=False)
    overlap = number_field(OVERLAP)
    order = serializers.ChoiceField(Order.choices, required=False)
    strategy = serializers.ChoiceField(Strategy.choices, required=False)
    seed = number_field(SEED)
    lease_minutes = serializers.IntegerField(min_value=LEASE.least, max_value=LEASE.most, required=False)
    deadline = serializers.DateField(required=False, allow_null=True, help_text="the last day to judge; null for none")
    guideline = serializers.CharField(max_length=GUIDELINE.most, required=False, help_text="stored as a new version")
    criteria = CriterionSerializer(
        many=True, required=False, allow_empty=False, help_text="instead of the present ones"
    )
    options = serializers.DictField(required=False, help_text="options of its kind")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A request that changes nothing is a mistake."""
        if not attrs:
            raise serializers.ValidationError(f"Give at least one of {', '.join(self.fields)}.")
        return attrs


class ItemBuildSerializer(serializers.Serializer[Any]):
    former: ClassVar[dict[str, str]] = {"kind": "topic_kind", "text": "words"}

    sample = number_field(SAMPLE)
    seed = number_field(SEED)
    stratified = serializers.BooleanField(default=False)
    dry_run = serializers.BooleanField(default=False, help_text="only report the work, and add nothing")

    def get_fields(self) -> dict[str, Any]:
        """In addition, what the campaign's kind chooses items by; for the schema, what any kind does."""
        offered = [self.context["kind"]] if "kind" in self.context else kinds()
        chosen = [kind.choosing.api_fields() for kind in offered if kind.choosing]
        return {**super().get_fields(), **{name: field for fields in chosen for name, field in fields.items()}}


BuiltSerializer = serializer_of(Built, "Built")


WorkloadSerializer = serializer_of(
    WorkToAdd,
    "Workload",
    about="How much work chosen items would be, as `build_items` says in a dry run.",
    parts=serializers.ListField(child=serializers.ListField(), help_text="what they are made of: [singular, how many]"),
    judgments=serializers.IntegerField(),
    hours=serializers.FloatField(),
)


class CampaignList(InCollectionView):
    """The campaigns of a collection."""

    serializer_class = CampaignSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": MANAGE}

    def get_queryset(self) -> QuerySet[Campaign]:
        return visible_campaigns([self.membership]).prefetch_related("criteria__levels")

    @extend_schema(operation_id="campaigns_list", responses=answers({200: CampaignSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List the campaigns you may see: annotators see those they judge in."""
        return self.listed()

    @extend_schema(
        operation_id="campaigns_create",
        request=NewCampaignSerializer,
        responses=answers({201: CampaignSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make a draft campaign. Without criteria and guideline it gets those of the template, else of its kind."""
        values = _with_drafts(self.body(NewCampaignSerializer))
        emails = values.pop("annotators", ())
        who: dict[str, Any] = {"by": self.person, "at": timezone.now()}
        with transaction.atomic():
            campaign = create_campaign(collection=self.collection, **who, **values)
            add_members_by_email(campaign=campaign, emails=emails, **who)
        return Response(CampaignSerializer(campaign).data, status=201)


class CampaignDetail(InCampaignView):
    """One campaign."""

    serializer_class = CampaignSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"PATCH": MANAGE}

    @extend_schema(operation_id="campaigns_read", responses=answers({200: CampaignSerializer}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """Read a campaign with its criteria and levels."""
        return Response(CampaignSerializer(self.campaign).data)

    @extend_schema(
        operation_id="campaigns_change",
        request=CampaignChangeSerializer,
        responses=answers({200: CampaignSerializer}, 409, 415, 422),
    )
    def patch(self, request: Request, slug: str, campaign: str) -> Response:
        """Change the campaign; open, close or reopen it. All of it or nothing."""
        values = _with_drafts(self.body(CampaignChangeSerializer))
        changed = change_campaign(campaign=self.campaign, by=self.person, at=timezone.now(), **values)
        return Response(CampaignSerializer(changed).data)


class ItemBuilds(InCampaignView):
    """Building items."""

    serializer_class = ItemBuildSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": MANAGE, "DELETE": MANAGE}

    @extend_schema(
        operation_id="items_build",
        responses=answers({200: WorkloadSerializer, 201: BuiltSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Make items of all (distinct aspect, pooled document) pairs the campaign lacks, or of a sample of them.

        With `dry_run`, only say how much work they would be (200).
        """
        kind = self.campaign.kind_object
        values = self.body(ItemBuildSerializer, context={"kind": kind})
        choice = kind.choosing.read(values) if kind.choosing else None
        if values["dry_run"]:
            return Response(fetch_workload(self.campaign, choice, values.get("sample")).data())
        drawing = {name: values[name] for name in ("sample", "seed", "stratified") if name in values}
        built = build_items(campaign=self.campaign, by=self.person, at=timezone.now(), choice=choice, **drawing)
        return Response(asdict(built), status=201)

    @extend_schema(
        operation_id="items_remove",
        parameters=[
            OpenApiParameter("topic", str, description="Number of a topic: only its items."),
            OpenApiParameter("dry_run", bool, description="Only report how many would be removed."),
        ],
        responses=answers({200: RemovedSerializer}, 409, 422),
    )
    def delete(self, request: Request, slug: str, campaign: str) -> Response:
        """Remove the items that nobody has begun, with their assignments."""
        topic = request.query_params.get("topic")
        if topic == "":  # perhaps a variable that is empty by mistake: it must not mean all
            raise serializers.ValidationError({"topic": ["Give the number of a topic, or leave it out for all."]})
        dry_run = request.query_params.get("dry_run", "").lower() in ("1", "true")
        who: dict[str, Any] = {"by": self.person, "at": timezone.now()}
        removed = remove_unjudged_items(campaign=self.campaign, topic=topic or "", dry_run=dry_run, **who)
        return Response({"removed": removed})


def _with_drafts(values: dict[str, Any]) -> dict[str, Any]:
    """The values with their criteria as actions take them."""
    return values | {"criteria": tuple(_criterion(each) for each in values.get("criteria", ()))}


def _criterion(data: dict[str, Any]) -> CriterionDraft:
    levels = tuple(LevelDraft(**{**level, "reasons": tuple(level.get("reasons", ()))}) for level in data["levels"])
    return CriterionDraft(**{**data, "levels": levels})
