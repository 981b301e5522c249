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

from accounts import jobs
from accounts.edits import edited_values
from accounts.management.options import add_option
from accounts.management.reporting import ReportingCommand, valid
from accounts.refusal_messages import refusals_in_form
from accounts.refused_forms import refused
from accounts.rest_fields import Spelled, taken_by
from accounts.schema import answers


@dataclass(frozen=True)
class Found:
    """Where a verb is done: arguments of the action and of the form, the context of the page, the way back from it."""

    target: dict[str, Any]
    form: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)
    back: str = ""


@dataclass(frozen=True)
class Place:
    """Finds where a verb is done. Errors: Http404 where the person cannot see it, NotAllowed without a role for it."""

    page: Callable[..., Found]  # (request, roles, **parameters of the address)
    rest: Callable[[Any], Found]  # (view), which has checked the roles
    command: Callable[..., Found]  # (**arguments)
    arguments: Mapping[str, str]  # positional ones of the command: {name: help}


@dataclass(frozen=True)
class Rest:
    """A verb in the description of the API: its `name`, the serializer of its answer, and the name of what it takes."""

    name: str
    gives: Any = None
    status: int = 201
    takes: str = ""


@dataclass(frozen=True)
class Operation:
    """One verb. `action` gets `by`, `at`, the place's target and the form's values, all by keyword; it asks the roles.

    `named` fields are positional on the command line and have no default outside the page; `folded` ones are shown
    below `fold`. What REST and the command leave out is what the page begins with; of a change it stays as it is.
    `former` words work for one more version. With `has_dry_run` REST and the command can do it and roll it back.
    A verb that asks for a job has `finished`, what its command, which does the job at once, says and shows of it.
    """

    action: Callable[..., Any]
    place: Place
    roles: tuple[Any, ...]
    about: str  # what it does, in a sentence: description of the command and of the API
    title: str
    button: str
    report: Callable[[Any], str]  # what happened, for people
    goes_to: Callable[[Any], str]  # the page that comes next
    shows: Callable[[Any], Mapping[str, Any]]  # of the result, in REST and --json, where it has them
    form: type[forms.Form] = forms.Form
    named: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    fold: str = "More"
    lead: str = ""
    has_dry_run: bool = False
    is_change: bool = False
    former: Mapping[str, str] = field(default_factory=dict)  # {former name: present name}
    foresee: Callable[..., Any] | None = None  # a dry run of what is too much to be done and taken back
    finished: Callable[[Any], tuple[str, Mapping[str, Any]]] | None = None
    template: str = "corpus/collections/operation.html"  # "": it stands on the page that the place leads back to
    once: str = ""  # template that shows the result in the answer: a secret, which no later page shows
    rest: Rest = Rest("")  # without a name: over REST it has none
    called: str = ""  # its command
    prints: bool = False  # what its command says is what it is called for (accounts/management/reporting.py)
    tables: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)  # {--format of its command: that text}
    task: str = ""  # under which `litmus help` lists the command
    example: str = ""  # with which its --help begins

    def carry_out(self, found: Found, values: Mapping[str, Any], by: Any, *then: Any, dry: bool = False) -> list[Any]:
        """The result, and what each of `then` makes of it; `dry`: it is rolled back. Errors: the action's."""
        with transaction.atomic():
            result = ((dry and self.foresee) or self.action)(by=by, at=timezone.now(), **found.target, **values)
            shown = [one(result) for one in then] if dry else []
            transaction.set_rollback(dry)
        return [result, *(shown if dry else [one(result) for one in then])]  # after the commit, which may add to it

    def fill(self, found: Found, given: Mapping[str, Any]) -> forms.Form:
        """The form with what REST or the command were given; what they leave out is what the page begins with."""
        form, data = self.form(**found.form), QueryDict(mutable=True)
        for name, each in form.fields.items():
            value = given[name] if name in given else None if name in self.named else form[name].value()
            if name in given and value is not None and isinstance(each, Spelled):
                value = each.text_of(value)
            if value is not None and value is not False:
                data.setlist(name, [str(one) for one in (value if isinstance(value, list | tuple) else [value])])
        form = self.form(data, **found.form)
        if self.is_change and not given:
            form.add_error(None, f"Give at least one of {', '.join(form.fields)}.")
        return form

    def values(self, cleaned: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """What the action gets of the data of a form that REST or the command filled."""
        return {name: value for name, value in cleaned.items() if name in given or not self.is_change}

    @property
    def page(self) -> Callable[..., HttpResponse]:
        """The view with the form; without a template, or fields, it answers the POST of a button."""
        is_form = bool(self.form.base_fields and self.template)

        def view(request: HttpRequest, **where: Any) -> HttpResponse:
            found = self.place.page(request, self.roles, **where)
            form = self.form(request.POST if request.method == "POST" else None, **found.form)
            shown = found.shown | {"operation": self, "form": form, "back": found.back}
            if form.is_valid():
                with refusals_in_form(form):
                    [result] = self.carry_out(found, edited_values(form), request.user)
                    if self.once:
                        return render(request, self.once, shown | {"result": result, "next": self.goes_to(result)})
                    messages.success(request, self.report(result))
                    return redirect(self.goes_to(result))
            if not is_form:
                return refused(request, form, found.back)
            return render(request, self.template, shown, status=422 if form.is_bound else 200)

        view.__module__, view.__qualname__ = self.action.__module__, self.action.__name__  # whose address it is
        view.is_form, view.verb = is_form, self  # type: ignore[attr-defined] # the former as form_page does
        return require_http_methods(["GET", "HEAD", "POST"] if is_form else ["POST"])(view)

    @property
    def method(self) -> Any:
        """A method of a DRF view."""
        rest, takes = self.rest, taken_by(self)

        @extend_schema(rest.name, request=takes, responses=answers({rest.status: rest.gives}, 409, 415, 422))
        def answer(view: Any, request: Any, **where: Any) -> Response:  # noqa: ARG001 - as DRF calls it
            given = dict(view.body(takes)) if takes else {}
            dry = given.pop("dry_run", False)
            form = self.fill(found := self.place.rest(view), given)
            if not form.is_valid():
                raise serializers.ValidationError(dict[str, Any](form.errors))
            _, shown = self.carry_out(found, self.values(form.cleaned_data, given), view.person, self.shows, dry=dry)
            return Response(None if rest.status == 204 else shown, status=200 if dry else rest.status)

        answer.__doc__, answer.verb = self.about, self  # type: ignore[attr-defined] # the verb as of a page
        return answer

    @property
    def command(self) -> type[ReportingCommand]:
        """The management command: where it is done and the named fields, then all others as options."""
        operation, former = self, {present: word for word, present in self.former.items()}

        class Command(ReportingCommand):
            help, verb, prints, where = operation.about, operation, operation.prints, operation.place.arguments

            def add_arguments(self, parser: Any) -> None:
                super().add_arguments(parser)
                for name, each in operation.form.base_fields.items():
                    how = {"is_positional": name in operation.named, "is_change": operation.is_change}
                    add_option(parser, name, each, former=former.get(name, ""), **how)
                if operation.tables:
                    about = "a table for a paper; the default is lines for people"
                    parser.add_argument("--format", choices=["text", *operation.tables], dest="shape", help=about)
                if operation.has_dry_run:
                    parser.add_argument("--dry-run", action="store_true", help="only report what it would do")

            def carry_out(self, *, dry_run: bool = False, **options: Any) -> tuple[str, dict[str, Any]]:
                found = operation.place.command(**{name: options[name] for name in operation.place.arguments})
                given = {name: options[name] for name in operation.form.base_fields if options.get(name) is not None}
                values = operation.values(valid(operation.fill(found, given)), given)
                values |= {"send": False} if operation.finished else {}
                then = operation.report, operation.shows
                result, words, shown = operation.carry_out(found, values, None, *then, dry=dry_run)
                if operation.finished and not dry_run:
                    jobs.complete(result)
                    words, shown = operation.finished(result)
                    words = table(result) if (table := operation.tables.get(options.get("shape") or "")) else words
                return f"Nothing was changed. Without --dry-run: {words}" if dry_run else words, dict(shown)

        return Command
