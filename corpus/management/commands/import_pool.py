"""manage.py import_pool SLUG FILE… [--dry-run] [--json]"""

from corpus.management.importing import ImportCommand
from corpus.models import ImportKind


class Command(ImportCommand):
    help = "Read pairs to be judged: topic and docno in each line, or TREC qrels, whose values are not read."
    kind = ImportKind.POOL
