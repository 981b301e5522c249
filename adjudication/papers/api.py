"""Adjudication of papers through the API: the steps of the screen and of `litmus adjudicate_papers`."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest_records import serializer_of
from accounts.schema import answers
from adjudication.agreement.api import InReadableView
from adjudication.labels.rules import check_not_own_item, judged_item
from adjudication.papers.case_details import case_as_json
from adjudication.papers.merging import (
    Majorities,
    accept_majorities,
    accept_paper,
    choose_versions,
    open_own_paper,
    step_adjudication,
    withdraw_acceptance,
    write_adjudication,
)
from adjudication.papers.papers import FILTERS, fetch_case, paper_rows
from adjudication.verdicts.extra_judges import send_back_paper
from annotation.kind import Judged
from annotation.models import Item
from corpus.collections.rules import DECIDE
from corpus.models import Role
from engines.definitions.extractions import write_content

STEPS = ("undo", "redo")
STATES = list(FILTERS.items())


class PaperRowSerializer(serializers.Serializer[Any]):
    """`versions` counts who has finished the paper, `waiting` who still works on it."""

    item = serializers.IntegerField(source="item.pk")
    paper = serializers.CharField(source="item.paper.key")
    title = serializers.CharField(source="item.paper.title", allow_blank=True)
    state = serializers.ChoiceField(STATES)
    versions = serializers.IntegerField(source="people")
    waiting = serializers.IntegerField()
    differences = serializers.IntegerField(source="count")


class VersionOfPaperSerializer(serializers.Serializer[Any]):
    """One annotator's version under a letter; `is_late`: newer than what the result was made of."""

    letter = serializers.CharField()
    is_late = serializers.BooleanField()


class SentenceSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    cites = serializers.ListField(child=serializers.CharField())
    anonymised = serializers.BooleanField()


class ReferenceOfPaperSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(allow_blank=True)
    identifier = serializers.CharField(allow_null=True)
    kind = serializers.CharField(help_text="of the identifier")


class VariantSerializer(serializers.Serializer[Any]):
    """What these versions say; of the fields at the end those that the kind of the difference has."""

    variant = serializers.CharField()
    versions = serializers.ListField(child=serializers.CharField(), help_text="letters")
    is_chosen = serializers.BooleanField()
    is_context = serializers.BooleanField(allow_null=True)
    sentences = SentenceSerializer(many=True)
    section = serializers.CharField(allow_null=True)
    reference = ReferenceOfPaperSerializer(allow_null=True)


class DifferenceSerializer(serializers.Serializer[Any]):
    """A place where versions differ; `where` is a paragraph or the number of a reference."""

    difference = serializers.CharField()
    number = serializers.IntegerField()
    kind = serializers.CharField()
    where = serializers.CharField()
    differs_in = serializers.ListField(child=serializers.CharField())
    state = serializers.CharField(help_text="open, majority, taken, or moot: within a paragraph that is left out")
    variants = VariantSerializer(many=True)


class PaperCaseSerializer(serializers.Serializer[Any]):
    """A paper with all differences. Sent along with a step, `seen` has it refused once the paper is another."""

    item = serializers.IntegerField()
    paper = serializers.CharField()
    title = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(STATES)
    seen = serializers.CharField()
    versions = VersionOfPaperSerializer(many=True)
    undecided = serializers.IntegerField()
    differences = DifferenceSerializer(many=True)
    edited = serializers.ListField(child=serializers.CharField(), help_text="parts edited by hand")
    findings = serializers.ListField(child=serializers.CharField(), help_text="what to look at before it is accepted")


class StepSerializer(serializers.Serializer[Any]):
    """`override`: a manager sees and decides a paper they worked on; the audit log says so."""

    override = serializers.BooleanField(default=False)


class SeenSerializer(StepSerializer):
    seen = serializers.CharField(max_length=16, required=False, allow_null=True, default=None)


class PaperChoiceSerializer(SeenSerializer):
    """Either a variant of a difference, or the letter of a version: everything of it, or what is still undecided."""

    difference = serializers.CharField(max_length=100, required=False, help_text="its name or its number")
    variant = serializers.CharField(
        max_length=100, required=False, help_text="its name, or the letter of a version that has it"
    )
    everything = serializers.CharField(max_length=4, required=False)
    rest = serializers.CharField(max_length=4, required=False)


class PaperStepSerializer(StepSerializer):
    step = serializers.ChoiceField([(name, name) for name in STEPS])


class AcceptanceSerializer(SeenSerializer):
    despite = serializers.BooleanField(default=False, help_text="accept it despite open findings")


class WrittenContentSerializer(SeenSerializer):
    content = serializers.JSONField(help_text="as `GET` gives it")


class PaperContentSerializer(serializers.Serializer[Any]):
    """What would be accepted now: contexts and references, in the form of the extraction screen."""

    seen = serializers.CharField()
    content = serializers.JSONField()


MajoritiesSerializer = serializer_of(Majorities, "Majorities")


CHANGED = answers({200: PaperCaseSerializer}, 409, 415, 422)


