"""What every endpoint inside a collection shares: the caller's membership, roles by method, pages by cursor."""

import re
from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from typing import Any, ClassVar, Self, cast

from django.urls import reverse
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import DescribedView
from accounts.job_kinds import kind_of
from accounts.models import Job, User
from corpus.collections.rules import check_not_archived, check_role, fetch_membership
from corpus.models import Collection, Membership, Role

_NUMBER = re.compile(r"[0-9]{1,19}")


class ByCursor(CursorPagination):
    """Pages of equal cost at any depth: follow `next` and `previous`. Lists are in the order of a whole number."""

    page_size = 100
    page_size_query_param = "page_size"
    page_size_query_description = "Rows on a page: 100 if absent, 1,000 at most."
    max_page_size = 1000

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str]:
        return (view.ordering,)

    def get_page_size(self, request: Request) -> int:
        """Errors: ValidationError, 400, for a value that is not a number of rows."""
        size = request.query_params.get(self.page_size_query_param)
        if size and (not _NUMBER.fullmatch(size) or not int(size)):
            raise serializers.ValidationError({self.page_size_query_param: ["Give a whole number from 1 to 1000."]})
        return min(int(size), self.max_page_size) if size else self.page_size

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Errors: NotFound, 404, also for a cursor that none of these lists has given."""
        cursor = super().decode_cursor(request)
        if cursor is not None and cursor.position is not None and not _NUMBER.fullmatch(str(cursor.position)):
            raise NotFound(self.invalid_cursor_message)
        return cursor


class AnyType(BaseContentNegotiation):
    """Files are sent in their own type, whatever the caller accepts; errors are problem details."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class RemovedSerializer(serializers.Serializer[Any]):
    """How many were removed."""

    removed = serializers.IntegerField()


class ApiView(DescribedView):
    """The person who asks, and lists page by page."""

    pagination_class = ByCursor
    ordering: ClassVar[str] = "id"  # of a list: a whole number

    @classmethod
    def for_verbs(cls, verbs: Mapping[str, Any], **more: Any) -> type[Self]:
        """The view of an address where nothing but {method: verb} is done; `more` are its other attributes."""
        return type(cls.__name__, (cls,), {method: verb.method for method, verb in verbs.items()} | more)

    @property
    def person(self) -> User:
        return cast(User, self.request.user)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """The answer; of a job that was just asked for, with the address at which it is followed."""
        shown = getattr(getattr(response, "data", None), "serializer", None)
        if response.status_code == HTTPStatus.ACCEPTED and isinstance(job := getattr(shown, "instance", None), Job):
            response["Location"] = reverse("api_job", args=[kind_of(job).key, job.pk])
        return super().finalize_response(request, response, *args, **kwargs)

    def listed(self) -> Response:
        """A page of `get_queryset`."""
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


class InCollectionView(ApiView):
    """404 for people who are not members; 403 for members without one of the roles that the verb, or else `roles`, asks
    for the method."""

    roles: ClassVar[dict[str, tuple[Role, ...]]] = {}
    takes_archived: ClassVar[bool] = False  # whether it may be written to while the collection is archived

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        # Django answers HEAD by `get`: without its roles, anybody could learn how long a hidden answer is.
        self.check_access("GET" if request.method == "HEAD" else request.method or "")

    def check_access(self, method: str) -> None:
        """Membership, role, and that the collection is not archived where the method writes."""
        verb = getattr(getattr(self, method.lower(), None), "verb", None)
        if roles := verb.roles if verb else self.roles.get(method):
            check_role(self.membership, *roles)
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
