"""manage.py import_runs SLUG FILE… [--name N] [--dry-run] [--json]"""

from corpus.imports.commands.importing import ImportCommand


class Command(ImportCommand):
    kind = "runs"
