"""Leaderboards through the API, in the words of the pages and of `manage.py leaderboard`."""

from typing import Any, ClassVar, cast

from django.core.files.uploadedfile import UploadedFile
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import DescribedView
from accounts.parsers import MultiPartParser
from accounts.schema import answers
from adjudication.evaluation.reads.spec import MEASURES
from adjudication.leaderboards.actions import (
    add_run,
    close_leaderboard,
    open_leaderboard,
    reopen_leaderboard,
    upload_run,
    withdraw_entry,
)
from adjudication.leaderboards.forms import UPLOADS
from adjudication.leaderboards.reads import board_as_json, entry_as_json, newest_board, open_board_at
from adjudication.models import Leaderboard, LeaderboardEntry
from adjudication.models.leaderboards import LONGEST_ABOUT, LONGEST_NAME, MOST_UPLOADS
from corpus.collections.api.base import InCollectionView
from corpus.imports.api import MANAGE
from corpus.models import RetrievalRun, Role

WORD: dict[str, Any] = {"allow_blank": True, "default": ""}


class LeaderboardFigureSerializer(serializers.Serializer[Any]):
    """A mean over all test topics with its 95% interval, rounded; null where undefined."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class LeaderboardRunSerializer(serializers.Serializer[Any]):
    """`ranks_all`: whether the run ranks every test topic; it scores 0 for those that it does not rank."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    team = serializers.CharField(allow_blank=True)
    about = serializers.CharField(allow_blank=True)
    submitted_at = serializers.DateTimeField()
    ranks_all = serializers.BooleanField()
    figures = serializers.DictField(child=LeaderboardFigureSerializer())


class LeaderboardSerializer(serializers.Serializer[Any]):
    """A leaderboard, best run first. `uploads` is how many runs a person can have scored in a day."""

    collection = serializers.CharField()
    title = serializers.CharField()
    gold = serializers.CharField()
    test_topics = serializers.CharField()
    n_topics = serializers.IntegerField()
    measures = serializers.ListField(child=serializers.CharField())
    uploads = serializers.IntegerField()
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    runs = LeaderboardRunSerializer(many=True)


class NewLeaderboardSerializer(serializers.Serializer[Any]):
    """By what runs are scored. The gold is kept as it is now."""

    gold = serializers.CharField(max_length=300, help_text="such as campaign:main or targets")
    topics = serializers.CharField(**WORD, max_length=130, help_text="such as split:dev-test=test; all without")
    measures = serializers.ListField(
        child=serializers.CharField(max_length=60), min_length=1, max_length=20, default=list(MEASURES)
    )
    uploads = serializers.IntegerField(min_value=1, max_value=MOST_UPLOADS, default=UPLOADS)


class UploadedRunSerializer(serializers.Serializer[Any]):
    """A run in TREC's six columns. Name, team and about can be read by everybody."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    team = serializers.CharField(**WORD, max_length=LONGEST_NAME)
    about = serializers.CharField(**WORD, max_length=LONGEST_ABOUT)
    file = serializers.FileField()


class AddedRunSerializer(serializers.Serializer[Any]):
    run = serializers.CharField(max_length=100, help_text="name of a run of the collection")


class PublicLeaderboard(DescribedView):
    """What everybody may read, while it is open."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="leaderboards_read_public", responses=answers({200: LeaderboardSerializer}, 404), auth=[]
    )
    def get(self, request: Request, slug: str) -> Response:
        """The open leaderboard of a collection. Nobody needs to sign in."""
        board = get_object_or_404(open_board_at(slug))
        return Response(LeaderboardSerializer(board_as_json(board)).data)


class LeaderboardView(InCollectionView):
    """Of the collection's newest leaderboard."""

    serializer_class: type[serializers.BaseSerializer[Any]] = LeaderboardSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": MANAGE}

    def board(self) -> Leaderboard:
        found = newest_board(self.collection)
        if found is None:
            raise Http404
        return found

    def shown(self, status: int = 200) -> Response:
        return Response(LeaderboardSerializer(board_as_json(self.board())).data, status=status)


