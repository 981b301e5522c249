"""What every endpoint inside a collection shares: the caller's membership, roles by method, pages by cursor."""

import re
from functools import cached_property
from typing import Any, ClassVar, cast

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import DescribedView
from accounts.models import User
from corpus.collections.rules import check_not_archived, check_role, fetch_membership
from corpus.models import Collection, Membership, Role

_NUMBER = re.compile(r"[0-9]{1,19}")


class ByCursor(CursorPagination):
    """Pages that cost the same however deep: follow `next` and `previous`. Lists are in the order of a whole number."""

    page_size = 100
    page_size_query_param = "page_size"
    page_size_query_description = "Rows on a page: 100 if absent, 1,000 at most."
    max_page_size = 1000
    ordering = "id"

    def get_page_size(self, request: Request) -> int:
        """Errors: ValidationError, 400, for what is no number of rows."""
        asked = request.query_params.get(self.page_size_query_param)
        if asked and (not _NUMBER.fullmatch(asked) or not int(asked)):
            raise serializers.ValidationError({self.page_size_query_param: ["Give a whole number from 1 to 1000."]})
        return min(int(asked), self.max_page_size) if asked else self.page_size

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Errors: NotFound, 404, also for a cursor that none of these lists has given."""
        cursor = super().decode_cursor(request)
        if cursor is not None and cursor.position is not None and not _NUMBER.fullmatch(str(cursor.position)):
            raise NotFound(self.invalid_cursor_message)
        return cursor


class AnyType(BaseContentNegotiation):
    """Files are sent as what they are, whatever the caller says it accepts; errors are problem details."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class RemovedSerializer(serializers.Serializer[Any]):
    """How many were removed."""

    removed = serializers.IntegerField()


class ApiView(DescribedView):
    """What a person asks for, checked, and what they may see, page by page."""

    pagination_class = ByCursor

    @property
    def person(self) -> User:
        return cast(User, self.request.user)

    def listed(self) -> Response:
        """A page of `get_queryset`."""
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


class InCollectionView(ApiView):
    """404 for people who are not members, 403 for members without one of the roles that `roles` asks for the method."""

    roles: ClassVar[dict[str, tuple[Role, ...]]] = {}
    takes_archived: ClassVar[bool] = False  # whether it may be written to while the collection is archived

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        # Django answers HEAD by `get`: without its roles, the length of what is hidden could be asked for.
        self.check_access("GET" if request.method == "HEAD" else request.method or "")

    def check_access(self, method: str) -> None:
        """Membership, role, and that the collection is not archived where the method writes."""
        wanted = self.roles.get(method)
        if wanted:
            check_role(self.membership, *wanted)
        else:
            _ = self.membership
        if method not in SAFE_METHODS and not self.takes_archived:
            check_not_archived(self.collection)

    @cached_property
    def membership(self) -> Membership:
        return fetch_membership(cast(User, self.request.user), self.kwargs["slug"])

    @property
    def collection(self) -> Collection:
        return self.membership.collection
