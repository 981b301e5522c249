"""manage.py import_pool SLUG FILE… [--method NAME] [--dry-run] [--json]"""

from corpus.management.importing import ImportCommand


class Command(ImportCommand):
    kind = "pool"