class InPapersView(InReadableView):
    """For managers and adjudicators who have nothing left to judge; 404 where the campaign judges no papers."""

    serializer_class: type[serializers.BaseSerializer[Any]] = PaperCaseSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = dict.fromkeys(("GET", "POST", "PUT", "DELETE"), DECIDE)

    def check_access(self, method: str) -> None:
        super().check_access(method)
        if self.campaign.kind_object.judges != Judged.PAPERS:
            raise Http404

    def item(self) -> Item:
        rows = Item.objects.select_related("campaign__collection", "paper")
        return get_object_or_404(rows, pk=self.kwargs["pk"], campaign=self.campaign, paper__isnull=False)

    def change(self, item: Item, action: Callable[..., object], *, override: bool, **options: Any) -> Response:
        """Take a step; answers with the paper after it. To override on a paper of one's own is logged."""
        by, at = self.person, timezone.now()
        if override and judged_item(item.pk, by):
            open_own_paper(item=item, by=by, at=at)
        action(item=item, by=by, at=at, override=override, **options)
        return self.shown(item)

    def shown(self, item: Item) -> Response:
        return Response(PaperCaseSerializer(case_as_json(fetch_case(item))).data)


class PaperQueue(InPapersView):
    """Papers that several annotators have finished."""

    pagination_class = None  # type: ignore[assignment] # as long as the campaign has papers
    serializer_class = PaperRowSerializer

    @extend_schema(
        operation_id="paper_adjudication_list",
        parameters=[OpenApiParameter("state", OpenApiTypes.STR, enum=list(FILTERS))],
        responses=answers({200: PaperRowSerializer(many=True)}),
    )
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List the papers with how much their versions differ; `state=open` are all that need a decision."""
        state = request.query_params.get("state", "")
        rows = [row for row in paper_rows(self.campaign) if not state or row.is_under(state)]
        return Response(PaperRowSerializer(rows, many=True).data)


class PaperMajorities(InPapersView):
    """Papers that majorities decide."""

    serializer_class = MajoritiesSerializer

    @extend_schema(
        operation_id="paper_adjudication_majorities",
        request=None,
        responses=answers({200: MajoritiesSerializer}, 409, 422),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Accept every paper in which a majority, or somebody, has decided every difference."""
        found = accept_majorities(campaign=self.campaign, by=self.person, at=timezone.now())
        return Response(MajoritiesSerializer(found).data)


class PaperDetail(InPapersView):
    """One paper."""

    @extend_schema(operation_id="paper_adjudication_read", responses=answers({200: PaperCaseSerializer}, 422))
    def get(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Where its versions differ. Who worked on it is refused; a manager among them may open it."""
        item = self.item()
        check_not_own_item(item.pk, self.membership, override=False)
        return self.shown(item)


class PaperOpening(InPapersView):
    """A paper of one's own."""

    @extend_schema(operation_id="paper_adjudication_open", request=None, responses=answers({200: PaperCaseSerializer}))
    def post(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """A manager reads the versions of a paper they worked on; the audit log says so."""
        item = self.item()
        check_not_own_item(item.pk, self.membership, override=True)
        if judged_item(item.pk, self.person):
            open_own_paper(item=item, by=self.person, at=timezone.now())
        return self.shown(item)


class PaperChoice(InPapersView):
    """Versions that are taken."""

    @extend_schema(
        operation_id="paper_adjudication_take",
        request=PaperChoiceSerializer,
        responses=CHANGED,
    )
    def post(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Take a variant of one difference, everything of one version, or what is undecided as that version has it."""
        return self.change(self.item(), choose_versions, **self.body(PaperChoiceSerializer))


class PaperStep(InPapersView):
    """Steps back and forward."""

    @extend_schema(
        operation_id="paper_adjudication_step",
        request=PaperStepSerializer,
        responses=CHANGED,
    )
    def post(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """One step back (undo) or forward again (redo), over choices and edits."""
        return self.change(self.item(), step_adjudication, **self.body(PaperStepSerializer))


class PaperContent(InPapersView):
    """The result, to be edited."""

    serializer_class = PaperContentSerializer

    @extend_schema(operation_id="paper_adjudication_content", responses=answers({200: PaperContentSerializer}, 422))
    def get(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """What would be accepted now."""
        item = self.item()
        check_not_own_item(item.pk, self.membership, override=False)
        case = fetch_case(item)
        return Response({"seen": case.seen, "content": write_content(case.result)})

    @extend_schema(
        operation_id="paper_adjudication_write",
        request=WrittenContentSerializer,
        responses=CHANGED,
    )
    def put(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Put an edited extraction in its place."""
        return self.change(self.item(), write_adjudication, **self.body(WrittenContentSerializer))


class PaperAcceptance(InPapersView):
    """What counts of a paper."""

    @extend_schema(
        operation_id="paper_adjudication_accept",
        request=AcceptanceSerializer,
        responses=CHANGED,
    )
    def post(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Accept the result: exports and statistics are made of it."""
        return self.change(self.item(), accept_paper, **self.body(AcceptanceSerializer))

    @extend_schema(
        operation_id="paper_adjudication_reopen",
        parameters=[OpenApiParameter("override", OpenApiTypes.BOOL)],
        responses=answers({200: PaperCaseSerializer}, 409),
    )
    def delete(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Reopen the paper: until it is accepted again it does not count. Choices and edits stay."""
        override = request.query_params.get("override", "").lower() in ("1", "true")
        return self.change(self.item(), withdraw_acceptance, override=override, seen=None)


class PaperSentBack(InPapersView):
    """One more annotator."""

    @extend_schema(
        operation_id="paper_adjudication_send_back",
        request=StepSerializer,
        responses=CHANGED,
    )
    def post(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Ask for one more annotator. What they hand in joins the versions."""
        return self.change(self.item(), send_back_paper, **self.body(StepSerializer))
