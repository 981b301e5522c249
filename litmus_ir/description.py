"""What a server says of its operations (OpenAPI): what each takes and answers, and where a job is followed."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

Schema = Mapping[str, Any]
Arguments = Mapping[str, Any]
FORM = "multipart/form-data"


class Unknown(TypeError):
    """The server has no such operation or argument, or an argument is missing; names those that are near."""


@dataclass(frozen=True)
class Operation:
    """`fields` are those of the body, by their names as arguments: one that is called like a part of the path has an
    underscore behind it. `answer` is the shape of the successful answer."""

    name: str
    method: str
    path: str
    path_names: tuple[str, ...]
    queries: frozenset[str]
    fields: Mapping[str, Schema]
    required: frozenset[str]
    is_form: bool
    answer: Schema

    def check(self, arguments: Collection[str]) -> None:
        """Errors: Unknown."""
        known = {*self.path_names, *self.queries, *self.fields}
        for name in arguments:
            if name not in known:
                raise Unknown(f"{self.name} takes no {name}. {nearest(name, known)}")
        if missing := sorted(self.required - set(arguments)):
            raise Unknown(f"{self.name} also needs {', '.join(missing)}.")


class Description:
    """The operations of a server by their id."""

    def __init__(self, document: Schema) -> None:
        self._schemas: Schema = document["components"]["schemas"]
        ways = ((path, *way) for path, methods in document["paths"].items() for way in methods.items())
        self.operations = {said["operationId"]: self._operation(path, method, said) for path, method, said in ways}

    def operation(self, name: str) -> Operation:
        """Errors: Unknown."""
        if name not in self.operations:
            raise Unknown(f"There is no operation {name}. {nearest(name, self.operations)}")
        return self.operations[name]

    def resolved(self, shape: Schema) -> Schema:
        """The shape itself where another one is named."""
        return self._schemas[_called(shape)] if _called(shape) else shape

    def row(self, answer: Schema) -> Schema:
        """The shape of the rows of a list, of pages or whole; {} where it is none."""
        rows: Schema = self.resolved(answer).get("properties", {}).get("results", answer).get("items", {})
        return rows

    def followed(self, operation: Operation) -> tuple[Operation, str] | None:
        """Who tells how far the job is that the operation has started, and where in its answer: "" it is the answer,
        "[]" one of the list, else the name of a field. None where no operation does."""
        given = set(operation.path_names)
        wanted = _called(self.row(operation.answer)) or _called(operation.answer)
        readers = [each for each in self.operations.values() if each.method == "get"]
        for reader in readers:
            if _called(reader.answer) == wanted and given.issuperset(reader.path_names[:-1]):
                return reader, ""
        for reader in (each for each in readers if given.issuperset(each.path_names)):
            if _called(self.row(reader.answer)) == wanted:
                return reader, "[]"
            for name, field in self.resolved(reader.answer).get("properties", {}).items():
                if _called(field) == wanted:
                    return reader, name
        return None

    def _operation(self, path: str, method: str, said: Schema) -> Operation:
        in_path = tuple(re.findall(r"{(\w+)}", path))
        kinds = said.get("requestBody", {}).get("content", {})
        body = self.resolved(next((kind["schema"] for kind in kinds.values()), {}))
        names = {name: f"{name}_" if name in in_path else name for name in body.get("properties", ())}
        answers = [
            said["responses"][code].get("content", {}) for code in ("202", "200", "201") if code in said["responses"]
        ]
        return Operation(
            name=said["operationId"],
            method=method,
            path=path,
            path_names=in_path,
            queries=frozenset(each["name"] for each in said.get("parameters", ()) if each["in"] == "query"),
            fields={names[name]: self.resolved(shape) for name, shape in body.get("properties", {}).items()},
            required=frozenset(in_path) | {names[name] for name in body.get("required", ())},
            is_form=FORM in kinds,
            answer=next((kind.get("schema", {}) for kinds in answers for kind in kinds.values()), {}),
        )


def nearest(name: str, known: Collection[str]) -> str:
    """What may have been meant."""
    parts = set(name.split("_"))
    near = get_close_matches(name, known, 4) or sorted(each for each in known if parts & set(each.split("_")))[:8]
    return f"Did you mean {' or '.join(near)}?" if near else f"Known are {', '.join(sorted(known)) or 'none'}."


def _called(shape: Schema) -> str:
    """The name of a shape that is named, also where it may be null."""
    named: str = (shape.get("allOf") or [shape])[0].get("$ref", "")
    return named.rpartition("/")[2]
