"""manage.py import_qrels SLUG FILE… [--name NAME] [--dry-run] [--json]"""

from corpus.imports.commands import ImportCommand


class Command(ImportCommand):
    kind = "qrels"
