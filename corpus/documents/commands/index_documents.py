"""manage.py index_documents SLUG [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand
from accounts.models import JobState
from accounts.refusals import Refused
from corpus.collections.reads.collections import collection_with
from corpus.documents.actions import index_again


class Command(ReportingCommand):
    help = (
        "Make documents searchable that large imports left to a worker: at once, without a worker, or together with"
        " those that are at it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")

    def carry_out(self, *, slug: str, **_: Any) -> tuple[str, dict[str, Any]]:
        indexing = index_again(by=None, at=timezone.now(), collection=collection_with(slug), send=False)
        jobs.carry_out(indexing)
        indexing.refresh_from_db()
        if indexing.state != JobState.DONE:
            raise Refused(indexing.reason)
        return f"All {indexing.total:,} documents are searchable.", {"documents": indexing.total}
