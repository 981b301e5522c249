"""manage.py import_papers SLUG FILE… [--format F] [--sections NAMES] [--dry-run] [--json]"""

from typing import Any

from django.core.management.base import CommandParser

from corpus.forms.imports import split_names
from corpus.management.importing import ImportCommand
from corpus.models import ImportKind


class Command(ImportCommand):
    help = (
        "Read citing papers: PDF, GROBID TEI, S2ORC JSON Lines, ACM-CR XML. A table with the columns doi and"
        " first_sentence_number among the files says in which order they come. A bad file is reported, others come in."
    )
    kind = ImportKind.PAPERS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--sections",
            default="",
            metavar="NAMES",
            help="propose contexts also from sections with these words in their headings, separated by commas, or all",
        )

    def parameters(self, **options: Any) -> dict[str, Any]:
        return {"sections": split_names(options["sections"])}
