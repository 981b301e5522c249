"""How the API's operations are described: the first clause of a docstring is the line of a list, all of it the text.

The description is the same for everybody, so it is put together and written as YAML once in a process.
"""

import re
from typing import Any, ClassVar

from django.conf import settings
from django.utils.translation import get_language
from drf_spectacular import renderers
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import is_list_serializer
from rest_framework.renderers import BaseRenderer

from accounts.scopes import scope_of

_CLAUSE = re.compile(r"[.;:](?:\s|$)")


class OperationSchema(AutoSchema):
    """Each operation has a summary, which is what lists of operations show."""

    def get_description(self) -> str:  # type: ignore[override] # drf-spectacular has dropped what DRF passes
        """The docstring, and which tokens can be used."""
        scope = scope_of(self.view, self.method)
        return f"{super().get_description()}\n\nScope of the token: `{scope}`."

    def _is_list_view(self, serializer: Any = None) -> bool:
        """Whether pages are asked for by `cursor` and `page_size`: what the successful answer is, not errors."""
        if serializer is None and isinstance(found := self.get_response_serializers(), dict):
            serializer = found.get(200)
        return bool(is_list_serializer(serializer))

    def get_summary(self) -> str | None:
        """The description up to the end of its first clause."""
        return _CLAUSE.split(" ".join(super().get_description().split()), maxsplit=1)[0] or None


class DescriptionGenerator(SchemaGenerator):
    """The description of all operations, put together once in a process."""

    cached: ClassVar[Any] = None  # the description for everybody

    def get_schema(self, request: Any = None, public: bool = False) -> Any:
        """As drf-spectacular makes it; one of a version or in a language that was asked for is made each time."""
        if not public or self.api_version is not None or get_language() != settings.LANGUAGE_CODE:
            return super().get_schema(request=request, public=public)
        if DescriptionGenerator.cached is None:
            DescriptionGenerator.cached = super().get_schema(request=request, public=public)
        return DescriptionGenerator.cached


class _CachedText(BaseRenderer):
    """Caches the text of the description for everybody, which takes a tenth of a second; any other is written again.

    It is the same under both media types.
    """

    _cached: ClassVar[tuple[Any, Any]] = (None, None)  # a description and its text

    def render(self, data: Any, *context: Any, **more: Any) -> Any:
        """As drf-spectacular writes it."""
        if data is not DescriptionGenerator.cached:
            return super().render(data, *context, **more)
        if self._cached[0] is not data:
            _CachedText._cached = (data, super().render(data, *context, **more))
        return self._cached[1]


class YamlRenderer(_CachedText, renderers.OpenApiYamlRenderer):
    """What is sent where nothing else is asked for."""


class PlainYamlRenderer(_CachedText, renderers.OpenApiYamlRenderer2):
    """YAML under its usual media type."""


RENDERERS = (YamlRenderer, PlainYamlRenderer, renderers.OpenApiJsonRenderer, renderers.OpenApiJsonRenderer2)
