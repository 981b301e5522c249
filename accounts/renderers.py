"""The API's description as YAML, written once in a process: a tenth of a second for what is the same for everybody."""

from typing import Any, ClassVar

from drf_spectacular import renderers
from rest_framework.renderers import BaseRenderer

from accounts.operations import DescriptionGenerator


class _Kept(BaseRenderer):
    """Keeps the text of the description for everybody; any other is written each time."""

    _text: ClassVar[tuple[Any, Any] | None] = None  # with the description that it is of

    def render(self, data: Any, *context: Any, **more: Any) -> Any:
        """As drf-spectacular writes it."""
        if data is not DescriptionGenerator.kept():
            return super().render(data, *context, **more)
        cls = type(self)
        kept = cls._text
        if kept is None or kept[0] is not data:
            kept = cls._text = (data, super().render(data, *context, **more))
        return kept[1]


class YamlRenderer(_Kept, renderers.OpenApiYamlRenderer):
    """What is sent where nothing else is asked for."""


class PlainYamlRenderer(_Kept, renderers.OpenApiYamlRenderer2):
    """The same under the usual name of the type."""


RENDERERS = (YamlRenderer, PlainYamlRenderer, renderers.OpenApiJsonRenderer, renderers.OpenApiJsonRenderer2)
