"""manage.py import_papers SLUG FILE… [--format F] [--sections NAMES] [--dry-run] [--json]"""

from corpus.imports.commands.importing import ImportCommand


class Command(ImportCommand):
    kind = "papers"
