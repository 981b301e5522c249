"""manage.py import_pool SLUG FILE… [--method NAME] [--dry-run] [--json]"""

from corpus.imports.commands.importing import ImportCommand


class Command(ImportCommand):
    kind = "pool"
