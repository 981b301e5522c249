"""A verb is declared once: its page, its REST method with OpenAPI text, its command and its dry run follow from it.

Each door turns what it was given into data of one Django form, so that help, limits, choices and what is refused are
the same everywhere. What does not fit stays a plain function.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from accounts.management.options import add_option
from accounts.management.reporting import ReportingCommand, valid
from accounts.refusal_messages import refusals_in_form
from accounts.schema import answers

# Form fields whose serializer's field has the same name, the special ones first.
PLAIN = (forms.BooleanField, forms.FloatField, forms.IntegerField, forms.DateField, forms.EmailField, forms.CharField)
LIMITS = ("min_value", "max_value", "max_length")


class Spelled(forms.Field):
    """A field that REST and the command spell in another way than the page.

    `rest_field` is the serializer's, given required, default and help_text. `text_of` is what the page would send (a
    text, or a list of them) for what REST, or the command in words, was given.
    """

    rest_field: Callable[..., Any]
    text_of: Callable[[Any], Any]


@dataclass(frozen=True)
class Found:
    """Where a verb is done: arguments of the action and of the form, the context of the page, the way back from it."""

    target: dict[str, Any]
    form: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)
    back: str = ""


@dataclass(frozen=True)
class Place:
    """Finds where a verb is done. Errors: Http404 for whom it does not exist, NotAllowed without one of the roles."""

    page: Callable[..., Found]  # (request, roles, **parameters of the address)
    rest: Callable[[Any], Found]  # (view), which has checked the roles
    command: Callable[..., Found]  # (**arguments)
    arguments: Mapping[str, str]  # positional ones of the command: {name: help}


@dataclass(frozen=True)
class Operation:
    """One verb. `action` gets `by`, `at`, the place's target and the form's values, all by keyword; it asks the roles.

    `named` fields are positional on the command line and have no default outside the page; `folded` ones are shown
    below `fold`. `report` says to people what happened, `goes_to` which page comes next, `to_json` what REST and
    --json show. With `has_dry_run` REST and the command do it and take it back if asked to.
    """

    action: Callable[..., Any]
    place: Place
    roles: tuple[Any, ...]
    about: str  # what it does, in a sentence: description of the command and of the API
    title: str
    button: str
    report: Callable[[Any], str]
    goes_to: Callable[[Any], str]
    to_json: Callable[[Any], dict[str, Any]]
    form: type[forms.Form] = forms.Form
    named: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    fold: str = "More"
    lead: str = ""
    has_dry_run: bool = False
    template: str = "corpus/collections/operation.html"

    def carry_out(self, found: Found, values: Any, by: Any, *then: Any, dry: bool = False) -> list[Any]:
        """Do it and return what each of `then` makes of the result; `dry`: it is taken back. Errors: the action's."""
        with transaction.atomic():
            result = self.action(by=by, at=timezone.now(), **found.target, **values)
            shown = [one(result) for one in then]
            transaction.set_rollback(dry)
        return shown

    def fill(self, found: Found, given: Mapping[str, Any]) -> forms.Form:
        """The form with what REST or the command were given; what they leave out is what the page begins with."""
        data = QueryDict(mutable=True)
        for name, each in self.form.base_fields.items():
            value = given.get(name)
            if value is None:
                value = None if name in self.named else each.initial
            elif isinstance(each, Spelled):
                value = each.text_of(value)
            if value is not None and value is not False:
                data.setlist(name, [str(one) for one in (value if isinstance(value, list | tuple) else [value])])
        return self.form(data, **found.form)

    @property
    def page(self) -> Callable[..., HttpResponse]:
        """The view with the form; without fields it answers the POST of a button."""
        has_fields = bool(self.form.base_fields)

        def view(request: HttpRequest, **where: Any) -> HttpResponse:
            found = self.place.page(request, self.roles, **where)
            form = self.form(request.POST if request.method == "POST" else None, **found.form)
            if form.is_valid():
                with refusals_in_form(form):
                    done = self.carry_out(found, form.cleaned_data, request.user, self.report, self.goes_to)
                    messages.success(request, done[0])
                    return redirect(done[1])
            if not has_fields:
                messages.error(request, " ".join(map(str, form.non_field_errors())))
                return redirect(found.back)
            plain = [form[name] for name in form.fields if name not in self.folded]
            folded = [form[name] for name in self.folded]
            shown = {"operation": self, "form": form, "plain": plain, "folded": folded, "back": found.back}
            return render(request, self.template, found.shown | shown, status=422 if form.is_bound else 200)

        view.__module__, view.__qualname__ = self.action.__module__, self.action.__name__  # whose address it is
        view.is_form = has_fields  # type: ignore[attr-defined] # as form_page of corpus/collections does
        return require_http_methods(["GET", "HEAD", "POST"] if has_fields else ["POST"])(view)

    def serializer(self, name: str) -> Any:
        """What REST takes; in the description it has this name."""
        fields = {each: self._rest_field(each, one) for each, one in self.form.base_fields.items()}
        if self.has_dry_run:
            fields["dry_run"] = serializers.BooleanField(default=False, help_text="only say what it would do")
        return type(f"{name}Serializer", (serializers.Serializer,), {"__doc__": self.about, **fields})

    def _rest_field(self, name: str, each: forms.Field) -> Any:
        initial = None if name in self.named else each.initial
        has_default = initial is not None and not isinstance(each, Spelled)
        common: dict[str, Any] = {"help_text": str(each.help_text or each.label or "")}
        common |= {"default": initial} if has_default else {"required": each.required and initial is None}
        if isinstance(each, Spelled):
            return each.rest_field(**common)
        if isinstance(each, forms.MultipleChoiceField):
            return serializers.ListField(child=serializers.CharField(max_length=200), **common)
        if isinstance(each, forms.ChoiceField):
            return serializers.ChoiceField(list(each.choices), **common)  # type: ignore[arg-type]
        kind = getattr(serializers, next(known.__name__ for known in PLAIN if isinstance(each, known)))
        common |= {limit: value for limit in LIMITS if (value := getattr(each, limit, None)) is not None}
        common |= {"allow_blank": True} if issubclass(kind, serializers.CharField) and not each.required else {}
        return kind(**common)

    def method(self, identity: str, *, takes: Any = None, shows: Any = None, status: int = 201) -> Any:
        """A method of a DRF view: `takes` is its serializer, `shows` describes the answer."""

        @extend_schema(
            operation_id=identity,
            description=self.about,
            request=takes,
            responses=answers({status: shows}, 400, 403, 404, 409, 415, 422),
        )
        def answer(view: Any, request: Any, **where: Any) -> Response:  # noqa: ARG001 - as DRF calls it
            given = view.body(takes) if takes else {}
            form = self.fill(found := self.place.rest(view), given)
            if not form.is_valid():
                raise serializers.ValidationError(dict[str, Any](form.errors))
            is_dry = given.get("dry_run", False)
            [shown] = self.carry_out(found, form.cleaned_data, view.person, self.to_json, dry=is_dry)
            return Response(None if status == 204 else shown, status=200 if is_dry else status)

        return answer

    @property
    def command(self) -> type[ReportingCommand]:
        """The management command: where it is done and the named fields, then all others as options."""
        operation = self

        class Command(ReportingCommand):
            help = operation.about

            def add_arguments(self, parser: Any) -> None:
                super().add_arguments(parser)
                for name, about in operation.place.arguments.items():
                    parser.add_argument(name, help=about)
                for name, each in operation.form.base_fields.items():
                    add_option(parser, name, each, is_positional=name in operation.named)
                if operation.has_dry_run:
                    parser.add_argument("--dry-run", action="store_true", help="only say what it would do")

            def carry_out(self, *, dry_run: bool = False, **options: Any) -> tuple[str, dict[str, Any]]:
                found = operation.place.command(**{name: options[name] for name in operation.place.arguments})
                values = valid(operation.fill(found, options))
                then = (operation.report, operation.to_json)
                words, shown = operation.carry_out(found, values, None, *then, dry=dry_run)
                return f"Nothing was changed. Without --dry-run: {words}" if dry_run else words, shown

        return Command