class LeaderboardDetail(LeaderboardView):
    """The leaderboard."""

    @extend_schema(operation_id="leaderboard_read", responses=answers({200: LeaderboardSerializer}, 403, 404))
    def get(self, request: Request, slug: str) -> Response:
        """The leaderboard for members, also once it is closed."""
        return self.shown()

    @extend_schema(
        operation_id="leaderboard_open",
        request=NewLeaderboardSerializer,
        responses=answers({201: LeaderboardSerializer}, 400, 403, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Open a leaderboard to everybody."""
        values = self.body(NewLeaderboardSerializer)
        open_leaderboard(collection=self.collection, by=self.person, at=timezone.now(), **values)
        return self.shown(201)


class LeaderboardClosing(LeaderboardView):
    """Closing the leaderboard."""

    @extend_schema(
        operation_id="leaderboard_close",
        request=None,
        responses=answers({200: LeaderboardSerializer}, 403, 404, 409),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Take the public page away and score no more runs."""
        close_leaderboard(board=self.board(), by=self.person, at=timezone.now())
        return self.shown()


class LeaderboardReopening(LeaderboardView):
    """Opening the closed leaderboard again."""

    @extend_schema(
        operation_id="leaderboard_reopen",
        request=None,
        responses=answers({200: LeaderboardSerializer}, 403, 404, 409, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Open it again with its runs and its gold."""
        reopen_leaderboard(board=self.board(), by=self.person, at=timezone.now())
        return self.shown()


class LeaderboardUploads(LeaderboardView):
    """Runs that members have scored."""

    serializer_class = LeaderboardRunSerializer
    parser_classes = (MultiPartParser,)
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {}  # every member who has nothing left to judge

    @extend_schema(
        operation_id="leaderboard_upload",
        request={"multipart/form-data": UploadedRunSerializer},
        responses=answers({201: LeaderboardRunSerializer}, 400, 403, 404, 409, 413, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Have a run scored; the answer has its means over the test topics."""
        board = self.board()
        values = self.body(UploadedRunSerializer)
        file = cast(UploadedFile, values.pop("file"))
        entry = upload_run(
            board=board,
            by=self.person,
            at=timezone.now(),
            file=file.name or "file",
            stream=cast(Any, file.file),
            **values,
        )
        return Response(LeaderboardRunSerializer(entry_as_json(entry)).data, status=201)


class LeaderboardRuns(LeaderboardView):
    """Runs of the collection on the leaderboard."""

    serializer_class = LeaderboardRunSerializer

    @extend_schema(
        operation_id="leaderboard_add_run",
        request=AddedRunSerializer,
        responses=answers({201: LeaderboardRunSerializer}, 400, 403, 404, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Show a run of the collection, such as a baseline."""
        board = self.board()
        values = self.body(AddedRunSerializer)
        run = get_object_or_404(RetrievalRun, collection=self.collection, name=values["run"])
        entry = add_run(board=board, run=run, by=self.person, at=timezone.now())
        return Response(LeaderboardRunSerializer(entry_as_json(entry)).data, status=201)


class LeaderboardRun(LeaderboardView):
    """One run on the leaderboard."""

    roles: ClassVar[dict[str, tuple[Role, ...]]] = {}

    @extend_schema(operation_id="leaderboard_withdraw", responses=answers({200: LeaderboardSerializer}, 403, 404, 409))
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Show a run no longer: one's own, or as a manager. It still counts as an upload."""
        rows = LeaderboardEntry.objects.select_related("leaderboard__collection").defer("leaderboard__gold")
        entry = get_object_or_404(rows, pk=pk, leaderboard__collection=self.collection)
        withdraw_entry(entry=entry, by=self.person, at=timezone.now())
        return self.shown()
