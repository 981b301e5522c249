"""From words to options: page, API and command ask for an export in the same words."""

from collections.abc import Container, Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, cast

from django import forms

from accounts.doors import at_door
from accounts.refusals import Refused
from adjudication.exporting.exporter import Exporter, Options
from adjudication.exporting.forms import Choices, ExportForm, words_of
from adjudication.exporting.registry import EXPORTERS
from corpus.models import Collection


def find_exporter(name: str, level: str = "") -> Exporter:
    """The export of that name, the one of that level where levels have their own. Refused for an unknown one."""
    found = EXPORTERS.get(f"{name}:{level}") if level else None
    found = found or EXPORTERS.get(name)
    if found is None:
        raise Refused(f"Unknown export “{name[:40]}”. There is {', '.join(formats())}.")
    return found


def formats() -> dict[str, Exporter]:
    """The exports by the names people use; of several exports with one name, the first."""
    found: dict[str, Exporter] = {}
    for exporter in EXPORTERS.values():
        found.setdefault(exporter.format, exporter)
    return found


def in_section(section: str) -> list[Exporter]:
    """The exports of a section of the page."""
    return [exporter for exporter in EXPORTERS.values() if exporter.section == section]


def option_fields(
    exporters: Iterable[Exporter] | None = None, names: Container[str] | None = None
) -> dict[str, forms.Field]:
    """The options of these names (all) of these exports (of all): a field each, which has the choices that any of them
    knows."""
    found: dict[str, forms.Field] = {}
    for exporter in EXPORTERS.values() if exporters is None else exporters:
        for name, field in exporter.form.ordered().items():
            if names is not None and name not in names:
                continue
            known = found[name] if name in found else found.setdefault(name, deepcopy(field))
            if isinstance(known, forms.ChoiceField) and isinstance(field, forms.ChoiceField):
                known.choices = list(dict([*cast(Choices, known.choices), *cast(Choices, field.choices)]).items())
    return found


def make_options(collection: Collection, name: str, **words: Any) -> Options:
    """Options of the export of that name, from words by the names of its form's fields; None is not asked for.

    Without a campaign's slug the only one is taken. Refused for anything unknown.
    """
    return options_of(find_exporter(name, str(words.get("level") or "")), collection, words)


def options_of(
    exporter: Exporter, collection: Collection, words: Mapping[str, Any], *, lenient: bool = False
) -> Options:
    """Options of this export, from words by the names of its form's fields. `lenient` ignores words for which it has no
    option, as a page does that passes the same words to many exports."""
    words = {option: value for option, value in words.items() if value is not None}
    form = _lenient(exporter, words) if lenient else exporter.form(_own_options(exporter, words))
    if not form.is_valid():
        raise Refused(str(next(iter(form.errors.values()))[0]))
    options = exporter.options(collection, form.cleaned_data)
    return replace(options, words={option: words[option] for option in form.fields if option in words})


def _lenient(exporter: Exporter, words: Mapping[str, Any]) -> ExportForm:
    """The form without those words above the list that it does not take."""
    words, form = dict(words), exporter.form(words)
    while passed_over := [name for name in form.errors if name in words and not hasattr(form.fields[name], "on_card")]:
        words = {name: value for name, value in words.items() if name not in passed_over}
        form = exporter.form(words)
    return form


def _own_options(exporter: Exporter, words: Mapping[str, Any]) -> dict[str, Any]:
    """The words that the export has options for. Refused for others that would have changed the file."""
    own, every = exporter.form.base_fields, option_fields(names=words)
    for name, value in words.items():
        field = every.get(name)
        if field is None:
            raise Refused(f"No export has an option “{name}”.")
        if isinstance(field, forms.ChoiceField) and value and not field.valid_value(value):
            raise Refused(f"“{value}” is none of {', '.join(words_of(field))}.")
        if _is_strict(field, value) and not _has(exporter, name, value):
            raise Refused(_why_not(exporter, name, value, field))
    return {name: value for name, value in words.items() if name in own}


def _why_not(exporter: Exporter, name: str, value: Any, field: forms.Field) -> str:
    """Why the export is not written with this option, and what to do, in the words of the present door."""
    able = ", ".join(each for each in formats() if _any_has(each, name, value))
    what = at_door(command=f"--{name.replace('_', '-')}") or name
    what = what if value is True or isinstance(field, forms.BooleanField) else f"{what} “{str(value)[:40]}”"
    why = exporter.anyway.get(name, "")
    return f"“{exporter.label}” cannot be written with {what}. {why}Leave it out, or export one of these: {able}."


def _is_strict(field: forms.Field, value: Any) -> bool:
    return hasattr(field, "is_strict") and bool(value) and bool(field.is_strict(value))


def _has(exporter: Exporter, name: str, value: Any) -> bool:
    field = exporter.form.base_fields.get(name)
    return field is not None and (not isinstance(field, forms.ChoiceField) or field.valid_value(value))


def _any_has(format_: str, name: str, value: Any) -> bool:
    return any(_has(each, name, value) for each in EXPORTERS.values() if each.format == format_)
