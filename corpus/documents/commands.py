"""Commands about documents."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand
from corpus.collections.reads.collections import collection_with
from corpus.documents.actions import index_again
from corpus.imports.commands import ImportCommand


class ImportDocuments(ImportCommand):
    """manage.py import_documents SLUG FILE… [--format F] [--dry-run] [--exclude FILE-OF-DOCNOS] [--json]"""

    kind = "documents"


class IndexDocuments(ReportingCommand):
    """manage.py index_documents SLUG [--json]"""

    help = (
        "Make documents searchable that large imports left to a worker: at once, without a worker, or together with"
        " those that are at it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")

    def carry_out(self, *, slug: str, **_: Any) -> tuple[str, dict[str, Any]]:
        indexing = index_again(by=None, at=timezone.now(), collection=collection_with(slug), send=False)
        jobs.complete(indexing)
        return f"All {indexing.total:,} documents are searchable.", {"documents": indexing.total}
