"""manage.py import_mentions SLUG FILE… [--format F] [--only-linked] [--dry-run] [--json]"""

from corpus.imports.commands.importing import ImportCommand


class Command(ImportCommand):
    kind = "mentions"
