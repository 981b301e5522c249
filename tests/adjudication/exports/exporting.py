"""What tests of exports share."""

from adjudication.exporting.findings import find
from adjudication.exporting.options import make_options
from adjudication.exports.files import open_export
from tests.factories.adjudication import Built, Triple

A, B, C = "It has leaves.", "It has steam.", "It has a pot."
TRIPLES: list[Triple] = [
    ("7", A, "doc-b"), ("7", B, "doc-b"), ("7", A, "doc-a"), ("7", B, "doc-a"), ("12", C, "doc-b"), ("12", C, "doc-c"),
]  # fmt: skip
LABELS = [[2, 2, 2], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 0, 0], [2, 2, 1]]


def text_of(built: Built, kind: str, **options: object) -> str:
    return b"".join(open_export(make_options(built.collection, kind, **options)).pieces).decode()  # type: ignore[arg-type]


def codes(built: Built, kind: str = "qrels", **options: object) -> dict[str, str]:
    found = find(make_options(built.collection, kind, **options))  # type: ignore[arg-type]
    return {finding.code: finding.severity for finding in found}
