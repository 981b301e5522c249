"""The pages of the reference that are made from the code: commands, REST, statistics, exports."""

import re
from argparse import SUPPRESS, Action, _SubParsersAction
from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.core.management import base
from django.core.management.base import CommandParser
from django.forms import Field
from drf_spectacular.generators import SchemaGenerator

from adjudication.exporting.exporter import CONTEXTS, JUDGMENTS, QUESTIONS, TRAINING
from adjudication.exporting.registry import EXPORTERS
from engines.stats.audits.figures import FIGURES
from engines.stats.measures import MEASURES
from engines.stats.policies import TIE_POLICIES
from engines.stats.reasons import Flag, Reason
from engines.stats.statistics import SCALES, STATISTICS, Statistic
from litmus_ir.command import parser_of
from litmus_ir.verbs import TASKS, Verb, verbs
from litmus_ir.words import Parser

COMMON = {"help", "as_json"}  # arguments of every command
OF_OTHERS = {"django", "completion"}  # commands without options of ours


def pages() -> dict[str, str]:
    """{path below docs/: Markdown}."""
    made = {f"reference/commands/{_slug(task)}.md": commands_page(task) for task in TASKS}
    return made | {
        "reference/rest.md": rest_page(SchemaGenerator().get_schema(request=None, public=True)),
        "reference/statistics.md": statistics_page(),
        "reference/exports.md": exports_page(),
    }


def command_pages() -> list[str]:
    """Paths of the pages of commands, in the order of tasks."""
    return [f"reference/commands/{_slug(task)}.md" for task in TASKS]


def _slug(task: str) -> str:
    return task.lower().replace(" ", "-")


def _cell(text: object) -> str:
    """Text inside a cell of a table, where a bar would end the cell and < begin HTML."""
    return " ".join(str(text).replace("|", "\\|").replace("<", "&lt;").split())


