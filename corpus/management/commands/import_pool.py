"""manage.py import_pool SLUG FILE… [--method NAME] [--dry-run] [--json]"""

from typing import Any

from django.core.management.base import CommandParser

from corpus.management.importing import ImportCommand
from corpus.models import ImportKind
from corpus.models.pools import LISTED


class Command(ImportCommand):
    help = (
        "Read pairs to be judged: topic and docno in each line, or qrels of TREC or BEIR, whose values are not read; "
        "of DORIS-MAE's JSON the candidate pools."
    )
    kind = ImportKind.POOL

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--method", default=LISTED, help=f"what the provenance calls the list (default: {LISTED})")

    def parameters(self, *, method: str = LISTED, **_: Any) -> dict[str, Any]:
        return {"method": method}
