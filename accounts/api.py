"""The base of every endpoint: it takes what its operations describe, and refuses everything else with 400.

A misspelt name that is ignored does something else than what was intended: it builds all items instead of some, or
removes those of every topic.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

from django.urls import URLResolver, include, path
from django.utils.datastructures import MultiValueDict
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import UnsupportedMediaType, ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request

MOST_NAMED = 10  # unknown names in one answer
LONGEST_NAME = 60  # characters of each
CSRF = "csrfmiddlewaretoken"  # in forms of pages
NO_BODY = "This request takes no body. Send it without one."

SWITCH = ("true", "false", "1", "0")

Shape = serializers.BaseSerializer[Any]


@dataclass(frozen=True, slots=True)
class DescribedMethod:
    """What `extend_schema` says that a method takes: names of query parameters, the words that some of them are chosen
    from, and whether there is a body."""

    queries: frozenset[str]
    words: Mapping[str, tuple[str, ...]]
    has_body: bool


def rest_addresses(views: Mapping[str, Iterable[tuple[str, type[GenericAPIView[Any]], str]]]) -> URLResolver:
    """The REST addresses of an app, of {how they begin: (how they go on, the view, the name of the address)}."""
    found = [
        path(f"{begin}{address}", view.as_view(), name=name)
        for begin, each in views.items()
        for address, view, name in each
    ]
    return path("api/", include(found))


class DescribedView(GenericAPIView[Any]):
    """400 for query parameters, bodies and fields that the operation does not describe, with the names of those it
    does."""

    _operations: ClassVar[dict[tuple[type, str], DescribedMethod]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        operation = self.operation("GET" if request.method == "HEAD" else request.method or "")
        if operation is not None:
            check_names(request.query_params, self.known_queries(operation), "parameter")
            if repeated := [name for name, values in request.query_params.lists() if len(values) > 1]:
                raise ValidationError({name: ["Give this parameter once."] for name in repeated})
            check_words(request.query_params, operation.words)
            if not operation.has_body and _holds_something(request):
                raise ValidationError({"body": [NO_BODY]})

    def known_queries(self, operation: DescribedMethod) -> Collection[str]:
        """The query parameters that this very request may have."""
        return operation.queries

    def operation(self, method: str) -> DescribedMethod | None:
        """What the method takes; None where the view has no such method."""
        handler = getattr(self, method.lower(), None)
        if handler is None or method == "OPTIONS":
            return None
        key = (type(self), method)
        if key not in self._operations:
            schema: AutoSchema = handler.kwargs["schema"]()
            schema.view, schema.method = self, method  # as its own generator sets them
            described = [each for each in schema.get_override_parameters() if isinstance(each, OpenApiParameter)]
            names = {each.name for each in described if each.location == OpenApiParameter.QUERY}
            words = {each.name: _words(each) for each in described if _words(each)}
            if method == "GET":
                names |= {str(each["name"]) for each in schema._get_pagination_parameters()}
            has_body = method in ("POST", "PUT", "PATCH") and schema.get_request_serializer() is not None
            self._operations[key] = DescribedMethod(frozenset(names), words, has_body)
        return self._operations[key]

    def body(self, shape: type[Shape], **options: Any) -> dict[str, Any]:
        """The body as this shape validates it; `options` are for the serializer. Errors: ValidationError, 400.

        Fields in `former` of the shape, {former name: present name}, are taken with a notice in the answer's header.
        """
        data, notices = with_present_names(self.request.data, getattr(shape, "former", {}))
        if notices:
            self.headers["Warning"] = ", ".join(f'299 litmus "{notice}"' for notice in notices)
        serializer = shape(data=data, **options)
        check_fields(serializer, data)
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)


def with_present_names(data: Any, former: Mapping[str, str]) -> tuple[Any, list[str]]:
    """The body with former names of fields replaced, and a notice for each. Errors: ValidationError for both names."""
    used = [name for name in former if isinstance(data, Mapping) and name in data]
    if both := [name for name in used if former[name] in data]:
        raise ValidationError({name: [f"This field is now called {former[name]}. Give it once."] for name in both})
    if not used:
        return data, []
    renamed = data.copy()
    for name in used:
        if isinstance(data, MultiValueDict):
            renamed.setlist(former[name], renamed.pop(name))
        else:
            renamed[former[name]] = renamed.pop(name)
    return renamed, [f"{name} is now {former[name]}; the former name works in version 0.2 only" for name in used]


def _holds_something(request: Request) -> bool:
    """Whether fields were sent, in JSON or as any form sends them."""
    try:
        return bool(request.data)
    except UnsupportedMediaType:
        return bool(request._request.POST or request._request.FILES)


def check_names(names: Iterable[str], known: Collection[str], noun: str) -> None:
    """Errors: ValidationError, which is 400, for names that are not known."""
    unknown = [name for name in names if name not in known]
    if unknown:
        reason = _no_such(noun, known)
        raise ValidationError({name[:LONGEST_NAME]: [reason] for name in unknown[:MOST_NAMED]})


def check_words(values: Mapping[str, str], words: Mapping[str, tuple[str, ...]]) -> None:
    """Errors: ValidationError for parameters that are none of the words they are chosen from; an empty one is none."""
    wrong = {
        name: [f"“{values[name][:LONGEST_NAME]}” is none of {', '.join(known)}."]
        for name, known in words.items()
        if values.get(name) and (values[name].lower() if known == SWITCH else values[name]) not in known
    }
    if wrong:
        raise ValidationError(wrong)


def _words(parameter: OpenApiParameter) -> tuple[str, ...]:
    """What the parameter is chosen from, () where it may be anything."""
    if parameter.type in (OpenApiTypes.BOOL, bool):
        return SWITCH
    return tuple(map(str, parameter.enum or ()))


def check_fields(shape: Shape, data: Any) -> None:
    """Errors: ValidationError for fields of a body, or of objects in it, that the serializer does not have. One with
    `takes_more` takes any name."""
    if found := dict(islice(_unknown(shape, data, ""), MOST_NAMED)):
        raise ValidationError(found)


def _unknown(shape: Any, data: Any, path: str) -> Iterator[tuple[str, list[str]]]:
    """Unknown fields by their path, with what is known there."""
    if isinstance(shape, serializers.ListSerializer | serializers.ListField):
        if isinstance(shape.child, serializers.Serializer | serializers.ListField) and isinstance(data, list):
            for place, each in enumerate(data):
                yield from _unknown(shape.child, each, f"{path}{place}.")
    elif isinstance(shape, serializers.Serializer) and isinstance(data, Mapping):
        fields = {name: field for name, field in shape.fields.items() if not field.read_only}
        for name in data:
            field = fields.get(name) or fields.get(name.partition("[")[0])  # lists in forms: name[0]
            if field is not None:
                yield from _unknown(field, data[name], f"{path}{name}.")
            elif name != CSRF and not getattr(shape, "takes_more", False):
                yield f"{path}{name[:LONGEST_NAME]}", [_no_such("field", fields)]


def _no_such(noun: str, known: Iterable[str]) -> str:
    names = sorted(known)
    if not names:
        return f"There is no such {noun} here, and there are no others."
    return f"There is no such {noun} here. The {noun}s are: {', '.join(names)}."