def _table(headings: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table; "" without rows."""
    lines = ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    names = list(headings)
    return "\n".join(["| " + " | ".join(names) + " |", "|" + "---|" * len(names), *lines, ""]) if lines else ""


# --- commands --------------------------------------------------------------------------------------------------------


def commands_page(task: str) -> str:
    """All commands of a task: what each does, an example that works in the demo, its arguments."""
    base.CommandParser = Parser  # type: ignore[misc]  # as the program `litmus` parses
    lines = [
        f"# {task} {{: #commands }}",
        "",
        f"The commands of “{task}” in `litmus help`. Examples are of the demo. Each command also takes `--data DIR`, "
        "`--json` (one JSON object on standard output), and `--help`, which prints what is here. Exit codes: 0 done, "
        "1 refused or invalid input, 2 wrong usage.",
        "",
    ]
    for verb in verbs().values():
        if verb.task == task:
            lines += _command(verb)
    return "\n".join(lines)


def _command(verb: Verb) -> Iterator[str]:
    yield f"## {verb.name} {{: #{verb.name} }}\n\n{_sentence(verb.line)}\n"
    yield from ("```sh", *(f"litmus {each}" for each in verb.examples), "```\n")
    if verb.name in OF_OTHERS:
        return
    parser = parser_of(verb.name)
    if parser.description and not _sentence(parser.description).startswith(_sentence(verb.line)[:-1]):
        yield f"{_sentence(parser.description)}\n"
    yield _arguments(parser)
    for steps in (action for action in _shown(parser) if isinstance(action, _SubParsersAction)):
        about = {each.dest: each.help for each in steps._choices_actions}
        for name, step in steps.choices.items():
            yield f"### {verb.name} {name}\n\n{_sentence(about.get(name) or step.description or '')}\n"
            yield _arguments(step)


def _sentence(text: str) -> str:
    text = " ".join(text.replace("<", "&lt;").split())
    return text if not text or text.endswith((".", "…")) else f"{text}."


def _shown(parser: CommandParser) -> list[Action]:
    return [each for each in parser._actions if each.help != SUPPRESS and each.dest not in COMMON]


def _arguments(parser: CommandParser) -> str:
    shown = [each for each in _shown(parser) if not isinstance(each, _SubParsersAction)]
    return _table(("argument", "meaning"), ((_names(each), _meaning(each)) for each in shown))


def _names(action: Action) -> str:
    if not action.option_strings:
        return f"`{action.metavar or action.dest}`" + (" …" if action.nargs in ("*", "+") else "")
    flags = [flag for flag in action.option_strings if not flag.startswith("--no-")] or action.option_strings
    takes = "" if action.nargs == 0 or action.choices else f" {action.metavar or action.dest.upper()}"
    return f"`{flags[-1]}{takes}`" + (", required" if action.required else "")


def _meaning(action: Action) -> str:
    text = str(action.help or "")
    text = text % vars(action) if "%(" in text else text.replace("%%", "%")
    choices = [str(each) for each in action.choices or () if str(each) not in text]
    return "; ".join(filter(None, [text, "one of " + ", ".join(f"`{each}`" for each in choices) if choices else ""]))


# --- REST ------------------------------------------------------------------------------------------------------------


def rest_page(schema: dict[str, Any]) -> str:
    """Every operation of the OpenAPI description, by what it is about."""
    lines = [
        "# REST",
        "",
        f"{schema['info']['description']} Every Litmus shows its API at `/api/docs/`, where it can be tried, and "
        "describes it at `/api/schema/` (OpenAPI 3). Make a token on the page “API tokens” and send it with each "
        "request:",
        "",
        "```sh",
        'curl -H "Authorization: Bearer $LITMUS_TOKEN" "$LITMUS/api/collections/"',
        "```",
        "",
        "A token has a scope: `read`, `annotate` or `manage`, each with what the former allows. Errors are "
        "`application/problem+json`: `detail` says why, as the page does. From Python, "
        "[a client](../how-to/python-client.md) calls each operation by its name.",
        "",
    ]
    groups: dict[str, list[str]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            groups.setdefault(_subject(path), []).append(_operation(path, method, operation, schema))
    for subject in sorted(groups):
        lines += [f"## {subject.replace('-', ' ').capitalize()}", "", *groups[subject]]
    return "\n".join(lines)


def _subject(path: str) -> str:
    """The first word of a path below the collection or the campaign: what it is about."""
    words = [word for word in path.removeprefix("/api/").strip("/").split("/") if not word.startswith("{")]
    inside = [word for word in words if word not in ("collections", "campaigns")]
    return inside[0] if inside else words[-1]


def _operation(path: str, method: str, operation: dict[str, Any], schema: dict[str, Any]) -> str:
    about = operation.get("description") or operation.get("summary", "")
    lines = [
        f"### {method.upper()} {path}",
        "",
        about.replace("<", "&lt;"),
        "",
        f"Operation: `{operation['operationId']}`.",
        "",
    ]
    rows = [
        (f"`{each['name']}`" + (", required" if each.get("required") else ""), _described(each, each.get("schema", {})))
        for each in operation.get("parameters", ())
        if each["in"] == "query"
    ]
    lines.append(_table(("parameter", "meaning"), rows))
    lines.append(_table(("field of the body", "meaning"), _body(operation, schema)))
    return "\n".join(lines)


def _body(operation: dict[str, Any], schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    content = operation.get("requestBody", {}).get("content", {})
    for each in content.values():
        shape = _resolved(each.get("schema", {}), schema)
        required = set(shape.get("required", ()))
        for name, field in shape.get("properties", {}).items():
            if not field.get("readOnly"):
                yield (
                    f"`{name}`" + (", required" if name in required else ""),
                    _described(field, _resolved(field, schema)),
                )
        return  # the other media types carry the same fields


def _resolved(shape: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in shape:
        return shape
    found: dict[str, Any] = schema["components"]["schemas"][shape["$ref"].rpartition("/")[2]]
    return found


def _described(about: dict[str, Any], shape: dict[str, Any]) -> str:
    words = about.get("description") or shape.get("description") or ""
    choices = [f"`{each}`" for each in shape.get("enum", ()) if each not in ("", None)]
    kind = shape.get("type", "")
    words = re.sub(r"\s*\* `[^`]*` - [^\n]*", "", words)  # the choices, which follow
    return "; ".join(filter(None, [words.strip(), "one of " + ", ".join(choices) if choices else kind]))


# --- statistics ------------------------------------------------------------------------------------------------------


def statistics_page() -> str:
    """Statistics of agreement, rules for ties, measures of runs, and why a figure may be undefined."""
    voted = ((f"`{name}`", each.label, each.explanation) for name, each in TIE_POLICIES.items())
    audited = ((each.label, each.about, each.formula, each.source) for each in FIGURES.values())
    measured = ((f"`{each.spelling}`", each.about) for each in MEASURES.values())
    return "\n".join([
        "# Statistics, measures and reasons",
        "",
        "Made from the records in the code. [The statistics of Litmus](../statistics.md) says how they are computed "
        "and how intervals are made.",
        "",
        "## Statistics of agreement",
        "",
        "A criterion has those statistics that its levels allow: "
        + "; ".join(f"{name}, where levels are {words}" for name, words in SCALES.items()) + ".",
        "",
        *(_statistic(name, each) for name, each in STATISTICS.items()),
        "## Figures of an audit of machine labels",
        "",
        _table(("figure", "meaning", "formula", "source"), audited),
        "## Rules for ties",
        "",
        _table(("name", "label", "what it does"), voted),
        "## Measures of retrieval runs",
        "",
        _table(("name", "meaning"), measured),
        "## Why a figure is undefined",
        "",
        "No figure is ever shown as 0 because it could not be computed. It says one of these instead.",
        "",
        _table(("code", "meaning"), ((f"`{each.value}`", each.words["whole"]) for each in Reason)),
        "## What to know about a figure",
        "",
        _table(("code", "meaning"), ((f"`{each.value}`", each.words) for each in Flag)),
    ])  # fmt: skip


def _statistic(name: str, each: Statistic) -> str:
    facts = [
        ("Name", f"`{name}`"),
        ("Formula", each.formula),
        ("Range", each.range),
        ("Levels must be", each.needs),
        ("Several annotators", "mean over their pairs" if each.is_averaged else "one coefficient of all"),
        ("Undefined when", each.undefined.words["whole"]),
        ("Source", each.source),
    ]
    return f"### {each.label}\n\n{each.about}\n\n" + "".join(f"- {what}: {fact}\n" for what, fact in facts if fact)


# --- exports ---------------------------------------------------------------------------------------------------------


SECTIONS = {
    JUDGMENTS: "Judgments, topics, documents",
    QUESTIONS: "Question sets",
    CONTEXTS: "Citation contexts",
    TRAINING: "Training data and splits",
}


def exports_page() -> str:
    """Every export with its options."""
    lines = [
        "# Exports",
        "",
        "The page “Exports” of a collection, `litmus export COLLECTION --format NAME`, and REST write the same files. "
        "Files use your own topic numbers and docnos. Before a file is written, findings are listed; a fatal one "
        "refuses it.",
        "",
    ]
    for key, title in SECTIONS.items():
        lines += [f"## {title}", ""]
        for each in EXPORTERS.values():
            if each.section == key:
                options = ((f"`{name}`", _option(field)) for name, field in each.form.base_fields.items())
                lines += [f"### {each.label} (`{each.name}`)", "", f"{each.about} File: `….{each.suffix}`.".strip(), ""]
                lines.append(_table(("option", "meaning"), options))
    return "\n".join(lines)


def _option(field: Field) -> str:
    choices = [f"`{value}`" for value, _ in getattr(field, "choices", ()) if value and isinstance(value, str)]
    words = [str(field.label or ""), str(field.help_text or "").rstrip(".")]
    if isinstance(field, forms.ChoiceField) and choices:
        words.append("one of " + ", ".join(choices))
    return "; ".join(filter(None, words))
