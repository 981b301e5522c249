"""manage.py import_documents SLUG FILE… [--format F] [--dry-run] [--exclude FILE-OF-DOCNOS] [--json]"""

from corpus.imports.commands.importing import ImportCommand


class Command(ImportCommand):
    kind = "documents"
