"""manage.py import_topics SLUG FILE… [--format F] [--dry-run] [--json]"""

from corpus.imports.commands.importing import ImportCommand


class Command(ImportCommand):
    kind = "topics"
