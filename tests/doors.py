"""What the doors of a verb take: the forms of its page, its serializer, its command. See tests/test_doors.py."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from corpus.collections.api.base import ApiView


@dataclass(frozen=True)
class Verb:
    """One verb: the forms of its page, its serializer, its command (and step); what each door calls otherwise.

    A page without a form has the template that `Sent` names, REST without a body the parameters of its `Asked`. A door
    that is not there is (), None, "".
    """

    name: str
    page: tuple[Any, ...]
    rest: "type[serializers.BaseSerializer[Any]] | Asked | None"
    command: str
    here: tuple[str, ...] = ()  # arguments of the command that say where: they are in the address of the other doors
    buttons: tuple[str, ...] = ()  # of the page, which are no fields
    other: Mapping[str, str] = field(default_factory=dict)  # other word at one door: the verb's word
    lacking: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # door: {field: why it has none}


@dataclass(frozen=True)
class Sent:
    """What the forms of a template send to the page of this name."""

    template: str
    page: str

    @property
    def base_fields(self) -> set[str]:
        text = (Path("templates") / self.template).read_text(encoding="utf-8")
        forms = [*re.findall(r"{% post (.*?){% endpost %}", text, re.S), *re.findall(r"<form(.*?)</form>", text, re.S)]
        sent = [form for form in forms if f'"{self.page}"' in form]
        assert sent, f"{self.template} sends nothing to {self.page}"
        return {name for form in sent for name in re.findall(r'\bname="(\w+)"', form)}


@dataclass(frozen=True)
class Asked:
    """The parameters of a request."""

    view: type[ApiView]
    method: str

    @property
    def names(self) -> set[str]:
        schema = getattr(self.view, self.method.lower()).kwargs["schema"]()
        schema.view, schema.method = self.view(request=None, kwargs={}), self.method  # as its own generator sets them
        described = schema.get_override_parameters()
        described += own.get_override_parameters() if (own := self.view.__dict__.get("schema")) else []
        return {each.name for each in described if isinstance(each, OpenApiParameter)}


@dataclass(frozen=True)
class Read:
    """What a page reads itself of its address, or of buttons that were sent."""

    view: Callable[..., Any]

    @property
    def base_fields(self) -> set[str]:
        source = inspect.getsource(inspect.unwrap(self.view))
        return set(re.findall(r'request\.(?:GET|POST)\.get\("(\w+)"', source))


@dataclass(frozen=True)
class Parsed:
    """What is read of the JSON of a page's script, and of its plain form put into the same shape."""

    shape: type[Any]

    @property
    def base_fields(self) -> set[str]:
        return {each.name for each in fields(self.shape)}
