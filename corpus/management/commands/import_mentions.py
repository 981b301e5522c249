"""manage.py import_mentions SLUG FILE… [--format F] [--only-linked] [--dry-run] [--json]"""

from typing import Any

from django.core.management.base import CommandParser

from corpus.management.importing import ImportCommand
from corpus.models import ImportKind


class Command(ImportCommand):
    help = "Read paragraphs that cite other papers: S2ORC, doc2json, GROBID TEI, JSON Lines."
    kind = ImportKind.MENTIONS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--only-linked", action="store_true", help="leave out paragraphs that cite no document of the collection"
        )

    def parameters(self, **options: Any) -> dict[str, Any]:
        return {"only_linked": options["only_linked"]}
